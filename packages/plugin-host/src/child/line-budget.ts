const WINDOW_MS = 10_000;

/** Lets so many lines through in ten seconds, and counts the others. */
export class LineBudget {
  readonly #lines: number;
  readonly #now: () => number;
  #since = Number.NEGATIVE_INFINITY;
  #used = 0;
  #dropped = 0;

  constructor(lines: number, now: () => number) {
    this.#lines = lines;
    this.#now = now;
  }

  /** True if the next line may pass. */
  take(): boolean {
    if (this.#now() - this.#since >= WINDOW_MS) {
      this.#since = this.#now();
      this.#used = 0;
    }
    if (this.#used < this.#lines) {
      this.#used += 1;
      return true;
    }
    this.#dropped += 1;
    return false;
  }

  /** The lines that were dropped since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
