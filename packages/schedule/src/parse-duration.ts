import { ScheduleError } from "./schedule-error.ts";

const UNITS_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };
const DURATION = /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?$/;

/** Whether a text has the shape of a duration. */
export function isDuration(text: string): boolean {
  return text !== "" && DURATION.test(text);
}

/** Milliseconds of `1d`, `2h`, `30m`, `45s`, or several of them from large to small: `1h30m`. Throws a `ScheduleError` for other text and for zero. */
export function parseDuration(text: string): number {
  const match = isDuration(text) ? DURATION.exec(text) : null;
  if (match === null) throw new ScheduleError(`"${text}" is no duration. Write one like 45s, 30m, 1h30m or 1d.`);
  const totalMs = ["d", "h", "m", "s"].reduce((sum, unit, index) => sum + Number(match[index + 1] ?? 0) * (UNITS_MS[unit] ?? 0), 0);
  if (totalMs === 0) throw new ScheduleError(`"${text}" is no time at all. Write at least 1s.`);
  return totalMs;
}
