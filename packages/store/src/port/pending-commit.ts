/** A change that is made and not committed yet: the store's own reads see it, and a crash undoes it. */
export interface PendingCommit<Result> {
  readonly result: Result;
  /** Resolves after the commit, and rejects when there was none: then nothing of it has happened. Until then nobody outside may be told of it. */
  readonly committed: Promise<void>;
}
