import type { CallOptions, Clock } from "@factotum/channel-contract";

/** Limits of an account's sends. */
export interface RateLimiterOptions {
  /** Sends that may follow each other at once. */
  readonly burst: number;
  /** Milliseconds until one more may follow. */
  readonly intervalMs: number;
  readonly clock: Pick<Clock, "monotonic" | "schedule">;
}

/** A token bucket: `burst` sends at once, then one every `intervalMs`. */
export interface RateLimiter {
  /** Resolves once `cost` more may be sent, 1 by default, in the order of the calls; a cost over `burst` waits for a full bucket. Rejects if the signal fires first. */
  take(options: CallOptions & { readonly cost?: number }): Promise<void>;
}

/** Starts with a full bucket. */
export function createRateLimiter({ burst, intervalMs, clock }: RateLimiterOptions): RateLimiter {
  let level = burst;
  let measuredAtMs = clock.monotonic();
  const waiting: { readonly cost: number; readonly resolve: () => void }[] = [];
  let timer: Disposable | undefined;

  const refill = (): void => {
    const nowMs = clock.monotonic();
    level = Math.min(burst, level + (nowMs - measuredAtMs) / intervalMs);
    measuredAtMs = nowMs;
  };
  const serve = (): void => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    refill();
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const missing = Math.min(first.cost, burst) - level;
      // The tolerance absorbs rounding: a timer that fires on time must not be set again for a fraction of a millisecond.
      if (missing > 1e-6) {
        timer = clock.schedule(Math.ceil(missing * intervalMs), serve);
        return;
      }
      level -= first.cost;
      waiting.shift();
      first.resolve();
    }
  };

  return {
    take({ signal, cost = 1 }) {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const onAbort = (): void => {
        const at = waiting.indexOf(entry);
        if (at === -1) return;
        waiting.splice(at, 1);
        reject(signal.reason as Error);
        serve();
      };
      const entry = {
        cost,
        resolve: () => {
          signal.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      signal.addEventListener("abort", onAbort, { once: true });
      waiting.push(entry);
      if (waiting.length === 1) serve();
      return promise;
    },
  };
}
