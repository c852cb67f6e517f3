import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "@factotum/agent-contract";

/** How often it is looked whether the process rests. */
const CHECK_MS = 2_000;
/** Less work than this between two looks is none: timers, a health check. */
const REST_CPU_MS = 40;
/** The least time between two releases: somebody who writes every few seconds shall not be answered by a collector. */
const MIN_GAP_MS = 15_000;

/** What is watched, and what is done. */
export interface MemoryReleaseOptions {
  readonly clock: Clock;
  /** CPU time of the process so far, all threads, milliseconds. */
  readonly cpuMs: () => number;
  /** Gives memory back. Blocks the process for some ten milliseconds. */
  readonly release: () => void;
}

/**
 * Gives memory back when the process has come to rest, once for each time that it worked: at its start, and after turns. V8 keeps the pages of what was
 * short-lived for the next load, and for a process that mostly waits there is none. Dispose it to end the watching.
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

/** A full collection that also gives back the pages of the young generation. V8 offers it under a flag alone, which may be set at any time. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void;
  collect({ type: "major", flavor: "last-resort" });
}
