import type { Clock } from "@factotum/agent-contract";

/** A stopped clock whose timers fire when the test says so. */
export interface ManualClock extends Clock {
  /** Runs every timer of exactly this delay. */
  run(delayMs: number): void;
  /** Resolves once a timer of this delay waits. */
  scheduled(delayMs: number): Promise<void>;
}

export function createManualClock(): ManualClock {
  const timers = new Map<object, { readonly delayMs: number; readonly callback: () => void }>();
  let waiting: { readonly delayMs: number; readonly resolve: () => void }[] = [];
  const isScheduled = (delayMs: number): boolean => [...timers.values()].some((timer) => timer.delayMs === delayMs);
  return {
    now: () => 0,
    monotonic: () => 0,
    schedule: (delayMs, callback) => {
      const key = {};
      timers.set(key, { delayMs, callback });
      for (const one of waiting.filter((candidate) => candidate.delayMs === delayMs)) one.resolve();
      waiting = waiting.filter((candidate) => candidate.delayMs !== delayMs);
      return { [Symbol.dispose]: () => void timers.delete(key) };
    },
    run: (delayMs) => {
      for (const [key, timer] of timers) if (timer.delayMs === delayMs && timers.delete(key)) timer.callback();
    },
    scheduled: async (delayMs) => {
      if (isScheduled(delayMs)) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ delayMs, resolve });
      await promise;
    },
  };
}
