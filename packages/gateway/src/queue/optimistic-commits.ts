import { StoreError } from "@factotum/store";
import type { AcceptedInput, InboxStore, NewTurn, OptimisticWrites, PendingCommit, StartedTurn, TurnStore } from "@factotum/store";
import { isStorageFull } from "../storage/is-storage-full.ts";

/*
 * All that the gateway does before a commit is durable (docs/decisions/0012-requests-ahead-of-commits.md): the turn of an input starts while the input is
 * committed, and a turn's first request is sent while the turn is committed.
 */

/** The state of an input when its job was queued. */
export type InputArrival =
  /** Committed. */
  | { readonly type: "committed" }
  /** Being committed: its turn starts before the commit is durable. */
  | {
      readonly type: "committing";
      /** Resolves after the commit; rejects when it failed. */
      readonly committed: Promise<void>;
      /** The commit failed: the sender was notified, and the id may belong to another input by now. */
      readonly hasFailed: boolean;
    }
  /** Left over by the last process, which it may have crashed: its turn is stored and counted before a model is called. */
  | {
      readonly type: "recovered";
      /** It may have crashed more than one process: it runs alone among recovered jobs and resumed turns, and gathers no other message. */
      readonly isSolo: boolean;
    };

/** A job, as far as it depends on the commit of its input. */
interface ArrivingJob {
  readonly type: string;
  readonly arrival?: InputArrival;
}

/** Accepts an input. Resolves after its commit, or with `isOptimistic` before it: then await `whenCommitted` before anything is acknowledged. */
export async function acceptInput(
  store: InboxStore & OptimisticWrites,
  [message, accept]: Parameters<InboxStore["acceptInput"]>,
  { isOptimistic }: { readonly isOptimistic: boolean },
): Promise<{ readonly accepted: AcceptedInput; readonly arrival: InputArrival }> {
  if (!isOptimistic) return { accepted: await store.acceptInput(message, accept), arrival: { type: "committed" } };
  const { result, committed } = await store.acceptInputOptimistic(message, accept);
  const arrival = { type: "committing" as const, committed, hasFailed: false };
  committed.catch(() => (arrival.hasFailed = true));
  return { accepted: result, arrival };
}

/** Resolves once an input is committed; rejects when its commit failed. */
export async function whenCommitted(arrival: InputArrival): Promise<void> {
  if (arrival.type === "committing") await arrival.committed;
}

/** True if the commit of the job's input failed: its sender was notified, so the job is dropped. */
export function hasFailedCommit({ arrival }: ArrivingJob): boolean {
  return arrival?.type === "committing" && arrival.hasFailed;
}

/**
 * Starts a job's turn before its commit, so that the first request is sent while the commit is written. A turn that failed before waits for its commit, and for
 * disk space: the model is called only once the result can be stored. So does that of a recovered input, which may have crashed the last process.
 */
export async function startTurn(
  turn: NewTurn,
  job: ArrivingJob & { readonly failures?: number },
  store: TurnStore & OptimisticWrites,
): Promise<PendingCommit<StartedTurn>> {
  if (hasFailedCommit(job)) throw new StoreError("not-found", "What this turn is about was never taken in.");
  if (job.failures === undefined && job.arrival?.type !== "recovered") {
    try {
      return await store.startTurnOptimistic(turn);
    } catch (error) {
      if (!isStorageFull(error)) throw error;
    }
  }
  return { result: await store.startTurn(turn), committed: Promise.resolve() };
}

/** True if a turn is on disk; waits for a commit that is being written. */
export async function isCommitted(committed: Promise<void>): Promise<boolean> {
  return committed.then(
    () => true,
    () => false,
  );
}
