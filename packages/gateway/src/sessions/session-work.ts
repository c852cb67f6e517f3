import { StoreError } from "@factotum/store";
import type { MsgContext } from "@factotum/channel-contract";
import { LaneShutdown } from "../kernel/lane-abort.ts";
import { SessionRequestError } from "../kernel/session-request-error.ts";
import type { TurnJob } from "../queue/turn-job.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import type { WorkStopper } from "./stop-work.ts";

/** What work between turns is done with. */
export interface SessionWorkOptions {
  readonly queue: TurnQueue;
  readonly stopper: WorkStopper;
}

/** Does work between the turns of sessions: a reset, a deletion, a compaction. */
export class SessionWork {
  readonly #options: SessionWorkOptions;

  constructor(options: SessionWorkOptions) {
    this.#options = options;
  }

  /** Ends what runs, drops what waits and does the work next. All of that is decided before this returns: what comes later stands behind it. */
  async doAfterEnding<Result>(
    sessionKey: string,
    why: { readonly reason: string; readonly by?: MsgContext },
    work: () => Promise<Result>,
  ): Promise<Result> {
    const aborting = this.#options.stopper.stop(sessionKey, { queued: true, ...why });
    // People are told in the conversation that ends.
    const working = this.doBehind(sessionKey, async () => {
      await aborting;
      return work();
    });
    const [result] = await Promise.all([working, aborting]);
    return result;
  }

  async doBehind<Result>(sessionKey: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { task, done } = this.createTask(sessionKey, work);
    this.#options.queue.lanes.enqueue(sessionKey, task);
    return done;
  }

  /** Work for a session's lane. `done` rejects with a `LaneShutdown` when the gateway ends before it has begun. */
  createTask<Result>(
    sessionKey: string,
    work: (signal: AbortSignal) => Promise<Result>,
  ): { readonly task: TurnJob; readonly done: Promise<Result> } {
    const { promise: done, resolve, reject } = Promise.withResolvers<Result>();
    const run = async ({ signal }: { readonly signal: AbortSignal }): Promise<void> => {
      try {
        resolve(await work(signal));
      } catch (error) {
        reject(
          StoreError.isInstance(error) && error.code === "not-found"
            ? new SessionRequestError("not-found", `There is no session "${sessionKey}".`)
            : error,
        );
      }
    };
    return { task: { type: "task", run, forget: () => reject(new LaneShutdown("the gateway ends")) }, done };
  }
}
