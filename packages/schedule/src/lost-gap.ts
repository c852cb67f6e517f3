import { Cron } from "croner";
import { offsetReader } from "./local-time.ts";
import type { CronSchedule } from "./schedule.ts";

const DAY_MS = 86_400_000;

/**
 * The first instant in the open span between `afterMs` and `untilMs` at which a gap of the clock ends that skips the schedule's local time; `undefined` if there
 * is none. Croner finds such instants only within one local day: it loses 23:00 in Nuuk, where the gap ends at midnight. A day that a zone leaves out whole
 * is no gap of the clock.
 */
export function findLostGap(schedule: CronSchedule, afterMs: number, untilMs: number): number | undefined {
  if (!hasFixedTime(schedule.expression)) return undefined;
  const readOffset = offsetReader(schedule.timezone);
  // Local times written as if they were UTC, which has no gaps.
  const wallTimes = new Cron(schedule.expression, { timezone: "UTC", paused: true });
  let offsetMs = readOffset(afterMs);
  for (let fromMs = afterMs; fromMs < untilMs; fromMs += DAY_MS) {
    const toMs = Math.min(fromMs + DAY_MS, untilMs);
    const nextOffsetMs = readOffset(toMs);
    if (nextOffsetMs > offsetMs && nextOffsetMs - offsetMs < DAY_MS) {
      const changeMs = findChange(readOffset, fromMs, toMs);
      const skippedMs = wallTimes.nextRun(new Date(changeMs + offsetMs - 1))?.getTime();
      if (changeMs < untilMs && skippedMs !== undefined && skippedMs < changeMs + nextOffsetMs) return changeMs;
    }
    offsetMs = nextOffsetMs;
  }
  return undefined;
}

/** Whether an expression names one local time of day: one minute of one hour. */
function hasFixedTime(expression: string): boolean {
  return expression
    .split(" ")
    .slice(0, -3)
    .every((field) => /^\d+$/.test(field));
}

/** The first instant with the offset of `toMs`, where the offset changes once after `fromMs`. */
function findChange(readOffset: (instantMs: number) => number, fromMs: number, toMs: number): number {
  const newOffsetMs = readOffset(toMs);
  let lowMs = fromMs;
  let highMs = toMs;
  while (highMs - lowMs > 1) {
    const middleMs = Math.floor((lowMs + highMs) / 2);
    if (readOffset(middleMs) === newOffsetMs) highMs = middleMs;
    else lowMs = middleMs;
  }
  return highMs;
}
