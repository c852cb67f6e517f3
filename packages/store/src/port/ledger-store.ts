import type { NoteEntrySource } from "@factotum/agent-contract";
import type { Page } from "./page.ts";
import type { RequestBody, RequestRecord, RequestUsage, SpendCharge, SpendRecord, TreeSpend } from "./ledger-records.ts";

/** A request that has ended. Its texts are either a prompt of the session (by hash) and the conversation, or its own body. */
export type NewRequest = Omit<RequestRecord, "id" | "sessionId" | "turnId" | "turnNumber" | "kind" | "promptHash"> &
  ({ readonly promptHash: string; readonly body?: never } | { readonly body: RequestBody; readonly promptHash?: never });

/** A file of notes in an agent's workspace. */
export interface NotesFile {
  readonly agentId: string;
  /** Relative to the workspace. */
  readonly file: string;
}

/** Model requests and their cost, and the provenance of note files. */
export interface LedgerStore {
  /** Stored requests of a session id, or of one turn, newest first. `cursor` leads to older ones: pass it, or the id of a request, as `before`. */
  listRequests(filter: {
    readonly sessionId: string;
    readonly turnId?: string;
    readonly before?: string;
    readonly limit: number;
  }): Promise<Page<RequestRecord>>;
  /** Stored requests of all sessions that were sent in a time, newest first; `before` is the `cursor` of the page before. */
  listRequestUsage(filter: {
    readonly fromMs: number;
    /** Exclusive. */
    readonly toMs: number;
    readonly before?: string;
    readonly limit: number;
  }): Promise<Page<RequestUsage>>;
  /** When the oldest stored request was sent; undefined without stored requests. */
  oldestRequestMs(): Promise<number | undefined>;
  /** Undefined if it was never stored, or was pruned. */
  readRequest(id: string): Promise<RequestRecord | undefined>;
  /** The body of a stored request; undefined if it was made from its conversation, or is damaged. */
  readRequestBody(id: string): Promise<RequestBody | undefined>;
  /** Adds usage of an agent for a cause on a day. With `mayWait` the write is deferrable and shares the flush of another write. */
  addSpend(charge: SpendCharge, options?: { readonly mayWait?: boolean }): Promise<void>;
  /** The usage of an agent on a day, by cause. */
  readSpend(day: string, agentId: string): Promise<readonly SpendRecord[]>;
  /** The usage of all agents from one day to another, both included, by day, agent and cause. */
  listSpend(fromDay: string, toDay: string): Promise<readonly SpendRecord[]>;
  /** The usage of a tree; zero for one that is unknown, or was last charged more than 30 days before another one began. */
  readTreeSpend(treeId: string): Promise<TreeSpend>;
  /** Remembers blocks of a file of notes that a tainted turn wrote, by their digests (R23). */
  addTaintedBlocks(file: NotesFile, digests: readonly string[]): Promise<void>;
  /** True if tainted turns wrote blocks of any file of notes. */
  hasTaintedBlocks(): Promise<boolean>;
  /** Digests of the blocks of a file that tainted turns wrote. */
  readTaintedBlocks(file: NotesFile): Promise<ReadonlySet<string>>;
  /**
   * Remembers who wrote entries of a file of notes; one that is known keeps its first source. `present` are the digests of all entries that the file then has: of
   * a file with more than 2,000 rows, those of others go first.
   */
  addNoteEntries(file: NotesFile, entries: readonly NoteEntrySource[], present: readonly string[]): Promise<void>;
  /** Who wrote the entries of a file, oldest first; also of entries that are no longer there. */
  readNoteEntries(file: NotesFile): Promise<readonly NoteEntrySource[]>;
}
