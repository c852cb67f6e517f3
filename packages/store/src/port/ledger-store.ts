import type { Page } from "./page.ts";
import type { RequestBody, RequestRecord, SpendCharge, SpendRecord } from "./ledger-records.ts";

/** A request that has ended. Its texts are a prompt of the session, by its hash, and the conversation; or it brings them along. */
export type NewRequest = Omit<RequestRecord, "id" | "sessionId" | "turnId" | "turnNumber" | "kind" | "promptHash"> &
  ({ readonly promptHash: string; readonly body?: never } | { readonly body: RequestBody; readonly promptHash?: never });

/** A file of notes in an agent's workspace. */
export interface NotesFile {
  readonly agentId: string;
  /** Relative to the workspace. */
  readonly file: string;
}

/** What was asked of models and what it cost, and whose words a file of notes holds. */
export interface LedgerStore {
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
  /** Adds to what an agent has used for a cause on a day. With `mayWait` it is stored a moment later, to share the flush of another write. */
  addSpend(charge: SpendCharge, options?: { readonly mayWait?: boolean }): Promise<void>;
  /** What an agent has used on a day, by cause. */
  readSpend(day: string, agentId: string): Promise<readonly SpendRecord[]>;
  /** Remembers blocks of a file of notes that a tainted turn wrote, by their digests (R23). */
  addTaintedBlocks(file: NotesFile, digests: readonly string[]): Promise<void>;
  /** True if tainted turns wrote blocks of any file of notes. */
  hasTaintedBlocks(): Promise<boolean>;
  /** Digests of the blocks of a file that tainted turns wrote. */
  readTaintedBlocks(file: NotesFile): Promise<ReadonlySet<string>>;
}
