import { ScheduleError } from "./schedule-error.ts";

const DAY_MS = 86_400_000;
const LOCAL = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,3})?)?)?$/;
const WITH_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** The name of a zone if the system knows it. Throws a `ScheduleError` otherwise. */
export function checkTimezone(timezone: string): string {
  try {
    new Intl.DateTimeFormat("en", { timeZone: timezone });
    return timezone;
  } catch (error) {
    throw new ScheduleError(`The time zone "${timezone}" is unknown. Write a name of the IANA database, like Europe/Berlin.`, {
      cause: error,
    });
  }
}

/**
 * The instant of an ISO time. Without an offset it is local to `timezone`: one that a change of the clock skips is the first instant after the gap, one that
 * occurs twice is the first of both, and a date alone is its midnight. Throws a `ScheduleError` for other text and for dates that no calendar has.
 */
export function parseInstant(text: string, timezone: string): number {
  const local = LOCAL.exec(text);
  if (local === null && !WITH_OFFSET.test(text)) {
    throw new ScheduleError(`"${text}" is no time. Write one like 2027-03-28T09:00, 2027-03-28T09:00+02:00, or a duration like 20m.`);
  }
  const fields = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?/.exec(text);
  const wallMs = Date.parse(`${fields?.[1] ?? ""}T${fields?.[2] ?? "00:00"}Z`);
  const instantMs = local === null ? Date.parse(text) : wallMs;
  // `Date` accepts the 30th of February, and hour 24, as times of the next month or day.
  if (Number.isNaN(wallMs) || Number.isNaN(instantMs) || !isSameDate(wallMs, fields?.[1] ?? ""))
    throw new ScheduleError(`"${text}" is a time that no calendar has. Check the day, the hour and the offset.`);
  return local === null ? instantMs : firstInstant(wallMs, offsetReader(checkTimezone(timezone)));
}

function isSameDate(wallMs: number, date: string): boolean {
  return new Date(wallMs).toISOString().startsWith(date);
}

/** The first instant whose local time is not before `wallMs`, a local time written as if it were UTC. */
export function firstInstant(wallMs: number, readOffset: (instantMs: number) => number): number {
  const offsets = [readOffset(wallMs - DAY_MS), readOffset(wallMs + DAY_MS)];
  const matches = offsets.map((offsetMs) => wallMs - offsetMs).filter((instantMs) => instantMs + readOffset(instantMs) === wallMs);
  if (matches.length > 0) return Math.min(...matches);
  // In a gap.
  let beforeMs = wallMs - Math.max(...offsets) - DAY_MS;
  let afterMs = wallMs - Math.min(...offsets) + DAY_MS;
  while (afterMs - beforeMs > 1) {
    const middleMs = Math.floor((beforeMs + afterMs) / 2);
    if (middleMs + readOffset(middleMs) < wallMs) beforeMs = middleMs;
    else afterMs = middleMs;
  }
  return afterMs;
}

/** The first instant with the offset of `toMs`, where the offset changes once after `fromMs`. */
export function findOffsetChange(readOffset: (instantMs: number) => number, fromMs: number, toMs: number): number {
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

/** Reads how far local time is ahead of UTC at an instant, in milliseconds. */
export function offsetReader(timezone: string): (instantMs: number) => number {
  const format = new Intl.DateTimeFormat("en", {
    timeZone: timezone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (instantMs) => {
    const secondMs = Math.floor(instantMs / 1_000) * 1_000;
    const part: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(secondMs)) part[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) - secondMs;
  };
}
