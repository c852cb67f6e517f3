import type { Clock } from "@factotum/agent-contract";

/** A clock that a test moves. Shorter delays than 50 minutes are real. */
export interface MovableClock extends Clock {
  advance(ms: number): void;
}

/** Starts on 1 March 2026, UTC. */
export function createMovableClock(): MovableClock {
  let nowMs = Date.UTC(2026, 2, 1);
  const timers = new Set<{ readonly atMs: number; readonly run: () => void }>();
  return {
    now: () => nowMs,
    monotonic: () => performance.now(),
    schedule: (delayMs, run) => {
      const isLong = delayMs >= 3_000_000;
      const timer = { atMs: nowMs + delayMs, run };
      if (isLong) timers.add(timer);
      const real = isLong ? undefined : setTimeout(run, delayMs);
      real?.unref();
      return {
        [Symbol.dispose]: () => {
          clearTimeout(real);
          timers.delete(timer);
        },
      };
    },
    advance: (ms) => {
      nowMs += ms;
      for (const timer of timers) {
        if (timer.atMs > nowMs) continue;
        timers.delete(timer);
        timer.run();
      }
    },
  };
}
