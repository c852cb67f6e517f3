import { Cron } from "croner";
import { firstInstant, findOffsetChange, offsetReader } from "./local-time.ts";

const DAY_MS = 86_400_000;
/** Every hour, or a step over all of them. */
const ALL_HOURS = /^(?:(?:\*|\?|0-23)(?:\/\d+)?|0\/\d+)$/;

/** Computes the first instant after another one, which is excluded; `undefined` if there is none. */
export type NextInstant = (afterMs: number) => number | undefined;

/**
 * The instants at which local times match a cron expression of five or six fields. If its hour field names hours, each local time is due once: at the first
 * instant that has it or, where the clock skips it, at the first instant after the gap. If it is every hour, or a step over all hours, it follows elapsed time:
 * local times that the clock skips are left out, and those that occur twice are due twice. A day that a zone leaves out whole is left out. Throws for text that
 * is no expression.
 */
export function createCronTimes(expression: string, timezone: string): NextInstant {
  // Local times are written as if they were UTC, which has neither gaps nor folds.
  const pattern = new Cron(expression, { timezone: "UTC", paused: true });
  const nextWall: NextInstant = (wallMs) => pattern.nextRun(new Date(wallMs))?.getTime();
  const readOffset = offsetReader(timezone);
  const hours = expression.split(" ").at(-4) ?? "";
  return ALL_HOURS.test(hours) ? elapsedTimes(nextWall, readOffset) : fixedTimes(nextWall, readOffset);
}

function fixedTimes(nextWall: NextInstant, readOffset: (instantMs: number) => number): NextInstant {
  return (afterMs) => {
    // A local time that was reached before has had its instant, so that this one or a later one follows.
    let wallMs = nextWall(afterMs + readOffset(afterMs));
    while (wallMs !== undefined) {
      const instantMs = firstInstant(wallMs, readOffset);
      const isSkippedDay = readOffset(instantMs) - readOffset(instantMs - 1) >= DAY_MS && instantMs + readOffset(instantMs) !== wallMs;
      if (instantMs > afterMs && !isSkippedDay) return instantMs;
      wallMs = nextWall(wallMs);
    }
    return undefined;
  };
}

function elapsedTimes(nextWall: NextInstant, readOffset: (instantMs: number) => number): NextInstant {
  return (afterMs) => {
    let fromMs = afterMs;
    let offsetMs = readOffset(fromMs);
    for (;;) {
      const wallMs = nextWall(fromMs + offsetMs);
      if (wallMs === undefined) return undefined;
      const instantMs = wallMs - offsetMs;
      if (instantMs - fromMs > 2 * DAY_MS) {
        // Only changes of the clock shortly before it matter.
        fromMs = instantMs - DAY_MS;
        offsetMs = readOffset(fromMs);
        continue;
      }
      const offsetThenMs = readOffset(instantMs);
      if (offsetThenMs === offsetMs) return instantMs;
      fromMs = findOffsetChange(readOffset, fromMs, instantMs) - 1;
      offsetMs = offsetThenMs;
    }
  };
}
