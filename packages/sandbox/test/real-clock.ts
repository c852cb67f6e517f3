import type { Clock } from "@factotum/agent-contract";

/** The real time. Unlike the product's, its timers keep the process awake: a test has nothing else that does. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
