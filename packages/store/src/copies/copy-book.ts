import type { TranscriptEntry } from "../port/transcript-records.ts";

/** How far a plain file is known to be good. */
export interface CopyPosition {
  /** Number of the last entry in it. */
  readonly entry: number;
  readonly bytes: number;
}

/** One page to be written to one file. */
export interface CopyTask {
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly startedAtMs: number;
  /** When the conversation was imported, if its session still is in it. */
  readonly importedAtMs?: number;
  readonly position: CopyPosition;
  readonly entries: readonly TranscriptEntry[];
  /** Number of the last entry that the page stands for. */
  readonly lastEntry: number;
}

/** A plain file whose session was deleted. */
export interface DeletedCopy {
  readonly n: number;
  readonly sessionId: string;
  readonly agentId: string;
  readonly deletedAtMs: number;
}

/** What the copier asks of the store. */
export interface CopyBook {
  /** Conversations whose file lags. */
  behind(): readonly number[];
  /** Throws `lost-ownership` when another process has opened the store: the files are its own then. */
  requireOwnership(): void;
  /** The next page of a conversation, or undefined when its file is complete. Requires ownership. */
  next(n: number, limit: number): CopyTask | undefined;
  /** Remembers a position; it is stored with the next commit of anything else. */
  moveTo(n: number, position: CopyPosition): void;
  /** Positions that are remembered and not yet stored. */
  readonly waiting: number;
  /** Stores the remembered positions now. */
  savePositions(): Promise<void>;
  toRename(): readonly DeletedCopy[];
  renamed(n: number): Promise<void>;
  toRemove(beforeMs: number, limit: number): readonly DeletedCopy[];
  removed(ns: readonly number[]): Promise<void>;
}
