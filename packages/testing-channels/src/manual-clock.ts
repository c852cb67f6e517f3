/** A stopped clock that tests advance, for the `clock` of a `ChannelHost`. */
export class ManualClock {
  #nowMs: number;
  readonly #timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();

  constructor(nowMs: number = Date.now()) {
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, callback: () => void): Disposable {
    const timer = { atMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  /** Timers that have not fired. */
  get pending(): readonly number[] {
    return [...this.#timers].map(({ atMs }) => atMs - this.#nowMs).toSorted((left, right) => left - right);
  }

  /** Advances; due timers fire in order. */
  advance(byMs: number): void {
    this.#nowMs += byMs;
    for (const timer of [...this.#timers].toSorted((left, right) => left.atMs - right.atMs)) {
      if (timer.atMs <= this.#nowMs && this.#timers.delete(timer)) timer.callback();
    }
  }
}
