import { isNativeError } from "node:util/types";
import { createContext, Script } from "node:vm";

/** How long one batch may hold the event loop. */
const MAX_BATCH_MS = 100;

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
    const results: boolean[] = [];
    this.#context["task"] = (): void => {
      for (const text of texts) results.push(this.#pattern.test(text));
    };
    try {
      this.#script.runInContext(this.#context, { timeout: MAX_BATCH_MS });
    } catch (error) {
      // The engine may make its error in another realm, where `instanceof` says no.
      if (isNativeError(error) && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") {
        throw new SlowPatternError(this.#pattern.source, { cause: error });
      }
      throw error;
    }
    return results;
  }
}
