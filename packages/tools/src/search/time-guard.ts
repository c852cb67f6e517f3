import { isNativeError } from "node:util/types";
import { createContext, Script } from "node:vm";

/** How long one task may hold the event loop. */
const MAX_TASK_MS = 100;
/** The engine counts wall time. Of a machine that is busy elsewhere it may be cut off without having worked: then it gets longer. */
const MIN_WORKED_MS = MAX_TASK_MS / 2;
const MAX_PATIENCE_MS = 3_200;

/** Runs what somebody else's text may make endless: the engine cuts a task off after a tenth of a second, so that it cannot hold the process. */
export class TimeGuard {
  readonly #script = new Script("task()");
  readonly #context = createContext({ task: (): void => {} });

  /**
   * False when `task` was cut off; what it had done by then stays done. It may be cut off anywhere, and is then called again when it had not
   * had the time to work, so it goes on where it was.
   */
  run(task: () => void): boolean {
    this.#context["task"] = task;
    for (let timeoutMs = MAX_TASK_MS; ; timeoutMs *= 2) {
      const before = process.threadCpuUsage();
      try {
        this.#script.runInContext(this.#context, { timeout: timeoutMs });
        return true;
      } catch (error) {
        if (!isTimeout(error)) throw error;
        const { user, system } = process.threadCpuUsage(before);
        const worked = (user + system) / 1_000 >= MIN_WORKED_MS;
        if (worked || timeoutMs >= MAX_PATIENCE_MS) return false;
      }
    }
  }
}

/** The engine may make its error in another realm, where `instanceof` says no. */
function isTimeout(error: unknown): boolean {
  return isNativeError(error) && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
