import type { DamageLog } from "../damage/damage-log.ts";
import type { AccountStore } from "../port/account-store.ts";
import type { ApprovalStore } from "../port/approval-store.ts";
import type { CommandStore } from "../port/command-store.ts";
import type { ExchangeStore } from "../port/exchange-store.ts";
import type { FocusStore } from "../port/focus-store.ts";
import type { CheckpointStore } from "../port/checkpoint-store.ts";
import type { InboxStore } from "../port/inbox-store.ts";
import type { JobStore } from "../port/job-store.ts";
import type { LedgerStore } from "../port/ledger-store.ts";
import type { OutboxStore } from "../port/outbox-store.ts";
import type { PairingStore } from "../port/pairing-store.ts";
import type { SessionStore } from "../port/session-store.ts";
import type { SpawnStore } from "../port/spawn-store.ts";
import type { Store } from "../port/store.ts";
import type { TranscriptStore } from "../port/transcript-store.ts";
import type { TurnStore } from "../port/turn-store.ts";
import { usedBytes } from "./connection/used-bytes.ts";
import { DeadLetters } from "./dead-letters.ts";
import { createOptimisticWrites } from "./optimistic-writes.ts";
import { Queries } from "./queries.ts";
import { SessionDeletion } from "./session-deletion.ts";
import { SessionImports } from "./session-imports.ts";
import type { SqliteStoreParts, StoreMetrics } from "./sqlite-store-parts.ts";
import { StoreCalls } from "./store-calls.ts";
import { StoreShutdown } from "./store-shutdown.ts";
import { listConversations } from "./tables/conversation-list.ts";
import { TranscriptReader } from "./transcript-reader.ts";

/** The store in one SQLite file, with what its owner needs to watch and to save that file. */
export interface SqliteStore extends Store {
  /** The id of the database: its copies have the same id, a new or a restored database has another. */
  readonly databaseId: string;
  /** Unacknowledged damage of the stored state. */
  readonly damage: DamageLog;
  /** Resolves after the first turn that this process has started. */
  readonly firstTurn: Promise<void>;
  /** True once the file of the database, or its log, was deleted or replaced while this store has it open: later writes are lost when the process ends. */
  readonly isUnlinked: boolean;
  metrics(): StoreMetrics;
  /**
   * Copies the database, checks the structure of the copy in a thread, and keeps a sound copy for a recovery. Resolves with the problems found, empty if there
   * are none. A damaged structure is reported to `onStructureDamage`.
   */
  snapshot(): Promise<readonly string[]>;
  /** When the newest snapshot was taken, milliseconds since the epoch; `undefined` if there is no snapshot. */
  lastSnapshotAtMs(): Promise<number | undefined>;
  /** True if the database has changed since its newest snapshot. */
  hasChangedSinceSnapshot(): Promise<boolean>;
  /**
   * Takes a snapshot of an unlinked database, and has the next start restore it. `close` takes one too; this one guards against a kill before that. Rejects
   * if it fails, with `damaged` if the structure of the database is damaged as well: the next start then restores its last sound snapshot.
   */
  saveUnlinked(): Promise<void>;
  /** Removes the files that a killed process was writing: an unchecked snapshot, an unfinished recovery or copy before a migration. Call it before the first snapshot. */
  removeUnfinished(): Promise<void>;
}

type Parts = SqliteStoreParts & { readonly calls: StoreCalls; readonly queries: Queries };

/**
 * Composes the store. Each method is one queued write or one read; the work is in the tables, and in `Transactions` and `Queries` if it touches several of
 * them. Leftovers of unfinished imports are removed in the background.
 */
export function createSqliteStore(storeParts: SqliteStoreParts): SqliteStore {
  const calls = new StoreCalls(storeParts);
  const parts: Parts = { ...storeParts, calls, queries: new Queries(storeParts.tables) };
  const { tables, transactions, queries, writer, copier, keeper, damage, databaseId, logger } = parts;
  const imports = new SessionImports(parts);
  void imports.sweep(logger);
  const shutdown = new StoreShutdown(parts);
  const firstTurn = Promise.withResolvers<void>();
  return {
    ...createAccountStore(parts),
    ...createApprovalStore(parts),
    ...createCommandStore(parts),
    ...createExchangeStore(parts),
    ...createFocusStore(parts),
    ...createInboxStore(parts),
    ...createJobStore(parts),
    ...createPairingStore(parts),
    ...createTurnStore(parts, firstTurn.resolve),
    ...createOptimisticWrites(parts, firstTurn.resolve),
    ...createSessionStore(parts, imports),
    ...createSpawnStore(parts),
    ...createTranscriptStore(parts),
    ...createOutboxStore(parts),
    ...createLedgerStore(parts),
    ...createCheckpointStore(parts),
    databaseId,
    damage,
    firstTurn: firstTurn.promise,
    get isUnlinked() {
      return keeper.isUnlinked;
    },
    metrics: () => ({ commits: writer.commits, writes: writer.writes, rowsRead: tables.database.rowsRead }),
    counts: () => calls.read(() => queries.counts()),
    usedBytes: () => calls.read(() => usedBytes(tables.database)),
    maintain: async (options) => {
      const hasMore = await calls.write(() => transactions.prune(options));
      const hasMoreFiles = await copier.removeDeleted(options);
      return hasMore || hasMoreFiles;
    },
    probe: () => calls.write(() => void tables.database.run("UPDATE ownership SET opened_at = opened_at WHERE id = 1")),
    snapshot: () => calls.whileOpen(() => keeper.snapshot()),
    lastSnapshotAtMs: async () => keeper.lastSnapshotAtMs(),
    hasChangedSinceSnapshot: () => calls.whileOpen(async () => keeper.hasChanged()),
    saveUnlinked: () => calls.whileOpen(() => keeper.save({ isLast: false })),
    removeUnfinished: () => keeper.removeUnfinished(),
    flushCopies: () => calls.whileOpen(() => copier.flush()),
    close: () => shutdown.close(),
  };
}

function createAccountStore({ tables: { accounts, moves }, calls }: Parts): AccountStore {
  return {
    commitProgress: (account, progress) => calls.write(() => accounts.commit(account, progress)),
    readCursor: (account) => calls.read(() => accounts.readCursor(account)),
    readAccountState: (account, key) => calls.read(() => accounts.read(account, key)),
    listAccountState: (account, prefix) => calls.read(() => accounts.list(account, prefix)),
    listMoves: () => calls.read(() => moves.list()),
  };
}

function createApprovalStore({ tables: { approvals }, calls }: Parts): ApprovalStore {
  return {
    requestApproval: (approval, { nowMs }) => calls.write(() => approvals.insert(approval, nowMs)),
    readApproval: (id) => calls.read(() => approvals.read(id)),
    listApprovals: (states) => calls.read(() => approvals.list(states)),
    listTurnApprovals: (turnId) => calls.read(() => approvals.listOfTurn(turnId)),
    listGrants: () => calls.read(() => approvals.listGrants()),
    findGrant: (query) => calls.read(() => approvals.findGrant(query)),
    decideApproval: (id, options) => calls.write(() => approvals.decide(id, options)),
    answerQuestion: (id, options) => calls.write(() => approvals.answer(id, options)),
    moveApproval: (id, change) => calls.write(() => approvals.move(id, change)),
  };
}

function createCommandStore({ tables: { commands }, calls }: Parts): CommandStore {
  return {
    addCommand: (command) => calls.write(() => commands.add(command)),
    listCommands: () => calls.read(() => commands.list()),
    removeCommand: (id) => calls.write(() => commands.remove(id)),
  };
}

function createExchangeStore({ tables: { exchanges }, calls }: Parts): ExchangeStore {
  return {
    putExchange: (exchange) => calls.write(() => exchanges.put(exchange)),
    listExchanges: () => calls.read(() => exchanges.list()),
    removeExchange: (id) => calls.write(() => exchanges.remove(id)),
  };
}

function createJobStore({ tables: { jobs }, calls }: Parts): JobStore {
  return {
    putJob: (job) => calls.write(() => jobs.put(job)),
    readJob: (id) => calls.read(() => jobs.read(id)),
    listJobs: () => calls.read(() => jobs.list()),
    removeJob: (id) => calls.write(() => jobs.remove(id)),
    claimOccurrences: (job, occurrences) => calls.write(() => jobs.claim(job, occurrences)),
    putOccurrence: (occurrence, job) => calls.write(() => jobs.putOccurrence(occurrence, job)),
    addReceipt: ({ jobId, slotMs }, receipt) => calls.write(() => jobs.addReceipt(jobId, slotMs, receipt)),
    listOccurrences: (jobId, { limit }) => calls.read(() => jobs.listOccurrences(jobId, limit)),
    listOpenOccurrences: () => calls.read(() => jobs.listOpen()),
  };
}

function createInboxStore({ tables: { inbox }, transactions, calls }: Parts): InboxStore {
  return {
    acceptInput: (message, options) => calls.write(() => transactions.acceptInput(message, options)),
    listInputs: (filter) => calls.read(() => inbox.list(filter)),
    hasReceived: (chat, messageId) => calls.read(() => inbox.hasReceived(chat, messageId)),
    readInput: (id) => calls.read(() => inbox.read(id)),
    findInput: (event) => calls.read(() => inbox.find(event)),
    listRecentInputs: (limit) => calls.read(() => inbox.listRecent(limit)),
    beginInputs: (ids) => calls.write(() => inbox.beginAttempt(ids)),
    releaseInputs: (ids) => calls.write(() => inbox.releaseAttempt(ids)),
    settleInputs: (ids, state, answer = {}) => calls.write(() => transactions.settleInputs(ids, state, answer)),
    reviveInput: (id) => calls.write(() => inbox.revive(id)),
  };
}

function createPairingStore({ tables: { pairings }, transactions, calls }: Parts): PairingStore {
  return {
    requestPairing: (pairing, options) => calls.write(() => transactions.requestPairing(pairing, options)),
    listPairings: (state, { nowMs }) => calls.read(() => pairings.list(state, nowMs)),
    findPairing: (code, { nowMs }) => calls.read(() => pairings.find(code, nowMs)),
    hasEverPaired: () => calls.read(() => pairings.hasEverPaired()),
    approvePairing: (code, options) => calls.write(() => transactions.approvePairing(code, options)),
    rejectPairing: (code, { nowMs }) => calls.write(() => pairings.reject(code, nowMs)),
    revokePairing: (sender) => calls.write(() => pairings.revoke(sender)),
  };
}

function createTurnStore({ tables: { turns }, transactions, queries, calls }: Parts, onTurnStart: () => void): TurnStore {
  return {
    startTurn: async (turn) => {
      const started = await calls.write(() => transactions.startTurn(turn));
      onTurnStart();
      return started;
    },
    joinTurn: (turnId, options) => calls.write(() => transactions.joinTurn(turnId, options)),
    appendToTurn: (turnId, options) => calls.write(() => transactions.appendToTurn(turnId, options)),
    endTurn: (end) => calls.write(() => transactions.endTurn(end)),
    resumeTurns: () => calls.write(() => transactions.resumeTurns()),
    beginAttempt: (turnId, options) => calls.write(() => turns.beginAttempt(turnId, options)),
    releaseAttempt: (turnId) => calls.write(() => turns.releaseAttempt(turnId)),
    hasTurnFrom: (sessionKey, chat) => calls.read(() => turns.hasTurnFrom(sessionKey, chat)),
    readTurn: (id) => calls.read(() => turns.read(id)),
    findTurn: (sessionId, number) => calls.read(() => queries.findTurn(sessionId, number)),
    readLastTurn: (sessionId, { except }) => calls.read(() => queries.lastTurn(sessionId, except)),
    listAborted: (sessionIds, { except }) => calls.read(() => queries.abortedAmong(sessionIds, except)),
    readJournal: (turnId) => calls.read(() => turns.readJournal(turnId)),
  };
}

function createSessionStore(parts: Parts, imports: SessionImports): SessionStore {
  const { calls, tables } = parts;
  const { database, sessions } = tables;
  const deletion = new SessionDeletion(parts);
  return {
    readSession: (key) => calls.read(() => sessions.read(key)),
    findSession: (query) => calls.read(() => sessions.find(query)),
    listSessions: (filter) => calls.read(() => sessions.list(filter)),
    createSession: (session, { nowMs }) => calls.write(() => sessions.open(session, nowMs)),
    patchSession: (key, patch, { nowMs }) => calls.write(() => sessions.patch(key, patch, nowMs)),
    resetSession: (key, options) => calls.write(() => sessions.reset(key, options)),
    importSession: (session, options = {}) => imports.take(session, options),
    deleteSession: (key, { nowMs }) => deletion.deleteSession(key, nowMs),
    listIdleSessions: (filter) => calls.read(() => sessions.listIdle(filter)),
    listConversations: (filter) => calls.read(() => listConversations(database, filter)),
    deleteConversation: (sessionId, { nowMs }) => deletion.deleteConversation(sessionId, nowMs),
    listExpiredSessions: (nowMs, limit) => calls.read(() => sessions.listExpired(nowMs, limit)),
  };
}

function createFocusStore({ tables: { focuses }, calls }: Parts): FocusStore {
  return {
    putFocus: (focus) => calls.write(() => focuses.put(focus)),
    listFocuses: () => calls.read(() => focuses.list()),
    removeFocus: (key) => calls.write(() => focuses.remove(key)),
  };
}

function createSpawnStore({ tables: { spawns }, transactions, calls }: Parts): SpawnStore {
  return {
    appendSpawns: (turnId, options) => calls.write(() => transactions.appendSpawns(turnId, options)),
    endSpawn: (end) => calls.write(() => transactions.endSpawn(end)),
    awaitSpawns: (ids) => calls.write(() => spawns.awaitAll(ids)),
    announceSpawn: (id, { nowMs }) => calls.write(() => spawns.announce(id, nowMs)),
    listSpawns: () => calls.read(() => spawns.list()),
  };
}

function createTranscriptStore({ tables, transactions, queries, calls }: Parts): TranscriptStore {
  const { transcripts } = tables;
  const reader = new TranscriptReader({ tables, calls });
  return {
    appendEntry: (sessionId, body, { timestampMs }) => calls.write(() => transactions.appendEntry(sessionId, body, timestampMs)),
    readEntry: (id) => calls.read(() => transcripts.read(id)),
    findNotice: (key) => calls.read(() => transcripts.findKeyed(key)),
    readTranscript: (sessionId, options) => calls.read(() => transcripts.page(sessionId, options)),
    readContext: (sessionId, options) => calls.read(() => queries.context(sessionId, options)),
    readRecentContext: (sessionId, bounds) => reader.recentContext(sessionId, bounds),
    exportTranscript: (sessionId, options) => reader.export(sessionId, options),
    branchTranscript: (sessionId, options) => calls.write(() => transactions.branch(sessionId, options)),
    chooseBranch: (sessionId, options) => calls.write(() => transactions.chooseBranch(sessionId, options)),
    readVersions: (sessionId) => calls.read(() => queries.versions(sessionId)),
    scanEntries: (query) => calls.read(() => tables.entrySearch.scan(query)),
    savePrompt: (prompt) => calls.write(() => transactions.savePrompt(prompt)),
    readPrompt: (sessionId, options) => calls.read(() => queries.prompt(sessionId, options)),
  };
}

function createOutboxStore({ tables, transactions, calls }: Parts): OutboxStore {
  const { outbox, sentMessages } = tables;
  const deadLetters = new DeadLetters(tables);
  return {
    addOutbound: (rows, options) => calls.write(() => transactions.addOutbound(rows, options)),
    listSentMessage: (chat, messageId) => calls.read(() => sentMessages.list(chat, messageId)),
    listTurnOutbound: (turnId) => calls.read(() => outbox.ofTurn(turnId)),
    hasOutbound: (turnId) => calls.read(() => outbox.hasRowOf(turnId)),
    readOutbound: (id) => calls.read(() => outbox.read(id)),
    findOutbound: (idempotencyKey) => calls.read(() => outbox.find(idempotencyKey)),
    listPendingOutbound: (options) => calls.read(() => outbox.listPending(options)),
    claimOutbound: (id) => calls.write(() => outbox.claim(id)),
    replaceOutbound: (id, rows, options) => calls.write(() => outbox.replace(id, rows, options)),
    settleOutbound: (id, transition, { nowMs }) => calls.write(() => outbox.settle(id, transition, nowMs)),
    listDeadLetters: (filter) => calls.read(() => deadLetters.list(filter)),
    readDeadLetter: (id) => calls.read(() => deadLetters.read(id)),
    reviveOutbound: (id, options) => calls.write(() => outbox.revive(id, options)),
    purgeDeadLetters: (which, { nowMs }) => calls.write(() => deadLetters.purge(which, nowMs)),
  };
}

function createLedgerStore({ tables: { noteEntries, requests, spend, taintedBlocks }, queries, calls }: Parts): LedgerStore {
  return {
    listRequests: (filter) => calls.read(() => queries.requests(filter)),
    listRequestUsage: (filter) => calls.read(() => requests.usage(filter)),
    oldestRequestMs: () => calls.read(() => requests.oldestMs()),
    listSpend: (fromDay, toDay) => calls.read(() => spend.list(fromDay, toDay)),
    readRequest: (id) => calls.read(() => requests.read(id)),
    readRequestBody: (id) => calls.read(() => requests.readBody(id)),
    addSpend: (charge, options) => calls.write(() => spend.add(charge), options),
    readSpend: (day, agentId) => calls.read(() => spend.read(day, agentId)),
    readTreeSpend: (treeId) => calls.read(() => spend.readTree(treeId)),
    addTaintedBlocks: (file, digests) => calls.write(() => taintedBlocks.add(file, digests)),
    hasTaintedBlocks: () => calls.read(() => taintedBlocks.hasAny()),
    readTaintedBlocks: (file) => calls.read(() => taintedBlocks.read(file)),
    addNoteEntries: (file, entries, present) => calls.write(() => noteEntries.add(file, entries, present)),
    readNoteEntries: (file) => calls.read(() => noteEntries.read(file)),
  };
}

function createCheckpointStore({ tables: { checkpoints }, calls }: Parts): CheckpointStore {
  return {
    readCheckpoints: (turnId) => calls.read(() => checkpoints.ofTurn(turnId)),
    saveCheckpoints: (rows, limits) => calls.write(() => checkpoints.save(rows, limits)),
    listCheckpoints: (sessionKey, { limit }) => calls.read(() => checkpoints.list(sessionKey, limit)),
    settleCheckpoints: (settled) => calls.write(() => checkpoints.settle(settled)),
    findCheckpointDigests: (digests) => calls.read(() => checkpoints.findDigests(digests)),
  };
}
