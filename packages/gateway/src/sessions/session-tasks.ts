import { StoreError } from "@factotum/store";
import type { MsgContext } from "@factotum/channel-contract";
import { LaneShutdown } from "../kernel/lane-abort.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import type { TurnJob } from "../queue/turn-job.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import type { StoppedWork, WorkStopper } from "./work-stopper.ts";

/** Dependencies of session tasks. */
export interface SessionTasksOptions {
  readonly queue: TurnQueue;
  readonly stopper: WorkStopper;
}

/** Runs tasks that must not overlap with a turn of their session: a reset, a deletion, a compaction. */
export class SessionTasks {
  readonly #options: SessionTasksOptions;

  constructor(options: SessionTasksOptions) {
    this.#options = options;
  }

  /**
   * Stops the session's run, drops its waiting messages and runs the task next. Both are decided synchronously, so later messages are queued behind the task.
   */
  async runAfterStop<Result>(
    sessionKey: string,
    why: { readonly reason: string; readonly by?: MsgContext },
    task: (stopped: StoppedWork) => Promise<Result>,
  ): Promise<Result> {
    const stopping = this.#options.stopper.stop(sessionKey, { queued: true, endsCommands: true, ...why });
    // Senders are notified in the conversation that was stopped, so before the task may reset it.
    const running = this.runQueued(sessionKey, async () => task(await stopping));
    const [result] = await Promise.all([running, stopping]);
    return result;
  }

  /** Queues a task behind the session's current work and resolves with its result. */
  async runQueued<Result>(sessionKey: string, task: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { job, done } = this.createTask(sessionKey, task);
    this.#options.queue.lanes.enqueue(sessionKey, job);
    return done;
  }

  /** Creates a job for the session's lane. `done` rejects with a `LaneShutdown` if the gateway stops before the job has started. */
  createTask<Result>(
    sessionKey: string,
    task: (signal: AbortSignal) => Promise<Result>,
  ): { readonly job: TurnJob; readonly done: Promise<Result> } {
    const { promise: done, resolve, reject } = Promise.withResolvers<Result>();
    const run = async ({ signal }: { readonly signal: AbortSignal }): Promise<void> => {
      try {
        resolve(await task(signal));
      } catch (error) {
        reject(
          StoreError.isInstance(error) && error.code === "not-found"
            ? new RpcError("not-found", `There is no session "${sessionKey}".`)
            : error,
        );
      }
    };
    return { job: { type: "task", run, forget: () => reject(new LaneShutdown("the gateway ends")) }, done };
  }
}
