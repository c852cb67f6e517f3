import type { Clock } from "@factotum/agent-contract";
import { realClock } from "./gateway-harness.ts";

const HOUR_MS = 3_600_000;

/** How a clock can be set wrong, or right. */
export const JUMPS: readonly (readonly [string, number])[] = [
  ["an hour ahead", HOUR_MS],
  ["an hour back", -HOUR_MS],
  ["a day ahead", 24 * HOUR_MS],
  ["a day back", -24 * HOUR_MS],
  ["back to 1970", -Date.now()],
];

/** Real time until its wall clock jumps. Timers of a minute or more fire when the test says so. */
export class JumpingClock implements Clock {
  #offsetMs: number;
  #passedMs = 0;
  readonly #long = new Map<() => void, number>();

  constructor(offsetMs = 0) {
    this.#offsetMs = offsetMs;
  }

  readonly now = (): number => realClock.now() + this.#offsetMs + this.#passedMs;

  readonly monotonic = (): number => realClock.monotonic() + this.#passedMs;

  readonly schedule = (delayMs: number, callback: () => void): Disposable => {
    if (delayMs < 60_000) return realClock.schedule(delayMs, callback);
    this.#long.set(callback, delayMs);
    return { [Symbol.dispose]: () => void this.#long.delete(callback) };
  };

  jump(byMs: number): void {
    this.#offsetMs += byMs;
  }

  /** Time really goes by, and every minute of the upkeep is over. */
  pass(ms: number): void {
    this.#passedMs += ms;
    const due = [...this.#long].filter(([, delayMs]) => delayMs === 60_000);
    for (const [callback] of due) if (this.#long.delete(callback)) callback();
  }
}
