/** Clock and timers, injected for tests. */
export interface Timers {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once; call the returned function to cancel. */
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
