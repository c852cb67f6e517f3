import type { Clock } from "@factotum/agent-contract";

/** A clock whose timers fire only when the test says so. */
export class FakeClock implements Clock {
  nowMs = 0;
  readonly #timers = new Map<object, { readonly atMs: number; readonly callback: () => void }>();

  now(): number {
    return this.nowMs;
  }

  monotonic(): number {
    return this.nowMs;
  }

  schedule(delayMs: number, callback: () => void): Disposable {
    const timer = {};
    this.#timers.set(timer, { atMs: this.nowMs + delayMs, callback });
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  /** Delays of the pending timers, from now. */
  get delays(): readonly number[] {
    return [...this.#timers.values()].map(({ atMs }) => atMs - this.nowMs);
  }

  pass(milliseconds: number): void {
    this.nowMs += milliseconds;
    for (const [timer, { atMs, callback }] of this.#timers) {
      if (atMs > this.nowMs) continue;
      this.#timers.delete(timer);
      callback();
    }
  }
}
