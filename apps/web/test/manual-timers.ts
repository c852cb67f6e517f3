import type { Timers } from "../src/gateway-client/timers.ts";

/** A clock that only advances when a test says so. */
export class ManualTimers implements Timers {
  nowMs = 0;
  readonly #timers = new Set<{ atMs: number; callback: () => void }>();

  now(): number {
    return this.nowMs;
  }

  schedule(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    for (;;) {
      const [next] = [...this.#timers].filter((timer) => timer.atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.nowMs = Math.max(this.nowMs, next.atMs);
      this.#timers.delete(next);
      next.callback();
    }
    this.nowMs = endMs;
  }
}
