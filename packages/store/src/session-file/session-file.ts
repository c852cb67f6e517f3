import type { JsonObject, UsageTotals } from "@factotum/agent-contract";
import type { ImportedEntry } from "../port/session-store.ts";

/** A problem of a file, or an omission. */
export type SessionFileProblem =
  /** The last line was cut off; everything before it is there. */
  | { readonly type: "torn-tail"; readonly line: number }
  | { readonly type: "unreadable-line"; readonly line: number }
  | { readonly type: "no-header" }
  | { readonly type: "newer-version"; readonly version: number }
  /** A compaction whose first kept entry is not in the file; more was kept than it says. */
  | { readonly type: "lost-cut" }
  /** Entries that are no part of a conversation here. */
  | { readonly type: "left-out"; readonly kind: string; readonly count: number }
  /** Entries of branches that were left behind. */
  | { readonly type: "other-branch"; readonly count: number };

/** The facts of a session file before its entries are read. */
export interface SessionFileFacts {
  /** False when there is neither a header nor an entry: then it is no session file, or nothing is left of it. */
  readonly isReadable: boolean;
  readonly version: number;
  readonly sessionId?: string;
  readonly startedAtMs?: number;
  readonly cwd?: string;
  /** Of a file that we have exported: the key it had, and what its session knew, as one entry of a `sessions.json`. */
  readonly session?: { readonly key: string; readonly entry: JsonObject };
  readonly problems: readonly SessionFileProblem[];
  /** Of the conversation's current branch. */
  readonly count: number;
  readonly compactionCount: number;
  /** The sum over its answers. */
  readonly usage: UsageTotals;
  /** Times of the first and the last entry. */
  readonly firstMs?: number;
  readonly lastMs?: number;
}

/** A session file whose entries are read as they are asked for. */
export interface SessionFile extends SessionFileFacts {
  /** The conversation's current branch, in its order; only what a later entry refers to has an id. Can be read once; rejects with `invalid` when the file was changed since its facts were read. */
  readonly entries: AsyncIterable<ImportedEntry>;
}

/** A session file that was read as a whole. */
export interface ParsedSessionFile extends SessionFileFacts {
  /** The conversation's current branch, in its order. */
  readonly entries: readonly ImportedEntry[];
}
