import { isNativeError } from "node:util/types";
import { createContext, Script } from "node:vm";

/** How long one batch may hold the event loop. */
const MAX_BATCH_MS = 100;
/** The engine counts wall time. Of a machine that is busy elsewhere it may be cut off without having worked: then it gets longer. */
const MIN_WORKED_MS = MAX_BATCH_MS / 2;
const MAX_PATIENCE_MS = 3_200;

/** A pattern that takes exponential time on the text it was given. */
export class SlowPatternError extends Error {
  constructor(pattern: string, options?: ErrorOptions) {
    super(`The pattern ${pattern} takes too long to match; avoid nested repetition such as (a+)+.`, options);
    this.name = "SlowPatternError";
  }
}

/**
 * Matches a regular expression that a model wrote against many texts. A pattern that backtracks without end is cut off by the engine after
 * a tenth of a second for each batch, so that it cannot hold the process.
 */
export class GuardedMatch {
  readonly #pattern: RegExp;
  readonly #script = new Script("task()");
  readonly #context = createContext({ task: (): void => {} });

  /** `pattern` must have neither the flag `g` nor `y`. */
  constructor(pattern: RegExp) {
    this.#pattern = pattern;
  }

  /** One answer a text. Throws a SlowPatternError. */
  testAll(texts: readonly string[]): boolean[] {
    for (let timeoutMs = MAX_BATCH_MS; ; timeoutMs *= 2) {
      const before = process.threadCpuUsage();
      const results: boolean[] = [];
      this.#context["task"] = (): void => {
        for (const text of texts) results.push(this.#pattern.test(text));
      };
      try {
        this.#script.runInContext(this.#context, { timeout: timeoutMs });
        return results;
      } catch (error) {
        if (!isTimeout(error)) throw error;
        const { user, system } = process.threadCpuUsage(before);
        const worked = (user + system) / 1_000 >= MIN_WORKED_MS;
        if (worked || timeoutMs >= MAX_PATIENCE_MS) throw new SlowPatternError(this.#pattern.source, { cause: error });
      }
    }
  }
}

/** The engine may make its error in another realm, where `instanceof` says no. */
function isTimeout(error: unknown): boolean {
  return isNativeError(error) && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
