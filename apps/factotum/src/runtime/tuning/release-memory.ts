import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "@factotum/agent-contract";

/** The interval between checks for rest. */
const CHECK_MS = 2_000;
/** Less CPU time than this between two checks counts as rest: timers, a health check. */
const REST_CPU_MS = 40;
/** The minimum time between two releases, so that a chat with a message every few seconds does not wait for collections. */
const MIN_GAP_MS = 15_000;

/** Options of `releaseMemoryAtRest`. */
export interface MemoryReleaseOptions {
  readonly clock: Clock;
  /** CPU time of the process so far, all threads, milliseconds. */
  readonly cpuMs: () => number;
  /** Returns memory to the system. Blocks the process for tens of milliseconds. */
  readonly release: () => void;
}

/**
 * Releases memory when the process has become idle, once after each period of work, including the start. V8 otherwise keeps the pages of short-lived objects
 * for the next load, which a mostly idle process does not have. Dispose to stop.
 */
export function releaseMemoryAtRest({ clock, cpuMs, release }: MemoryReleaseOptions): Disposable {
  let before = cpuMs();
  let isDue = true;
  let releasedAtMs = Number.NEGATIVE_INFINITY;
  const look = (): Disposable =>
    clock.schedule(CHECK_MS, () => {
      const isResting = cpuMs() - before < REST_CPU_MS;
      if (!isResting) isDue = true;
      else if (isDue && clock.monotonic() - releasedAtMs >= MIN_GAP_MS) {
        release();
        isDue = false;
        releasedAtMs = clock.monotonic();
      }
      before = cpuMs();
      timer = look();
    });
  let timer = look();
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

/** A full collection that also releases the pages of the young generation. V8 exposes it behind a flag, which can be set at any time. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void;
  collect({ type: "major", flavor: "last-resort" });
}
