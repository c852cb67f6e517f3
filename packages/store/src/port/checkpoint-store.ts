/** What a file was before a turn changed it. */
export type CheckpointBefore =
  | { readonly type: "absent" }
  /** `digest` names the copy, in a folder of the gateway. */
  | { readonly type: "kept"; readonly digest: string; readonly sizeBytes: number; readonly mode: number }
  /** It was too large to be kept, or there was no space. */
  | { readonly type: "not-kept"; readonly sizeBytes: number };

/** One file that a turn changed, as it was before. */
export interface CheckpointRecord {
  readonly id: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly turnId: string;
  /** The turn was the owner's. */
  readonly owner: boolean;
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  readonly before: CheckpointBefore;
  /** Digests of the last two states that the turn gave the file, oldest first; `absent` for a removal. */
  readonly written: readonly string[];
  /** Something else changed the file between two changes of the turn. */
  readonly isMixed: boolean;
  /** It was not restored, because something else had changed the file; only a forced restoration includes it. */
  readonly isRefused: boolean;
  readonly createdAtMs: number;
}

/** A file that a turn is about to change. */
export type NewCheckpoint = Omit<CheckpointRecord, "id" | "isRefused">;

/** Limits of what is kept, in bytes; each file counts at least 16 KiB. */
export interface CheckpointLimits {
  readonly maxSessionBytes: number;
  readonly maxTotalBytes: number;
}

/** The result of saving. */
export interface SavedCheckpoints {
  /** The turn alone exceeds the limits. */
  readonly isOverLimit: boolean;
  /** Digests of removed rows to which no row refers any more. */
  readonly orphans: readonly string[];
}

/** What files held before turns changed them. The contents are files of the gateway, named by digest. */
export interface CheckpointStore {
  /** The files that a turn has changed so far. */
  readCheckpoints(turnId: string): Promise<readonly CheckpointRecord[]>;
  /**
   * Adds rows of one turn, or replaces those of the same path; then removes whole turns, oldest first, until the session and everything is within the limits,
   * but never the turn itself. One commit.
   */
  saveCheckpoints(checkpoints: readonly NewCheckpoint[], limits: CheckpointLimits): Promise<SavedCheckpoints>;
  /** The files of the newest turns of a session that have any, newest turn first; `limit` counts turns. */
  listCheckpoints(sessionKey: string, options: { readonly limit: number }): Promise<readonly CheckpointRecord[]>;
  /** Removes rows, and marks others as refused, in one commit. Resolves with the digests to which no row refers any more. */
  settleCheckpoints(settled: { readonly removed: readonly string[]; readonly refused: readonly string[] }): Promise<readonly string[]>;
  /** Of these digests, those that a row refers to. */
  findCheckpointDigests(digests: readonly string[]): Promise<ReadonlySet<string>>;
}
