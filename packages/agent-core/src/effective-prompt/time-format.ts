/** Formats times in the user's zone. */
export interface TimeFormat {
  /** `Mon 2026-06-15 14:31 UTC`: weekday, date, minute, and the zone's short name. */
  timestamp(timeMs: number): string;
  /** `2026-06-15 14:30:58`. */
  second(timeMs: number): string;
  /** `2026-06-15`. */
  day(timeMs: number): string;
}

/** Maximum cached seconds. */
const MOST_KEPT = 64;

/** Creates a formatter. Throws a `RangeError` for an unknown zone. Reuse it: creating one costs far more than formatting, in native memory too. */
export function createTimeFormat(timeZone: string): TimeFormat {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    weekday: "short",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  });
  // A turn formats the current time and its conversation's start several times, and concurrent turns often the same ones.
  const kept = new Map<number, Readonly<Record<string, string>>>();
  const parts = (timeMs: number): Readonly<Record<string, string>> => {
    const second = Math.floor(timeMs / 1000);
    const known = kept.get(second);
    if (known !== undefined) return known;
    const found = Object.fromEntries(format.formatToParts(timeMs).map(({ type, value }) => [type, value]));
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(second, found);
    return found;
  };
  return {
    timestamp: (timeMs) => {
      const { weekday, year, month, day, hour, minute, timeZoneName } = parts(timeMs);
      return `${weekday} ${year}-${month}-${day} ${hour}:${minute} ${timeZoneName}`;
    },
    day: (timeMs) => {
      const { year, month, day } = parts(timeMs);
      return `${year}-${month}-${day}`;
    },
    second: (timeMs) => {
      const { year, month, day, hour, minute, second } = parts(timeMs);
      return `${year}-${month}-${day} ${hour}:${minute}:${second}`;
    },
  };
}
