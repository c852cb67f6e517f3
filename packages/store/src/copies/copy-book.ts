import type { TranscriptEntry } from "../port/transcript-records.ts";

/** The verified part of a plain file. */
export interface CopyPosition {
  /** Number of the last entry in it. */
  readonly entry: number;
  readonly bytes: number;
}

/** One page of entries to append to one file. */
export interface CopyTask {
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly startedAtMs: number;
  /** When the conversation was imported; absent after a reset. */
  readonly importedAtMs?: number;
  /** The session that began this one. */
  readonly spawnedBy?: string;
  readonly position: CopyPosition;
  readonly entries: readonly TranscriptEntry[];
  /** Number of the last entry that the page covers. */
  readonly lastEntry: number;
}

/** A plain file whose session was deleted. */
export interface DeletedCopy {
  readonly n: number;
  readonly sessionId: string;
  readonly agentId: string;
  readonly deletedAtMs: number;
}

/** The copier's view of the store. */
export interface CopyBook {
  /** Conversations whose file lags. */
  behind(): readonly number[];
  /** Throws `lost-ownership` if another process has opened the store: that process writes the files then. */
  requireOwnership(): void;
  /** The next page of a conversation, or undefined when its file is complete. Requires ownership. */
  next(n: number, limit: number): CopyTask | undefined;
  /** Remembers a position; it is stored with the next commit. */
  moveTo(n: number, position: CopyPosition): void;
  /** Positions that are remembered but not stored yet. */
  readonly waiting: number;
  /** Stores the remembered positions now. */
  savePositions(): Promise<void>;
  toRename(): readonly DeletedCopy[];
  renamed(n: number): Promise<void>;
  toRemove(beforeMs: number, limit: number): readonly DeletedCopy[];
  removed(ns: readonly number[]): Promise<void>;
}
