import type { UsageTotals } from "@factotum/agent-contract";
import type { MessageId, MsgContext, Origin } from "@factotum/channel-contract";
import type { PendingCommit } from "./pending-commit.ts";
import type {
  ConversationRecord,
  DeadLetter,
  InputAdmission,
  InputRecord,
  OutboxRecord,
  OutboxTransition,
  PromptRecord,
  RequestBody,
  RequestRecord,
  SessionOverrides,
  SessionRecord,
  SessionTrust,
  SpendCharge,
  SpendRecord,
  StoredOutbound,
  TerminalInputState,
  ToolJournalRecord,
  TranscriptBody,
  TranscriptEntry,
  TurnRecord,
  TurnState,
} from "./records.ts";

/** A new row of the outbox. */
export interface NewOutbound {
  readonly sessionKey: string;
  readonly target: Origin;
  readonly outbound: StoredOutbound;
  readonly purpose: OutboxRecord["purpose"];
  /** Unique in the store: a second row with the same key is not made, the first one is returned. */
  readonly idempotencyKey: string;
  readonly dueAtMs: number;
  readonly expiresAtMs: number;
  readonly covers?: OutboxRecord["covers"];
  /** `sending` takes custody in the same commit: the caller sends it at once. */
  readonly state: "waiting" | "sending" | "suppressed";
}

/** The start of a turn. */
export interface NewTurn {
  readonly id: string;
  /** Created, with these values, when the key is new; else only `touch` is applied. */
  readonly session: NewSession;
  readonly touch: SessionTouch;
  readonly kind: TurnRecord["kind"];
  readonly origin: Origin;
  readonly owner: boolean;
  readonly inputIds: readonly string[];
  readonly replyTo?: MessageId;
  /** The user's entry, as it will be sent. */
  readonly entries: readonly TranscriptBody[];
  /** Stored when it was rendered for this turn. */
  readonly prompt?: Omit<PromptRecord, "sessionId">;
  readonly startedAtMs: number;
}

/** A session to be made. */
export interface NewSession {
  readonly key: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly isPrivate: boolean;
  readonly displayName: string;
  readonly spawnedBy?: string;
  readonly expiresAtMs?: number;
}

/** The changes to the session at a turn's start. */
export interface SessionTouch {
  readonly interactedAtMs?: number;
  readonly lastOrigin?: Origin;
  /** Set once anyone but the owner has written; only a reset clears it. */
  readonly endsPrivacy?: boolean;
  /** The turn writes the notes that a compaction is preceded by. */
  readonly memoryFlushAtMs?: number;
}

/** A request that has ended. Its texts are a prompt of the session, by its hash, and the conversation; or it brings them along. */
export type NewRequest = Omit<RequestRecord, "id" | "sessionId" | "turnId" | "turnNumber" | "kind" | "promptHash"> &
  ({ readonly promptHash: string; readonly body?: never } | { readonly body: RequestBody; readonly promptHash?: never });

/** A turn that has begun. */
export interface StartedTurn {
  readonly turn: TurnRecord;
  readonly session: SessionRecord;
  readonly entries: readonly TranscriptEntry[];
}

/** An input that was brought, and whether it was there before. */
export interface AcceptedInput {
  readonly type: "accepted" | "duplicate";
  readonly input: InputRecord;
}

/** The end of a turn, in one commit. */
export interface TurnEnd {
  readonly turnId: string;
  readonly state: "done" | "aborted" | "failed";
  readonly failure?: TurnRecord["failure"];
  readonly entries: readonly TranscriptBody[];
  readonly outbox: readonly NewOutbound[];
  readonly requests?: readonly NewRequest[];
  /** Usage of the whole run; added to the session's. */
  readonly usage: UsageTotals;
  /** Applied to every input of the turn. `waiting`: another turn is to begin with it, and this one has it no more. */
  readonly inputState: TerminalInputState | { readonly type: "waiting" };
  /** The turn was a person's, who has talked here until now. */
  readonly interactedAtMs?: number;
  /** The turn was to write the notes that a compaction is preceded by, and made way: they are still to be written. */
  readonly forgetsMemoryFlush?: boolean;
  readonly endedAtMs: number;
}

/** A change of a session's settings. `null` clears a value. */
export interface SessionPatch {
  readonly label?: string | null;
  readonly displayName?: string;
  readonly overrides?: { readonly [Name in keyof SessionOverrides]?: SessionOverrides[Name] | null };
  readonly trust?: SessionTrust | null;
}

/** An entry from elsewhere. */
export interface ImportedEntry {
  /** One of its file, by which later entries refer to it; the store gives it another. */
  readonly id?: string;
  readonly timestampMs: number;
  /** A compaction names its first kept entry by that entry's id here. */
  readonly body: TranscriptBody;
}

/** A session from elsewhere, with its entries in their order. */
export interface ImportedSession extends SessionRecord {
  /** Read as they are stored, so that a long session is never in memory as a whole. */
  readonly entries: Iterable<ImportedEntry> | AsyncIterable<ImportedEntry>;
}

/** How a session is imported. */
export interface ImportOptions {
  /** Only finds out whether it could be stored: reads no entries and keeps nothing. */
  readonly isTrial?: boolean;
  /** Ends the import, of which nothing stays then. */
  readonly signal?: AbortSignal;
}

/** How much of a context is read, in characters. */
export interface ContextBounds {
  /** Of texts; the data of images is not counted. */
  readonly maxChars: number;
  /** Of the data of images, and the text that stands for each image beyond that. */
  readonly images: { readonly maxChars: number; readonly text: string };
}

/** The newest part of a context. */
export interface RecentContext {
  /** The compaction first, then messages and replacements, oldest first. */
  readonly entries: readonly TranscriptEntry[];
  /** How many entries of the context are older and left out. */
  readonly omitted: number;
}

/** A file of notes in an agent's workspace. */
export interface NotesFile {
  readonly agentId: string;
  /** Relative to the workspace. */
  readonly file: string;
}

/** What maintenance may forget. */
export interface MaintenanceOptions {
  readonly nowMs: number;
  /** How long a settled input is remembered, for redeliveries (R2). 14 days by default. */
  readonly keepInputsMs?: number;
  /** How long a settled row of the outbox is remembered. 14 days by default. */
  readonly keepOutboxMs?: number;
  /** How long the plain file of a deleted session is kept. 30 days by default. */
  readonly keepDeletedCopiesMs?: number;
  /** How long a model request is kept, for reports. 30 days by default. */
  readonly keepRequestsMs?: number;
  /** How many model requests are kept in all. 20,000 by default. */
  readonly keepRequests?: number;
}

/** A page of a list. `cursor` is there when more follows. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly cursor?: string;
}

/** Numbers for `status`; each is a count by index, not a scan. */
export interface StoreCounts {
  readonly sessions: number;
  readonly inputsWaiting: number;
  readonly inputsDead: number;
  /** Rows that are not settled, whether custody of them was taken or not. */
  readonly outboxWaiting: number;
  /** When the oldest of these was written; absent when there is none. */
  readonly outboxOldestMs?: number;
  readonly outboxDead: number;
  readonly outboxAmbiguous: number;
  readonly usage: UsageTotals;
}

/** What is said about inputs in the commit that ends them. */
export interface InputAnswer {
  readonly outbox?: readonly NewOutbound[];
  readonly transcript?: { readonly sessionId: string; readonly entries: readonly TranscriptBody[] };
}

/** What the end of inputs has stored. */
export interface SettledInputs {
  readonly outbox: readonly OutboxRecord[];
  readonly entries: readonly TranscriptEntry[];
}

/**
 * Everything durable. One process owns a store; every method that changes something is one transaction, and it resolves only when that is on disk;
 * those whose name ends in `Ahead` resolve before. Transactions that are ready at the same time may share one flush. Rejects with a `StoreError`.
 *
 * Writers are fenced: after another process has opened the store, every write of this one rejects with `lost-ownership`.
 */
export interface Store {
  /** Takes an input, once for (channel, account, conversation, event id), and the account's cursor with it (R2). */
  acceptInput(
    message: MsgContext,
    options: { readonly admission: InputAdmission; readonly receivedAtMs: number; readonly cursor?: string },
  ): Promise<AcceptedInput>;
  /** The same ahead of its commit. Nobody may be told that the input arrived before that. */
  acceptInputOptimistic(...parameters: Parameters<Store["acceptInput"]>): Promise<PendingCommit<AcceptedInput>>;
  readCursor(channel: string, accountId: string): Promise<string | undefined>;
  /** Oldest first. */
  listInputs(filter: {
    readonly state: InputRecord["state"]["type"];
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<InputRecord>>;
  readInput(id: string): Promise<InputRecord | undefined>;
  /**
   * Counts one more attempt to begin the turn of inputs that an earlier process left waiting, and resolves with the highest count. The first attempt is not
   * written, so every input begins with one.
   */
  beginInputs(ids: readonly string[]): Promise<number>;
  /** Takes the attempt back of inputs that wait and are left in good order: it was not they that ended the process. */
  releaseInputs(ids: readonly string[]): Promise<void>;
  /** Ends inputs that get no turn. The rows of `outbox` name them. Entries for a session that was deleted meanwhile are left out. */
  settleInputs(ids: readonly string[], state: TerminalInputState, answer?: InputAnswer): Promise<SettledInputs>;

  /** Begins a turn: session, claimed inputs, user entry and prompt in one commit. Rejects with `conflict` if an input is not waiting. */
  startTurn(turn: NewTurn): Promise<StartedTurn>;
  /** The same ahead of its commit, which it shares with an input that was accepted ahead just before. Nobody may be shown anything of the turn before that. */
  startTurnOptimistic(turn: NewTurn): Promise<PendingCommit<StartedTurn>>;
  /** Adds inputs that were steered into a running turn, with their user entries. */
  joinTurn(
    turnId: string,
    options: { readonly inputIds: readonly string[]; readonly entries: readonly TranscriptBody[]; readonly timestampMs: number },
  ): Promise<readonly TranscriptEntry[]>;
  /** Appends what a turn has completed, and writes the journal of tool calls, in one commit. An entry sets `attempts` back to one. */
  appendToTurn(
    turnId: string,
    options: {
      readonly entries: readonly TranscriptBody[];
      readonly journal?: readonly Omit<ToolJournalRecord, "turnId">[];
      /** Requests that have ended since the last commit of the turn. */
      readonly requests?: readonly NewRequest[];
      readonly timestampMs: number;
    },
  ): Promise<readonly TranscriptEntry[]>;
  /**
   * The final commit: last entries, outbox, usage, inputs. Ending an ended turn rejects with `conflict`. Of a turn that was aborted no reply leaves any
   * more: its rows that wait are suppressed.
   */
  endTurn(
    end: TurnEnd,
  ): Promise<{ readonly entries: readonly TranscriptEntry[]; readonly outbox: readonly OutboxRecord[]; readonly session: SessionRecord }>;
  /** Turns that were running when the last process ended, oldest first. */
  resumeTurns(): Promise<readonly TurnRecord[]>;
  /**
   * Counts one more attempt of a running turn and resolves with it; `undefined` when it runs no more. `isSolo`: no other resumed turn runs at the same
   * time. Rejects with `not-found`, and with `damaged`.
   */
  beginAttempt(turnId: string, options?: { readonly isSolo?: boolean }): Promise<TurnRecord | undefined>;
  /** Takes the attempt back of a running turn that its process leaves to the next one in good order: it was not the turn that ended that process. */
  releaseAttempt(turnId: string): Promise<void>;
  /**
   * Whether a turn came from this chat of somebody who is not the owner, in the session's conversation of now or an earlier one; of turns that are kept, the
   * newest 10,000 are looked through.
   */
  hasTurnFrom(sessionKey: string, chat: Origin): Promise<boolean>;
  /** Whether a turn that has just been running has rows in the outbox; of all rows, the newest 10,000 are looked through. */
  hasOutbound(turnId: string): Promise<boolean>;
  readTurn(id: string): Promise<TurnRecord | undefined>;
  /** The turn of a session id with this number. */
  findTurn(sessionId: string, number: number): Promise<TurnRecord | undefined>;
  /** How the newest turn of a session id stands, turns of the `except` kinds left out. */
  readLastTurn(sessionId: string, options: { readonly except: readonly TurnRecord["kind"][] }): Promise<TurnState | undefined>;
  /** The journal of a running turn; a turn that has ended needs none. */
  readJournal(turnId: string): Promise<readonly ToolJournalRecord[]>;

  readSession(key: string): Promise<SessionRecord | undefined>;
  /** Exact, then without case if that is unique. */
  findSession(query: { readonly key?: string; readonly label?: string; readonly agentId?: string }): Promise<SessionRecord | undefined>;
  /**
   * Newest activity first; reads at most `limit + 1` rows. `activeSinceMs` leaves out those in which nothing has happened since. With `isWanted` at most
   * 201 rows are read, whatever the limit, and a page can be short though more follow.
   */
  listSessions(filter: {
    readonly agentId?: string;
    readonly activeSinceMs?: number;
    readonly isWanted?: (key: string) => boolean;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<SessionRecord>>;
  /** Makes a session that has no turn yet. The existing one if the key is taken. */
  createSession(session: NewSession, options: { readonly nowMs: number }): Promise<SessionRecord>;
  /** Rejects with `not-found`. */
  patchSession(key: string, patch: SessionPatch, options: { readonly nowMs: number }): Promise<SessionRecord>;
  /** Gives the key a new session id; the old transcript stays, readable by its id. */
  resetSession(
    key: string,
    options: { readonly sessionId: string; readonly isPrivate: boolean; readonly nowMs: number },
  ): Promise<SessionRecord>;
  /**
   * Stores a session from elsewhere, in many small commits between which other work goes on. It is there with the last of them: an import that ends before,
   * by an error, a signal or a crash, leaves nothing. Rejects with `conflict` if the key or the session id is taken.
   */
  importSession(session: ImportedSession, options?: ImportOptions): Promise<SessionRecord>;
  /**
   * Removes a session with every transcript that its key has had; the plain files are renamed to `<id>.jsonl.deleted.<time>`.
   * Gives the session ids that it has had, none if there is no such session; rejects with `conflict` while a turn of it is running. What was said
   * already is still delivered.
   */
  deleteSession(key: string, options: { readonly nowMs: number }): Promise<readonly string[]>;
  /** Sessions in which nothing has happened since `notAfterMs`, the quietest first; reads at most `limit + 1` rows. */
  listIdleSessions(filter: { readonly notAfterMs: number; readonly limit: number; readonly cursor?: string }): Promise<Page<SessionRecord>>;
  /** Every conversation, or those that a key has had, in the order of their beginning; reads at most `limit + 1` of them. */
  listConversations(filter: {
    readonly sessionKey?: string;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<ConversationRecord>>;
  /**
   * Removes a conversation that has ended, as `deleteSession` does. False if there is none; rejects with `conflict` for the one that its session is in,
   * and while a turn of it is running.
   */
  deleteConversation(sessionId: string, options: { readonly nowMs: number }): Promise<boolean>;
  /** Bytes of the store that are in use; the plain files are not counted. */
  usedBytes(): Promise<number>;
  /** Sessions whose `expiresAtMs` has passed. */
  listExpiredSessions(nowMs: number, limit: number): Promise<readonly SessionRecord[]>;

  /** Appends an entry outside any turn. A notice whose key is taken is not written again: the first one is given back. */
  appendEntry(sessionId: string, body: TranscriptBody, options: { readonly timestampMs: number }): Promise<TranscriptEntry>;
  /** The notice with this key, in whatever conversation it stands. */
  findNotice(key: string): Promise<TranscriptEntry | undefined>;
  /** A page that ends before `before` (exclusive), oldest first; reads at most `limit + 1` rows. `cursor` leads to older ones. */
  readTranscript(sessionId: string, options: { readonly before?: string; readonly limit: number }): Promise<Page<TranscriptEntry>>;
  /**
   * What a request is made of: the last compaction first, then every message and replacement from its first kept entry on, oldest first. With `at` it
   * is what a request was made of whose last entry this is.
   */
  readContext(sessionId: string, options?: { readonly at: string }): Promise<readonly TranscriptEntry[]>;
  /**
   * The newest part of the same context: whole messages until their text has `maxChars` characters. Images end nothing: once those of newer messages have
   * `images.maxChars` characters, a text stands for each older one. However long the history is, only that much of its text is read, and other work runs in
   * between.
   */
  readRecentContext(sessionId: string, options: ContextBounds): Promise<RecentContext>;
  /** Yields the whole transcript, page by page, oldest first; with `after` what follows that entry. */
  exportTranscript(sessionId: string, options?: { readonly after: string }): AsyncIterable<TranscriptEntry>;

  savePrompt(prompt: PromptRecord): Promise<void>;
  /** The newest prompt of the session id, or the newest one with this hash that had been rendered by then. */
  readPrompt(sessionId: string, options?: { readonly hash: string; readonly notAfterMs: number }): Promise<PromptRecord | undefined>;

  /** Kept requests of a session id, or of one turn, newest first. `cursor` leads to older ones: pass it, or the id of a request, as `before`. */
  listRequests(filter: {
    readonly sessionId: string;
    readonly turnId?: string;
    readonly before?: string;
    readonly limit: number;
  }): Promise<Page<RequestRecord>>;
  /** Undefined when it was never kept, or is kept no more. */
  readRequest(id: string): Promise<RequestRecord | undefined>;
  /** What a kept request brought along; undefined for one that is made of its conversation, and for what is damaged. */
  readRequestBody(id: string): Promise<RequestBody | undefined>;

  addOutbound(rows: readonly NewOutbound[], options?: { readonly turnId?: string }): Promise<readonly OutboxRecord[]>;
  readOutbound(id: string): Promise<OutboxRecord | undefined>;
  /** The row with this idempotency key. Rejects with `damaged` for one that cannot be read. */
  findOutbound(idempotencyKey: string): Promise<OutboxRecord | undefined>;
  /** Rows that wait or are on the wire, in the order of their ids. */
  listPendingOutbound(options: { readonly limit: number; readonly afterId?: string }): Promise<readonly OutboxRecord[]>;
  /** Takes custody before I/O: `waiting` becomes `sending`, attempts + 1. False if the row was not waiting. */
  claimOutbound(id: string): Promise<boolean>;
  /**
   * Ends a row on the wire that was refused as it is, and adds those that are sent in its place, in one commit. They belong to its turn. Rejects with
   * `conflict` for a row that is not on the wire.
   */
  replaceOutbound(
    id: string,
    rows: readonly NewOutbound[],
    options: { readonly reason: string; readonly nowMs: number },
  ): Promise<readonly OutboxRecord[]>;
  settleOutbound(id: string, transition: OutboxTransition, options: { readonly nowMs: number }): Promise<OutboxRecord>;

  /** Terminal failures, newest first in each of the two types; reads at most `limit + 1` rows of each. */
  listDeadLetters(filter: {
    readonly type?: DeadLetter["type"];
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<DeadLetter>>;
  /** Undefined for what is no dead letter. */
  readDeadLetter(id: string): Promise<DeadLetter | undefined>;
  /** Puts a dead input back to waiting, marked as replayed until it is claimed or settled. Rejects with `conflict` when it is not dead, with `damaged` when it cannot be read. */
  reviveInput(id: string): Promise<InputRecord>;
  /** Puts a given up row back to waiting, with attempts of its own. The same refusals. */
  reviveOutbound(id: string, options: { readonly nowMs: number; readonly expiresAtMs: number }): Promise<OutboxRecord>;
  /**
   * Forgets dead letters: those named, or those that failed before a time, at most 500 at once. Of an input only that it came stays until maintenance
   * forgets it, so that a redelivery is not taken for news (R2). Gives how many were there.
   */
  purgeDeadLetters(
    which: { readonly ids: readonly string[] } | { readonly failedBeforeMs: number },
    options: { readonly nowMs: number },
  ): Promise<number>;

  /** Adds to what an agent has used for a cause on a day. With `mayWait` it is stored a moment later, to share the flush of another write. */
  addSpend(charge: SpendCharge, options?: { readonly mayWait?: boolean }): Promise<void>;
  /** What an agent has used on a day, by cause. */
  readSpend(day: string, agentId: string): Promise<readonly SpendRecord[]>;

  /** Remembers blocks of a file of notes that a tainted turn wrote, by their digests (R23). */
  addTaintedBlocks(file: NotesFile, digests: readonly string[]): Promise<void>;
  /** Digests of the blocks of a file that tainted turns wrote. */
  readTaintedBlocks(file: NotesFile): Promise<ReadonlySet<string>>;

  counts(): Promise<StoreCounts>;
  /** Forgets what is settled and old, a bounded amount per call; true when there is more. Dead letters are never forgotten. */
  maintain(options: MaintenanceOptions): Promise<boolean>;
  /** Writes and flushes something that means nothing. Rejects as every change would, with `full` while nothing can be stored. */
  probe(): Promise<void>;
  /** Waits until the plain copies are complete. */
  flushCopies(): Promise<void>;
  /** Finishes what was begun, completes the copies and closes. Twice is once. */
  close(): Promise<void>;
}
