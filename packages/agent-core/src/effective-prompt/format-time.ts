/** `Mon 2026-06-15 14:31 UTC`: weekday, date and minute in the user's zone, with the zone's short name. */
export function formatTimestamp(timeMs: number, timeZone: string): string {
  const { weekday, date, hour, minute, zone } = partsOf(timeMs, timeZone);
  return `${weekday} ${date} ${hour}:${minute} ${zone}`;
}

/** `2026-06-15 14:30:58`, in the user's zone. */
export function formatSecond(timeMs: number, timeZone: string): string {
  const { date, hour, minute, second } = partsOf(timeMs, timeZone);
  return `${date} ${hour}:${minute}:${second}`;
}

type Parts = Record<"weekday" | "date" | "hour" | "minute" | "second" | "zone", string>;

function partsOf(timeMs: number, timeZone: string): Parts {
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
  const part = Object.fromEntries(format.formatToParts(timeMs).map(({ type, value }) => [type, value]));
  const { weekday = "", year = "", month = "", day = "", hour = "", minute = "", second = "", timeZoneName = "" } = part;
  return { weekday, date: `${year}-${month}-${day}`, hour, minute, second, zone: timeZoneName };
}
