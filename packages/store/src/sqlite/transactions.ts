import { NO_USAGE_TOTALS, withoutUndefined } from "@factotum/agent-contract";
import type { Clock, UsageTotals } from "@factotum/agent-contract";
import type { MsgContext } from "@factotum/channel-contract";
import type { BroadcastPart, InputRecord, TerminalInputState } from "../port/inbox-records.ts";
import type { OutboxRecord } from "../port/outbox-records.ts";
import type { PromptRecord, TranscriptBody, TranscriptEntry } from "../port/transcript-records.ts";
import type { TurnRecord } from "../port/turn-records.ts";
import { StoreError } from "../port/store-error.ts";
import type { ImportedEntry } from "../port/session-store.ts";
import type { AcceptedInput, InboxStore, InputAnswer, OtherParts, SettledInputs } from "../port/inbox-store.ts";
import type { MaintenanceOptions, Store } from "../port/store.ts";
import type { NewPairing, PairingRequest, PairingStore } from "../port/pairing-store.ts";
import type { NewOutbound, OutboxStore } from "../port/outbox-store.ts";
import { isOpenSpawn } from "../port/spawn-store.ts";
import type { EndedSpawn, NewSpawn, SpawnEnd } from "../port/spawn-store.ts";
import type { EndedTurn, NewTurn, StartedTurn, TurnEnd } from "../port/turn-store.ts";
import { addTotals } from "./values/add-totals.ts";
import { textOf } from "./values/row.ts";
import { encodeId } from "./values/sequence-id.ts";
import type { Tables } from "./tables/tables.ts";
import type { Conversation } from "./tables/conversation-table.ts";
import type { RunningTurn } from "./tables/turn-table.ts";
import { SETTLED_RETENTION_MS } from "./inbox-retention.ts";
import { MAX_KEPT_REQUESTS, REQUEST_RETENTION_MS } from "./request-retention.ts";

/** Rows that one call of maintenance removes from a table at most. */
const PRUNE_LIMIT = 500;

/** The changes that touch several tables. Call each inside one transaction of the writer; it does all of its work or throws. */
export class Transactions {
  readonly #tables: Tables;
  readonly #clock: Clock;

  constructor(tables: Tables, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
  }

  acceptInput(message: MsgContext, options: Parameters<InboxStore["acceptInput"]>[1]): AcceptedInput {
    const { accounts, conversations, inbox, moves } = this.#tables;
    const { progress, move, others, receivedAtMs } = options;
    if (progress !== undefined) accounts.commit(message.origin, progress);
    const first = inbox.accept(message, options);
    if (first.type === "duplicate") return first;
    const accepted = others === undefined ? first : { ...first, others: this.#acceptOthers(first.input, others, receivedAtMs) };
    if (move === undefined) return accepted;
    const hasSession = move.unlessSession !== undefined && conversations.hasEntries(move.unlessSession);
    return { ...accepted, ...withoutUndefined({ move: moves.add(message.origin, { to: move.to, hasSession, atMs: receivedAtMs }) }) };
  }

  #acceptOthers(first: InputRecord, { parts, isOrdered }: OtherParts, receivedAtMs: number): readonly InputRecord[] {
    const accepted: InputRecord[] = [];
    for (const { message, admission } of parts) {
      const after = (accepted.at(-1) ?? first).id;
      const broadcast: BroadcastPart = { ...admission.broadcast, first: first.id, ...(isOrdered ? { after } : {}) };
      const { type, input } = this.#tables.inbox.accept(message, { admission: { ...admission, broadcast }, receivedAtMs });
      if (type === "accepted") accepted.push(input);
    }
    return accepted;
  }

  settleInputs(ids: readonly string[], state: TerminalInputState, { outbox = [], transcript }: InputAnswer): SettledInputs {
    const atMs = this.#clock.now();
    this.#tables.inbox.settle(ids, state, { from: "waiting", atMs });
    const conversation = transcript === undefined ? undefined : this.#tables.conversations.find(transcript.sessionId);
    return {
      outbox: this.#tables.outbox.add(outbox, { atMs, inputIds: ids }),
      entries: conversation === undefined ? [] : this.#append(conversation, transcript?.entries ?? [], atMs),
    };
  }

  requestPairing(pairing: NewPairing, options: Parameters<PairingStore["requestPairing"]>[1]): PairingRequest {
    const { pairings } = this.#tables;
    const { inputId, nowMs, maxPending, reply } = options;
    const before = pairings.stateOf(pairing, nowMs);
    const isNew = before === undefined && pairings.countPending(pairing, nowMs) < maxPending;
    const stored = isNew ? pairings.insert(pairing, nowMs) : undefined;
    const reason = stored === undefined ? "the sender is not admitted" : "the sender got a pairing code";
    const { outbox } = this.settleInputs([inputId], { type: "ignored", reason }, { outbox: stored === undefined ? [] : reply });
    if (stored !== undefined) return { type: "created", pairing: stored, outbox };
    if (before === "approved") return { type: "admitted" };
    return { type: before === undefined ? "full" : "known" };
  }

  approvePairing(
    code: string,
    { nowMs, reply }: Parameters<PairingStore["approvePairing"]>[1],
  ): Awaited<ReturnType<PairingStore["approvePairing"]>> {
    return { pairing: this.#tables.pairings.approve(code, nowMs), outbox: this.#tables.outbox.add(reply, { atMs: this.#clock.now() }) };
  }

  startTurn(start: NewTurn): StartedTurn {
    const { sessions, spawns, turns, inbox, prompts } = this.#tables;
    const opened = sessions.open(start.session, start.startedAtMs);
    const conversation = this.#conversationOf(opened.sessionId);
    const turn = turns.insert(start, conversation);
    inbox.claim(start.inputIds, turn.n);
    if (start.kind === "subagent") {
      spawns.begin(start.session.key, start.startedAtMs);
      inbox.dropHistory(start.inputIds);
    }
    inbox.settleShown(start.shownEventIds ?? [], start.startedAtMs);
    if (start.prompt !== undefined) prompts.save(conversation, start.prompt);
    const touched = sessions.touch(opened, start.touch, start.startedAtMs);
    const entries = this.#append(conversation, start.entries, start.startedAtMs, turn);
    const record: TurnRecord = {
      id: start.id,
      number: turn.number,
      sessionKey: touched.key,
      sessionId: touched.sessionId,
      agentId: touched.agentId,
      kind: start.kind,
      origin: start.origin,
      owner: start.owner,
      inputIds: start.inputIds,
      ...withoutUndefined({ replyTo: start.replyTo }),
      state: "running",
      attempts: 1,
      starts: 1,
      soloStarts: 0,
      startedAtMs: start.startedAtMs,
      usage: NO_USAGE_TOTALS,
    };
    const isCompacted = start.entries.some(({ type }) => type === "compaction");
    return { turn: record, session: isCompacted ? sessions.require(touched.key) : touched, entries };
  }

  joinTurn(turnId: string, options: Parameters<Store["joinTurn"]>[1]): readonly TranscriptEntry[] {
    const { conversations, inbox, turns } = this.#tables;
    const turn = turns.requireRunning(turnId);
    inbox.claim(options.inputIds, turn.n);
    turns.join(turn, options.inputIds);
    return this.#append(conversations.read(turn.conversation), options.entries, options.timestampMs, turn);
  }

  appendToTurn(turnId: string, options: Parameters<Store["appendToTurn"]>[1]): readonly TranscriptEntry[] {
    const { conversations, turns } = this.#tables;
    const turn = turns.requireRunning(turnId);
    turns.writeJournal(turn, options.journal ?? []);
    if (options.entries.length > 0) turns.recordProgress(turn);
    const conversation = conversations.read(turn.conversation);
    this.#tables.requests.add(turn, conversation.sessionId, options.requests ?? []);
    return this.#append(conversation, options.entries, options.timestampMs, turn);
  }

  appendSpawns(turnId: string, options: Parameters<Store["appendSpawns"]>[1]): Awaited<ReturnType<Store["appendSpawns"]>> {
    const entries = this.appendToTurn(turnId, options);
    return { entries, inputs: this.#startSpawns(options.spawns, options.timestampMs) };
  }

  endSpawn(end: SpawnEnd): EndedSpawn | undefined {
    const { inbox, sessions, spawns } = this.#tables;
    const open = spawns.readOpen(end.id);
    if (open === undefined) return undefined;
    const { report } = end;
    const isHeard = sessions.read(open.parentKey)?.sessionId === open.parentSessionId && this.#isAtWork(open.parentKey);
    const input =
      report === undefined || !isHeard
        ? undefined
        : inbox.accept(report.message, { admission: report.admission, receivedAtMs: end.endedAtMs }).input;
    const isTold = input !== undefined || report === undefined || report.admission.isEvent === true;
    const spawn = spawns.end(end, { isAnnounced: isTold });
    if (end.idleUntilMs === undefined) sessions.expire(open.childKey, end.expiresAtMs);
    return spawn === undefined ? undefined : { spawn, ...withoutUndefined({ input }) };
  }

  /** False for the session of an ended sub-agent: its inputs are not read. */
  #isAtWork(sessionKey: string): boolean {
    const spawn = this.#tables.spawns.ofChild(sessionKey);
    return spawn === undefined || isOpenSpawn(spawn);
  }

  #startSpawns(started: readonly NewSpawn[], receivedAtMs: number): readonly InputRecord[] {
    const { inbox, spawns } = this.#tables;
    return started.map(({ spawn, input: { message, admission } }) => {
      spawns.add(spawn);
      return inbox.accept(message, { admission, receivedAtMs }).input;
    });
  }

  /** A session that was reset meanwhile keeps its new counters: the run belonged to the previous conversation. */
  endTurn(end: TurnEnd): EndedTurn {
    const { conversations, inbox, outbox, sessions, turns } = this.#tables;
    const turn = turns.requireRunning(end.turnId);
    const conversation = conversations.read(turn.conversation);
    turns.end(turn, end);
    turns.clearJournal(turn);
    this.#tables.requests.add(turn, conversation.sessionId, end.requests ?? []);
    if (end.inputState.type === "waiting") inbox.release(turn.inputIds);
    else inbox.settle(turn.inputIds, end.inputState, { from: "claimed", atMs: end.endedAtMs });
    const entries = this.#append(conversation, end.entries, end.endedAtMs, turn);
    if (end.state === "aborted") outbox.withdrawReplies(turn.n, end.endedAtMs);
    const rows = outbox.add(end.outbox, { turn: turn.n, atMs: end.endedAtMs });
    if (end.announcement !== undefined) this.appendEntry(end.announcement.sessionId, end.announcement.body, end.endedAtMs);
    this.#chargeTotals(end.usage);
    const current = sessions.require(turn.sessionKey);
    const isCurrent = current.sessionId === conversation.sessionId;
    const session = isCurrent ? sessions.charge(current, end) : current;
    const inputs = this.#startSpawns(end.spawns ?? [], end.endedAtMs);
    const ended = end.spawnEnd === undefined ? undefined : this.endSpawn(end.spawnEnd);
    const followUp =
      end.followUp === undefined
        ? undefined
        : inbox.accept(end.followUp.message, { admission: end.followUp.admission, receivedAtMs: end.endedAtMs }).input;
    return { entries, outbox: rows, session, inputs, ...withoutUndefined({ followUp, ended }) };
  }

  resumeTurns(): readonly TurnRecord[] {
    const nowMs = this.#clock.now();
    return this.#tables.turns.resume((turn) => {
      this.#tables.inbox.abandon(turn.n, nowMs);
      this.#tables.turns.abandon(turn, nowMs);
    });
  }

  appendEntry(sessionId: string, body: TranscriptBody, timestampMs: number): TranscriptEntry {
    const known = body.type === "notice" && body.key !== undefined ? this.#tables.transcripts.findKeyed(body.key) : undefined;
    if (known !== undefined) return known;
    const [entry] = this.#append(this.#conversationOf(sessionId), [body], timestampMs);
    if (entry === undefined) throw new StoreError("internal", "The entry was not appended.");
    return entry;
  }

  branch(sessionId: string, options: Parameters<Store["branchTranscript"]>[1]): TranscriptEntry {
    const known = this.#tables.transcripts.findKeyed(options.key);
    if (known !== undefined) return known;
    const conversation = this.#conversationOf(sessionId);
    const after = this.#tables.transcripts.branches.placeBefore(conversation, options.before);
    return this.appendEntry(sessionId, { ...branchAfter(after), key: options.key }, options.timestampMs);
  }

  chooseBranch(sessionId: string, options: Parameters<Store["chooseBranch"]>[1]): TranscriptEntry | undefined {
    const end = this.#tables.transcripts.branches.endOf(this.#conversationOf(sessionId), options.entryId);
    return end === undefined ? undefined : this.appendEntry(sessionId, branchAfter(end), options.timestampMs);
  }

  savePrompt(prompt: PromptRecord): void {
    this.#tables.prompts.save(this.#conversationOf(prompt.sessionId), prompt);
  }

  addOutbound(
    rows: readonly NewOutbound[],
    { turnId, notice }: NonNullable<Parameters<OutboxStore["addOutbound"]>[1]> = {},
  ): readonly OutboxRecord[] {
    const atMs = this.#clock.now();
    if (notice !== undefined) this.appendEntry(notice.sessionId, notice.body, atMs);
    if (turnId === undefined) return this.#tables.outbox.add(rows, { atMs });
    return this.#tables.outbox.add(rows, { atMs, turn: this.#tables.turns.sequenceOf(turnId) });
  }

  /** Appends entries to an import. `ids`: maps the ids of the file to the stored ones. */
  appendImported(n: number, entries: readonly ImportedEntry[], ids: Map<string, string>): void {
    const { conversations, transcripts } = this.#tables;
    for (const { id, body, timestampMs } of entries) {
      const [stored] = transcripts.append(conversations.read(n), [withNewIds(body, ids)], { atMs: timestampMs });
      if (stored !== undefined && id !== undefined) ids.set(id, stored.id);
    }
  }

  deleteSession(key: string, nowMs: number): readonly string[] {
    const { conversations, sessions, spawns, turns } = this.#tables;
    const deleted = conversations.ofKey(key);
    if (deleted.some((conversation) => turns.isBusy(conversation))) {
      throw new StoreError("conflict", `A turn of ${key} is running. Stop it first.`);
    }
    if (!sessions.remove(key)) return [];
    spawns.removeChild(key);
    for (const conversation of deleted) this.#removeConversation(conversation, nowMs);
    return deleted.map(({ sessionId }) => sessionId);
  }

  deleteConversation(sessionId: string, nowMs: number): boolean {
    const { conversations, sessions, turns } = this.#tables;
    const conversation = conversations.find(sessionId);
    if (conversation === undefined) return false;
    if (turns.isBusy(conversation) || sessions.read(conversation.sessionKey)?.sessionId === sessionId) {
      throw new StoreError("conflict", `The conversation ${sessionId} goes on.`);
    }
    this.#removeConversation(conversation, nowMs);
    return true;
  }

  prune(options: MaintenanceOptions): boolean {
    const inputs = this.#tables.inbox.prune(options.nowMs - (options.keepInputsMs ?? SETTLED_RETENTION_MS), PRUNE_LIMIT);
    const outbound = this.#tables.outbox.prune(options.nowMs - (options.keepOutboxMs ?? SETTLED_RETENTION_MS), PRUNE_LIMIT);
    const requests = this.#tables.requests.prune({
      beforeMs: options.nowMs - (options.keepRequestsMs ?? REQUEST_RETENTION_MS),
      keep: options.keepRequests ?? MAX_KEPT_REQUESTS,
      limit: PRUNE_LIMIT,
    });
    const state = this.#tables.accounts.pruneExpired(options.nowMs, PRUNE_LIMIT);
    const pairings = this.#tables.pairings.prune(options.nowMs, PRUNE_LIMIT);
    const approvals = this.#tables.approvals.prune(options.nowMs - (options.keepInputsMs ?? SETTLED_RETENTION_MS), PRUNE_LIMIT);
    const spawns = this.#tables.spawns.prune(options.nowMs - (options.keepInputsMs ?? SETTLED_RETENTION_MS), PRUNE_LIMIT);
    return (
      inputs >= PRUNE_LIMIT ||
      spawns === PRUNE_LIMIT ||
      approvals === PRUNE_LIMIT ||
      state === PRUNE_LIMIT ||
      pairings === PRUNE_LIMIT ||
      outbound === PRUNE_LIMIT ||
      requests >= PRUNE_LIMIT
    );
  }

  #removeConversation(conversation: Conversation, nowMs: number): void {
    const { checkpoints, database, prompts, requests, transcripts, turns } = this.#tables;
    checkpoints.removeConversation(conversation.sessionId);
    requests.remove(conversation);
    turns.remove(conversation);
    prompts.remove(conversation);
    transcripts.remove(conversation);
    const { sessionId, agentId } = conversation;
    database.run("INSERT INTO deleted_copies (session_id, agent_id, deleted_at) VALUES (?, ?, ?)", sessionId, agentId, nowMs);
  }

  #conversationOf(sessionId: string): Conversation {
    const conversation = this.#tables.conversations.find(sessionId);
    if (conversation === undefined) throw new StoreError("not-found", `There is no session id ${sessionId}.`);
    return conversation;
  }

  #append(conversation: Conversation, bodies: readonly TranscriptBody[], atMs: number, turn?: RunningTurn): readonly TranscriptEntry[] {
    const entries = this.#tables.transcripts.append(conversation, bodies, turn === undefined ? { atMs } : { atMs, turn });
    const compactions = bodies.filter((body) => body.type === "compaction").length;
    if (compactions > 0) this.#countCompactions(conversation, compactions);
    return entries;
  }

  #countCompactions(conversation: Conversation, count: number): void {
    const session = this.#tables.sessions.read(conversation.sessionKey);
    if (session?.sessionId === conversation.sessionId) this.#tables.sessions.countCompactions(session.key, count);
  }

  #chargeTotals(usage: UsageTotals): void {
    const { database } = this.#tables;
    const row = database.get("SELECT usage FROM totals WHERE id = 1");
    const before = row === undefined ? NO_USAGE_TOTALS : (JSON.parse(textOf(row, "usage")) as UsageTotals);
    database.run("UPDATE totals SET usage = ? WHERE id = 1", JSON.stringify(addTotals(before, usage)));
  }
}

function branchAfter(entry: number): Extract<TranscriptBody, { type: "branch" }> {
  return { type: "branch", ...(entry === 0 ? {} : { after: encodeId("e", entry) }) };
}

/** Maps the entry ids in a compaction or a replacement from those of the file to the stored ones. */
function withNewIds(body: TranscriptBody, ids: ReadonlyMap<string, string>): TranscriptBody {
  if (body.type === "replacement")
    return { ...body, messages: body.messages.map((one) => ({ ...one, entryId: ids.get(one.entryId) ?? one.entryId })) };
  if (body.type === "branch") return body.after === undefined ? body : { type: "branch", after: ids.get(body.after) ?? body.after };
  // A key identifies the subject of the notice only in the store that it came from.
  if (body.type === "notice") {
    const { key: _key, ...kept } = body;
    return kept;
  }
  if (body.type !== "compaction") return body;
  const firstKeptEntryId = ids.get(body.message.firstKeptEntryId) ?? body.message.firstKeptEntryId;
  return { type: "compaction", message: { ...body.message, firstKeptEntryId } };
}
