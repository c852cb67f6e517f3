import { isNativeError } from "node:util/types";
import { createContext, Script } from "node:vm";

/** How long one task may block the event loop. */
const MAX_TASK_MS = 100;
/** The engine measures wall time. On a busy machine a task may be interrupted without having worked: then it gets more time. */
const MIN_WORKED_MS = MAX_TASK_MS / 2;
const MAX_PATIENCE_MS = 3_200;

/** Runs a task that foreign text may make endless: the engine interrupts it after a tenth of a second, so that it cannot block the process. */
export class TimeGuard {
  readonly #script = new Script("task()");
  readonly #context = createContext({ task: (): void => {} });

  /**
   * False if `task` was interrupted; the work it had done stays done. It may be interrupted anywhere, and is called again if it had no time to work, so it must
   * be resumable.
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

/** The engine may create its error in another realm, where `instanceof` fails. */
function isTimeout(error: unknown): boolean {
  return isNativeError(error) && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
