import type { Schedule } from "./schedule.ts";

/** The first instant of a schedule after `afterMs`, which is excluded; `undefined` if there is none. */
export function nextInstant(schedule: Schedule, afterMs: number): number | undefined {
  switch (schedule.type) {
    case "at":
      return schedule.atMs > afterMs ? schedule.atMs : undefined;
    case "every": {
      const passed = Math.floor((afterMs - schedule.anchorMs) / schedule.everyMs) + 1;
      return schedule.anchorMs + Math.max(passed, 0) * schedule.everyMs;
    }
    case "cron":
      return schedule.next(afterMs);
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
