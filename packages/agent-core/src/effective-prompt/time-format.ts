/** Times as the user's zone has them. */
export interface TimeFormat {
  /** `Mon 2026-06-15 14:31 UTC`: weekday, date, minute, and the zone's short name. */
  timestamp(timeMs: number): string;
  /** `2026-06-15 14:30:58`. */
  second(timeMs: number): string;
  /** `2026-06-15`. */
  day(timeMs: number): string;
}

/** Throws a `RangeError` for an unknown zone. Keep it: the making costs far more than a time, in native memory too. */
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
  // A turn asks for several times, and most turns for the same second.
  let last: { readonly second: number; readonly parts: Readonly<Record<string, string>> } | undefined;
  const parts = (timeMs: number): Readonly<Record<string, string>> => {
    const second = Math.floor(timeMs / 1000);
    if (last?.second !== second)
      last = { second, parts: Object.fromEntries(format.formatToParts(timeMs).map(({ type, value }) => [type, value])) };
    return last.parts;
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
