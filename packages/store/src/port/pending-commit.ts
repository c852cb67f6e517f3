/** A change that is applied but not committed: the store's own reads see it, and a crash undoes it. */
export interface PendingCommit<Result> {
  readonly result: Result;
  /**
   * Resolves after the commit, and rejects if the commit failed: then the change did not happen. Until then do not let anything leave the process that depends
   * on it.
   */
  readonly committed: Promise<void>;
}
