import { TimeGuard } from "./time-guard.ts";

/** The pattern takes exponential time on the text. The message is for the model. */
export class SlowPatternError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SlowPatternError";
  }
}

/** Matches a model's regular expression against many texts. Catastrophic backtracking is cut off in every batch. */
export class GuardedMatch {
  readonly #pattern: RegExp;
  readonly #guard = new TimeGuard();

  /** `pattern` must have neither the flag `g` nor `y`. */
  constructor(pattern: RegExp) {
    this.#pattern = pattern;
  }

  /** One result per text. Throws a SlowPatternError. */
  testAll(texts: readonly string[]): boolean[] {
    const results: boolean[] = [];
    const ended = this.#guard.run(() => {
      for (const text of texts.slice(results.length)) results.push(this.#pattern.test(text));
    });
    if (ended) return results;
    throw new SlowPatternError(`The pattern ${this.#pattern.source} takes too long to match; avoid nested repetition such as (a+)+.`);
  }
}
