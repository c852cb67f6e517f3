import { Cron } from "croner";
import { findLostGap } from "./lost-gap.ts";
import type { Schedule } from "./schedule.ts";

/**
 * The first instant of a schedule after `afterMs`, which is excluded; `undefined` if there is none. A fixed local time that a change of the clock skips falls
 * due at the first instant after the gap, and one that occurs twice at the first of both. Expressions with several hours or
 * minutes follow the clock: skipped local times are left out, and those that occur twice fall due twice.
 */
export function nextInstant(schedule: Schedule, afterMs: number): number | undefined {
  switch (schedule.type) {
    case "at":
      return schedule.atMs > afterMs ? schedule.atMs : undefined;
    case "every": {
      const passed = Math.floor((afterMs - schedule.anchorMs) / schedule.everyMs) + 1;
      return schedule.anchorMs + Math.max(passed, 0) * schedule.everyMs;
    }
    case "cron": {
      const nextMs = new Cron(schedule.expression, { timezone: schedule.timezone, paused: true }).nextRun(new Date(afterMs))?.getTime();
      return nextMs === undefined ? undefined : (findLostGap(schedule, afterMs, nextMs) ?? nextMs);
    }
  }
}

/** The first `count` instants after `afterMs` in ascending order; fewer if the schedule has fewer. */
export function nextInstants(schedule: Schedule, afterMs: number, count: number): number[] {
  const instants: number[] = [];
  let lastMs = afterMs;
  while (instants.length < count) {
    const nextMs = nextInstant(schedule, lastMs);
    if (nextMs === undefined) break;
    instants.push(nextMs);
    lastMs = nextMs;
  }
  return instants;
}
