import type { Clock } from "@factotum/agent-contract";
import { realClock } from "./gateway-harness.ts";

/** Real time that a test can move on: what is due by then fires in its order. The wall clock starts at `startMs`, and can be set by itself. */
export class TravellingClock implements Clock {
  readonly #startedMs = realClock.monotonic();
  readonly #startMs: number;
  #passedMs = 0;
  #setMs = 0;
  readonly #timers = new Set<{ readonly dueMs: number; readonly fire: () => void }>();

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  readonly now = (): number => Math.floor(this.#startMs + this.#setMs + this.monotonic() - this.#startedMs);

  readonly monotonic = (): number => realClock.monotonic() + this.#passedMs;

  readonly schedule = (delayMs: number, callback: () => void): Disposable => {
    const timer = {
      dueMs: this.monotonic() + delayMs,
      fire: (): void => {
        if (this.#timers.delete(timer)) callback();
      },
    };
    this.#timers.add(timer);
    const real = realClock.schedule(delayMs, timer.fire);
    return {
      [Symbol.dispose]: () => {
        this.#timers.delete(timer);
        real[Symbol.dispose]();
      },
    };
  };

  /** Time goes by. */
  pass(ms: number): void {
    this.#passedMs += ms;
    const due = [...this.#timers].filter(({ dueMs }) => dueMs <= this.monotonic());
    for (const timer of due.toSorted((one, other) => one.dueMs - other.dueMs)) timer.fire();
  }

  /** The wall clock alone is set. */
  setBy(ms: number): void {
    this.#setMs += ms;
  }
}
