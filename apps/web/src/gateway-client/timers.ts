/** The time, injected so that tests do not wait. */
export interface Timers {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once; the returned function cancels. */
  schedule(delayMs: number, callback: () => void): () => void;
}

/** The browser's own. */
export const browserTimers: Timers = {
  now: () => Date.now(),
  schedule: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
