import type { Clock } from "@factotum/agent-contract";

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** A manual clock. */
export class FakeClock implements Clock {
  #nowMs = 1_780_000_000_000;
  readonly #timers = new Set<Timer>();
  readonly #waiters = new Set<() => void>();

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, callback: () => void): Disposable {
    const timer: Timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    for (const waiter of this.#waiters) waiter();
    return {
      [Symbol.dispose]: () => {
        this.#timers.delete(timer);
        for (const waiter of this.#waiters) waiter();
      },
    };
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Advances and runs due timers, in order. */
  advance(durationMs: number): void {
    const endMs = this.#nowMs + durationMs;
    for (;;) {
      const next = [...this.#timers].filter((timer) => timer.dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.callback();
    }
    this.#nowMs = endMs;
  }

  /** Settles when a timer is set that is due in exactly this time. */
  whenSet(delayMs: number): Promise<void> {
    return this.#when(() => [...this.#timers].some((timer) => timer.dueMs - this.#nowMs === delayMs));
  }

  /** Settles when no timer is left. */
  whenIdle(): Promise<void> {
    return this.#when(() => this.#timers.size === 0);
  }

  async #when(isSo: () => boolean): Promise<void> {
    if (isSo()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = (): void => {
      if (isSo()) resolve();
    };
    this.#waiters.add(check);
    await promise;
    this.#waiters.delete(check);
  }
}

/** Real time, for tests in which time does not matter. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
