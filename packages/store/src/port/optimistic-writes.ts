import type { AcceptedInput, InboxStore } from "./inbox-store.ts";
import type { StartedTurn, TurnStore } from "./turn-store.ts";

/** A change that is applied but not committed: the store's own reads see it, and a crash undoes it. */
export interface PendingCommit<Result> {
  readonly result: Result;
  /**
   * Resolves after the commit, and rejects if the commit failed: then the change did not happen. Until then do not let anything leave the process that depends
   * on it.
   */
  readonly committed: Promise<void>;
}

/** Writes that resolve before their commit. */
export interface OptimisticWrites {
  /** Like `acceptInput`. Do not acknowledge the input to anyone before `committed` resolves. */
  acceptInputOptimistic(...parameters: Parameters<InboxStore["acceptInput"]>): Promise<PendingCommit<AcceptedInput>>;
  /** Like `startTurn`. It shares the commit of an input that was just accepted in this way. Show nothing of the turn before `committed` resolves. */
  startTurnOptimistic(...parameters: Parameters<TurnStore["startTurn"]>): Promise<PendingCommit<StartedTurn>>;
}
