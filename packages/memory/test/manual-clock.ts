import type { Clock } from "@factotum/agent-contract";
import { NOW_MS } from "./note-rig.ts";

/** A clock that a test moves. */
export interface ManualClock extends Clock {
  /** Calls back what is due within this time, in order. */
  pass(delayMs: number): void;
}

export function createManualClock(): ManualClock {
  let passedMs = 0;
  const timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();
  return {
    now: () => NOW_MS + passedMs,
    monotonic: () => passedMs,
    schedule(delayMs, callback) {
      const timer = { atMs: passedMs + delayMs, callback };
      timers.add(timer);
      return { [Symbol.dispose]: () => void timers.delete(timer) };
    },
    pass(delayMs) {
      passedMs += delayMs;
      for (const timer of [...timers].toSorted((one, other) => one.atMs - other.atMs))
        if (timer.atMs <= passedMs && timers.delete(timer)) timer.callback();
    },
  };
}
