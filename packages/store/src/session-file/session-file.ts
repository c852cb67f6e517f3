import type { JsonObject, UsageTotals } from "@factotum/agent-contract";
import type { ImportedEntry } from "../port/session-store.ts";

/** A problem of a file, or something that was skipped. */
export type SessionFileProblem =
  /** The last line was cut off; everything before it was read. */
  | { readonly type: "torn-tail"; readonly line: number }
  | { readonly type: "unreadable-line"; readonly line: number }
  | { readonly type: "no-header" }
  | { readonly type: "newer-version"; readonly version: number }
  /** A compaction whose first kept entry is missing; more was kept than it says. */
  | { readonly type: "lost-cut" }
  /** Entries of types that conversations do not have here. */
  | { readonly type: "left-out"; readonly kind: string; readonly count: number }
  /** Entries of abandoned branches. */
  | { readonly type: "other-branch"; readonly count: number };

/** The facts of a session file before its entries are read. */
export interface SessionFileFacts {
  /** False if there is neither a header nor an entry: it is not a session file, or nothing of it is left. */
  readonly isReadable: boolean;
  readonly version: number;
  readonly sessionId?: string;
  readonly startedAtMs?: number;
  readonly cwd?: string;
  /** Of a file exported by us: its key and its session's facts, as one entry of a `sessions.json`. */
  readonly session?: { readonly key: string; readonly entry: JsonObject };
  readonly problems: readonly SessionFileProblem[];
  /** Of the conversation's current branch. */
  readonly count: number;
  readonly compactionCount: number;
  /** The sum over its replies. */
  readonly usage: UsageTotals;
  /** Times of the first and the last entry. */
  readonly firstMs?: number;
  readonly lastMs?: number;
}

/** A session file whose entries are read on demand. */
export interface SessionFile extends SessionFileFacts {
  /**
   * The conversation's current branch, in order; only entries that a later one refers to have an id. Can be read once; rejects with `invalid` if the file was
   * changed since its facts were read.
   */
  readonly entries: AsyncIterable<ImportedEntry>;
}

/** A session file that was read as a whole. */
export interface ParsedSessionFile extends SessionFileFacts {
  /** The conversation's current branch, in order. */
  readonly entries: readonly ImportedEntry[];
}
