import { setImmediate as nextTick } from "node:timers/promises";
import type { Logger } from "@factotum/agent-contract";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import type {
  ConversationRecord,
  DeadLetter,
  InputRecord,
  OutboxRecord,
  OutboxTransition,
  PromptRecord,
  RequestBody,
  RequestRecord,
  SessionRecord,
  SpendCharge,
  SpendRecord,
  TerminalInputState,
  ToolJournalRecord,
  TranscriptBody,
  TranscriptEntry,
  TurnRecord,
  TurnState,
} from "../port/records.ts";
import type { DamageLog } from "../damage/damage-log.ts";
import { StoreError } from "../port/store-error.ts";
import type { PendingCommit } from "../port/pending-commit.ts";
import type { InputAnswer, SettledInputs, AcceptedInput } from "../port/inbox-store.ts";
import type { ContextBounds, RecentContext } from "../port/transcript-store.ts";
import type { ImportedSession, ImportOptions, NewSession, SessionPatch } from "../port/session-store.ts";
import type { MaintenanceOptions, Store, StoreCounts } from "../port/store.ts";
import type { NewOutbound } from "../port/outbox-store.ts";
import type { NewTurn, StartedTurn, TurnEnd } from "../port/turn-store.ts";
import type { NotesFile } from "../port/ledger-store.ts";
import type { Page } from "../port/page.ts";
import type { SqliteStoreParts, StoreMetrics } from "./sqlite-store-parts.ts";
import { DeadLetters } from "./dead-letters.ts";
import { usedBytes } from "./connection/used-bytes.ts";
import { listConversations } from "./tables/conversation-list.ts";
import { decodePosition } from "./values/sequence-id.ts";
import { SessionImports } from "./session-imports.ts";
import { StoreCalls } from "./store-calls.ts";
import type { Tables } from "./tables/tables.ts";

/** Entries that an export holds in memory at a time. */
const EXPORT_PAGE = 200;

/** The store in one SQLite file. Every method is one queued transaction or one read; the work itself is in the tables. */
export class SqliteStore implements Store {
  readonly #tables: Tables;
  readonly #transactions: SqliteStoreParts["transactions"];
  readonly #writer: SqliteStoreParts["writer"];
  readonly #copier: SqliteStoreParts["copier"];
  readonly #keeper: SqliteStoreParts["keeper"];
  readonly #deadLetters: DeadLetters;
  readonly #calls: StoreCalls;
  readonly #firstTurn = Promise.withResolvers<void>();
  readonly #imports: SessionImports;
  readonly #logger: Logger;
  #closing: Promise<void> | undefined;
  /** Which database this is: its copies have the same id, a new or a restored one has another. */
  readonly databaseId: string;
  /** Unacknowledged damage of the stored state. */
  readonly damage: DamageLog;

  constructor(parts: SqliteStoreParts) {
    this.#tables = parts.tables;
    this.#transactions = parts.transactions;
    this.#writer = parts.writer;
    this.#copier = parts.copier;
    this.#keeper = parts.keeper;
    this.#deadLetters = new DeadLetters(parts.tables);
    this.#calls = new StoreCalls(parts);
    this.#imports = new SessionImports({ ...parts, calls: this.#calls });
    this.#logger = parts.logger;
    this.databaseId = parts.databaseId;
    this.damage = parts.damage;
  }

  /** Resolves after the first turn that this process has begun. */
  get firstTurn(): Promise<void> {
    return this.#firstTurn.promise;
  }

  /** Removes leftovers of earlier imports, in the background. Never rejects. */
  async removeUnfinishedImports(logger: Logger): Promise<void> {
    await this.#imports.sweep(logger);
  }

  metrics(): StoreMetrics {
    return { commits: this.#writer.commits, writes: this.#writer.writes, rowsRead: this.#tables.database.rowsRead };
  }

  acceptInput(message: MsgContext, options: Parameters<Store["acceptInput"]>[1]): Promise<AcceptedInput> {
    return this.#calls.write(() => this.#tables.inbox.accept(message, options));
  }

  acceptInputOptimistic(message: MsgContext, options: Parameters<Store["acceptInput"]>[1]): Promise<PendingCommit<AcceptedInput>> {
    return this.#calls.writeOptimistic(() => this.#tables.inbox.accept(message, options));
  }

  readCursor(channel: string, accountId: string): Promise<string | undefined> {
    return this.#calls.read(() => this.#tables.inbox.readCursor(channel, accountId));
  }

  listInputs(filter: Parameters<Store["listInputs"]>[0]): Promise<Page<InputRecord>> {
    return this.#calls.read(() => this.#tables.inbox.list(filter));
  }

  readInput(id: string): Promise<InputRecord | undefined> {
    return this.#calls.read(() => this.#tables.inbox.read(id));
  }

  beginInputs(ids: readonly string[]): Promise<number> {
    return this.#calls.write(() => this.#tables.inbox.beginAttempt(ids));
  }

  releaseInputs(ids: readonly string[]): Promise<void> {
    return this.#calls.write(() => this.#tables.inbox.handOver(ids));
  }

  settleInputs(ids: readonly string[], state: TerminalInputState, answer: InputAnswer = {}): Promise<SettledInputs> {
    return this.#calls.write(() => this.#transactions.settleInputs(ids, state, answer));
  }

  async startTurn(turn: NewTurn): Promise<StartedTurn> {
    const started = await this.#calls.write(() => this.#transactions.startTurn(turn));
    this.#firstTurn.resolve();
    return started;
  }

  async startTurnOptimistic(turn: NewTurn): Promise<PendingCommit<StartedTurn>> {
    const written = await this.#calls.writeOptimistic(() => this.#transactions.startTurn(turn));
    this.#firstTurn.resolve();
    return written;
  }

  joinTurn(turnId: string, options: Parameters<Store["joinTurn"]>[1]): Promise<readonly TranscriptEntry[]> {
    return this.#calls.write(() => this.#transactions.joinTurn(turnId, options));
  }

  appendToTurn(turnId: string, options: Parameters<Store["appendToTurn"]>[1]): Promise<readonly TranscriptEntry[]> {
    return this.#calls.write(() => this.#transactions.appendToTurn(turnId, options));
  }

  endTurn(end: TurnEnd): ReturnType<Store["endTurn"]> {
    return this.#calls.write(() => this.#transactions.endTurn(end));
  }

  resumeTurns(): Promise<readonly TurnRecord[]> {
    return this.#calls.write(() => this.#transactions.resumeTurns());
  }

  beginAttempt(turnId: string, options?: Parameters<Store["beginAttempt"]>[1]): Promise<TurnRecord | undefined> {
    return this.#calls.write(() => this.#tables.turns.beginAttempt(turnId, options));
  }

  releaseAttempt(turnId: string): Promise<void> {
    return this.#calls.write(() => this.#tables.turns.handOver(turnId));
  }

  readTurn(id: string): Promise<TurnRecord | undefined> {
    return this.#calls.read(() => this.#tables.turns.read(id));
  }

  findTurn(sessionId: string, number: number): Promise<TurnRecord | undefined> {
    return this.#calls.read(() => {
      const conversation = this.#tables.transcripts.find(sessionId);
      return conversation === undefined ? undefined : this.#tables.turns.find(conversation, number);
    });
  }

  readLastTurn(sessionId: string, options: Parameters<Store["readLastTurn"]>[1]): Promise<TurnState | undefined> {
    return this.#calls.read(() => {
      const conversation = this.#tables.transcripts.find(sessionId);
      return conversation === undefined ? undefined : this.#tables.turns.last(conversation, options.except);
    });
  }

  readJournal(turnId: string): Promise<readonly ToolJournalRecord[]> {
    return this.#calls.read(() => this.#tables.turns.readJournal(turnId));
  }

  readSession(key: string): Promise<SessionRecord | undefined> {
    return this.#calls.read(() => this.#tables.sessions.read(key));
  }

  findSession(query: Parameters<Store["findSession"]>[0]): Promise<SessionRecord | undefined> {
    return this.#calls.read(() => this.#tables.sessions.find(query));
  }

  listSessions(filter: Parameters<Store["listSessions"]>[0]): Promise<Page<SessionRecord>> {
    return this.#calls.read(() => this.#tables.sessions.list(filter));
  }

  createSession(session: NewSession, options: { readonly nowMs: number }): Promise<SessionRecord> {
    return this.#calls.write(() => this.#tables.sessions.open(session, options.nowMs));
  }

  patchSession(key: string, patch: SessionPatch, options: { readonly nowMs: number }): Promise<SessionRecord> {
    return this.#calls.write(() => this.#tables.sessions.patch(key, patch, options.nowMs));
  }

  resetSession(key: string, options: Parameters<Store["resetSession"]>[1]): Promise<SessionRecord> {
    return this.#calls.write(() => this.#tables.sessions.reset(key, options));
  }

  importSession(session: ImportedSession, options: ImportOptions = {}): Promise<SessionRecord> {
    return this.#imports.take(session, options);
  }

  /** The plain files are completed first: what is deleted here is still whole there. */
  async deleteSession(key: string, options: { readonly nowMs: number }): Promise<readonly string[]> {
    await this.#copier.flush();
    const deleted = await this.#calls.write(() => this.#transactions.deleteSession(key, options.nowMs));
    if (deleted.length > 0) await this.#copier.renameDeleted();
    return deleted;
  }

  listIdleSessions(filter: Parameters<Store["listIdleSessions"]>[0]): Promise<Page<SessionRecord>> {
    return this.#calls.read(() => this.#tables.sessions.listIdle(filter));
  }

  listConversations(filter: Parameters<Store["listConversations"]>[0]): Promise<Page<ConversationRecord>> {
    return this.#calls.read(() => listConversations(this.#tables.database, filter));
  }

  async deleteConversation(sessionId: string, options: { readonly nowMs: number }): Promise<boolean> {
    await this.#copier.flush();
    const isDeleted = await this.#calls.write(() => this.#transactions.deleteConversation(sessionId, options.nowMs));
    if (isDeleted) await this.#copier.renameDeleted();
    return isDeleted;
  }

  usedBytes(): Promise<number> {
    return this.#calls.read(() => usedBytes(this.#tables.database));
  }

  listExpiredSessions(nowMs: number, limit: number): Promise<readonly SessionRecord[]> {
    return this.#calls.read(() => this.#tables.sessions.listExpired(nowMs, limit));
  }

  appendEntry(sessionId: string, body: TranscriptBody, options: { readonly timestampMs: number }): Promise<TranscriptEntry> {
    return this.#calls.write(() => this.#transactions.appendEntry(sessionId, body, options.timestampMs));
  }

  hasTurnFrom(sessionKey: string, chat: Origin): Promise<boolean> {
    return this.#calls.read(() => this.#tables.turns.hasTurnFrom(sessionKey, chat));
  }

  hasOutbound(turnId: string): Promise<boolean> {
    return this.#calls.read(() => this.#tables.outbox.hasRowOf(turnId));
  }

  findNotice(key: string): Promise<TranscriptEntry | undefined> {
    return this.#calls.read(() => this.#tables.transcripts.findNotice(key));
  }

  readTranscript(sessionId: string, options: Parameters<Store["readTranscript"]>[1]): Promise<Page<TranscriptEntry>> {
    return this.#calls.read(() => this.#tables.transcripts.page(sessionId, options));
  }

  readContext(sessionId: string, options?: { readonly at: string }): Promise<readonly TranscriptEntry[]> {
    return this.#calls.read(() => {
      const { transcripts } = this.#tables;
      if (options === undefined) return transcripts.context(sessionId);
      const conversation = transcripts.find(sessionId);
      return conversation === undefined ? [] : transcripts.contextAt(conversation, options.at);
    });
  }

  async readRecentContext(sessionId: string, { maxChars, images }: ContextBounds): Promise<RecentContext> {
    const { transcripts } = this.#tables;
    const pages: (readonly TranscriptEntry[])[] = [];
    let [textChars, imageChars] = [0, images.maxChars];
    let before: number | undefined;
    do {
      if (before !== undefined) await nextTick();
      const [from, left] = [before, { ...images, maxChars: imageChars }];
      const page = await this.#calls.read(() => transcripts.contextPage(sessionId, left, from));
      pages.unshift(page.entries);
      textChars += page.textChars;
      ({ before, imageChars } = page);
    } while (before !== undefined && textChars < maxChars);
    const first = before;
    const start = await this.#calls.read(() => transcripts.contextStart(sessionId, first ?? 0));
    return { entries: [...start.compaction, ...pages.flat()], omitted: start.omitted };
  }

  async *exportTranscript(sessionId: string, options?: { readonly after: string }): AsyncIterable<TranscriptEntry> {
    const conversation = await this.#calls.read(() => this.#tables.transcripts.find(sessionId));
    let after: number | undefined = options === undefined ? 0 : decodePosition("e", options.after);
    if (conversation === undefined) return;
    while (after !== undefined) {
      const from: number = after;
      const page = await this.#calls.read(() => this.#tables.transcripts.after(conversation, from, EXPORT_PAGE));
      yield* page.entries;
      after = page.last;
    }
  }

  savePrompt(prompt: PromptRecord): Promise<void> {
    return this.#calls.write(() => this.#transactions.savePrompt(prompt));
  }

  readPrompt(sessionId: string, options?: { readonly hash: string; readonly notAfterMs: number }): Promise<PromptRecord | undefined> {
    return this.#calls.read(() => {
      const conversation = this.#tables.transcripts.find(sessionId);
      return conversation === undefined ? undefined : this.#tables.prompts.read(conversation, options);
    });
  }

  listRequests({ sessionId, turnId, ...page }: Parameters<Store["listRequests"]>[0]): Promise<Page<RequestRecord>> {
    return this.#calls.read(() => {
      const { transcripts, turns, requests } = this.#tables;
      const conversation = transcripts.find(sessionId);
      if (conversation === undefined) return { items: [] };
      return requests.list(conversation, { ...page, ...(turnId === undefined ? {} : { turn: turns.sequenceOf(turnId) }) });
    });
  }

  readRequest(id: string): Promise<RequestRecord | undefined> {
    return this.#calls.read(() => this.#tables.requests.read(id));
  }

  readRequestBody(id: string): Promise<RequestBody | undefined> {
    return this.#calls.read(() => this.#tables.requests.readBody(id));
  }

  addOutbound(rows: readonly NewOutbound[], options?: { readonly turnId?: string }): Promise<readonly OutboxRecord[]> {
    return this.#calls.write(() => this.#transactions.addOutbound(rows, options?.turnId));
  }

  readOutbound(id: string): Promise<OutboxRecord | undefined> {
    return this.#calls.read(() => this.#tables.outbox.read(id));
  }

  findOutbound(idempotencyKey: string): Promise<OutboxRecord | undefined> {
    return this.#calls.read(() => this.#tables.outbox.find(idempotencyKey));
  }

  listPendingOutbound(options: { readonly limit: number; readonly afterId?: string }): Promise<readonly OutboxRecord[]> {
    return this.#calls.read(() => this.#tables.outbox.listPending(options));
  }

  claimOutbound(id: string): Promise<boolean> {
    return this.#calls.write(() => this.#tables.outbox.claim(id));
  }

  replaceOutbound(
    id: string,
    rows: readonly NewOutbound[],
    options: { readonly reason: string; readonly nowMs: number },
  ): Promise<readonly OutboxRecord[]> {
    return this.#calls.write(() => this.#tables.outbox.replace(id, rows, options));
  }

  settleOutbound(id: string, transition: OutboxTransition, options: { readonly nowMs: number }): Promise<OutboxRecord> {
    return this.#calls.write(() => this.#tables.outbox.settle(id, transition, options.nowMs));
  }

  listDeadLetters(filter: Parameters<Store["listDeadLetters"]>[0]): Promise<Page<DeadLetter>> {
    return this.#calls.read(() => this.#deadLetters.list(filter));
  }

  readDeadLetter(id: string): Promise<DeadLetter | undefined> {
    return this.#calls.read(() => this.#deadLetters.read(id));
  }

  reviveInput(id: string): Promise<InputRecord> {
    return this.#calls.write(() => this.#tables.inbox.revive(id));
  }

  reviveOutbound(id: string, options: Parameters<Store["reviveOutbound"]>[1]): Promise<OutboxRecord> {
    return this.#calls.write(() => this.#tables.outbox.revive(id, options));
  }

  purgeDeadLetters(which: Parameters<Store["purgeDeadLetters"]>[0], options: { readonly nowMs: number }): Promise<number> {
    return this.#calls.write(() => this.#deadLetters.purge(which, options.nowMs));
  }

  addSpend(charge: SpendCharge, options?: { readonly mayWait?: boolean }): Promise<void> {
    return this.#calls.write(() => this.#tables.spend.add(charge), options);
  }

  readSpend(day: string, agentId: string): Promise<readonly SpendRecord[]> {
    return this.#calls.read(() => this.#tables.spend.read(day, agentId));
  }

  addTaintedBlocks(file: NotesFile, digests: readonly string[]): Promise<void> {
    return this.#calls.write(() => this.#tables.taintedBlocks.add(file, digests));
  }

  readTaintedBlocks(file: NotesFile): Promise<ReadonlySet<string>> {
    return this.#calls.read(() => this.#tables.taintedBlocks.read(file));
  }

  counts(): Promise<StoreCounts> {
    return this.#calls.read(() => this.#transactions.counts());
  }

  async maintain(options: MaintenanceOptions): Promise<boolean> {
    const hasMore = await this.#calls.write(() => this.#transactions.prune(options));
    const hasMoreFiles = await this.#copier.removeDeleted(options);
    return hasMore || hasMoreFiles;
  }

  async probe(): Promise<void> {
    await this.#calls.write(() => this.#tables.database.run("UPDATE ownership SET opened_at = opened_at WHERE id = 1"));
  }

  /**
   * Copies the database, checks the structure of the copy in a thread of its own, and keeps a sound one for a recovery. Resolves with what is wrong, empty
   * when nothing is. A damaged structure is told to `onStructureDamage`.
   */
  async snapshot(): Promise<readonly string[]> {
    this.#calls.refuseClosed();
    return this.#keeper.snapshot();
  }

  /** When the newest snapshot was taken, milliseconds since the epoch; `undefined` when there is none. */
  async lastSnapshotAtMs(): Promise<number | undefined> {
    return this.#keeper.lastSnapshotAtMs();
  }

  /** True if the database holds something that its newest snapshot does not. */
  async hasChangedSinceSnapshot(): Promise<boolean> {
    this.#calls.refuseClosed();
    return this.#keeper.hasChanged();
  }

  /** True once the file of the database, or its log, was deleted or replaced while this store has it open: what is written then ends with the process. */
  get isUnlinked(): boolean {
    return this.#keeper.isUnlinked;
  }

  /**
   * Takes a snapshot of a database that is unlinked, and has the next start restore it. `close` takes the last one; what this one is for is a kill before that.
   * Rejects when it cannot be taken, with `damaged` for a database whose structure is damaged as well: the next start restores its last sound snapshot.
   */
  async saveUnlinked(): Promise<void> {
    this.#calls.refuseClosed();
    await this.#keeper.save({ isLast: false });
  }

  /** Removes the files that a killed process was writing: an unchecked snapshot, an unfinished recovery or copy before a migration. Call it before the first snapshot. */
  async removeUnfinished(): Promise<void> {
    await this.#keeper.removeUnfinished();
  }

  async flushCopies(): Promise<void> {
    this.#calls.refuseClosed();
    await this.#copier.flush();
  }

  close(): Promise<void> {
    this.#calls.close();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      this.#writer.drain();
      await this.#copier.stop();
      this.#writer.drain();
      this.#writer.refuse(new StoreError("closed", "The store is closed."));
      await this.damage.close();
      if (this.#keeper.isUnlinked) await this.#saveLast();
    } finally {
      // Left open, it would write to the files that a recovery has set aside, and remove the log of their successor.
      this.#tables.database.close();
    }
  }

  /** Nothing else has what an unlinked database holds. Never rejects: the plain files are left. */
  async #saveLast(): Promise<void> {
    try {
      await this.#keeper.save({ isLast: true });
      this.#logger.error("The database was deleted or replaced while it was in use: it is saved, and the next start restores it");
    } catch (error) {
      this.#logger.error("The database was deleted or replaced while it was in use, and could not be saved", { error });
    }
  }
}
