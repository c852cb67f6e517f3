import type { Clock } from "@factotum/agent-contract";
import { realClock } from "./gateway-harness.ts";

/** Time limit of runs and models under this clock. */
export const LIMIT_MS = 2000;

/** The limits of runs and models expire when the test says so; everything else runs in real time. */
export class LimitClock implements Clock {
  readonly now = (): number => realClock.now();
  readonly #limits = new Set<() => void>();
  #waiting: (() => void)[] = [];
  #passedMs = 0;

  readonly monotonic = (): number => this.#passedMs;

  readonly schedule = (delayMs: number, callback: () => void): Disposable => {
    if (delayMs !== LIMIT_MS) return realClock.schedule(delayMs, callback);
    this.#limits.add(callback);
    for (const wake of this.#waiting.splice(0)) wake();
    return { [Symbol.dispose]: () => void this.#limits.delete(callback) };
  };

  /** Advances two seconds, for every started limit. */
  pass(): void {
    this.#passedMs += LIMIT_MS;
    const begun = Array.from(this.#limits);
    for (const callback of begun) if (this.#limits.delete(callback)) callback();
  }
}
