/** What a schedule should yield, by trying every minute: shares no code with the package, and takes local time from `Intl` alone. */

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** A change of a zone's offset; local time is UTC plus the offset. */
export interface Transition {
  readonly atMs: number;
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** Reads the offset of a zone at an instant. */
export function offsetOf(timezone: string): (instantMs: number) => number {
  const format = new Intl.DateTimeFormat("sv", { timeZone: timezone, dateStyle: "short", timeStyle: "medium" });
  return (instantMs) => Date.parse(`${format.format(instantMs).replace(" ", "T")}Z`) - instantMs;
}

/** The transitions of a zone between two instants; two changes within one day that cancel each other are not found. */
export function findTransitions(timezone: string, fromMs: number, toMs: number): Transition[] {
  const read = offsetOf(timezone);
  const found: Transition[] = [];
  let beforeMs = read(fromMs);
  for (let dayMs = fromMs + DAY_MS; dayMs <= toMs; dayMs += DAY_MS) {
    const afterMs = read(dayMs);
    if (afterMs === beforeMs) continue;
    let low = dayMs - DAY_MS;
    let high = dayMs;
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
      if (read(middle) === beforeMs) low = middle;
      else high = middle;
    }
    found.push({ atMs: high, beforeMs, afterMs });
    beforeMs = afterMs;
  }
  return found;
}

/** The instants of a daily local time, within two days of a transition. */
export function fixedInstants({ atMs, beforeMs, afterMs }: Transition, hour: number, minute: number): number[] {
  const wanted = (wallMs: number): boolean => mod(wallMs, DAY_MS) === hour * HOUR_MS + minute * MINUTE_MS;
  const instants: number[] = [];
  const seen = new Set<number>();
  for (let utcMs = atMs - 2 * DAY_MS; utcMs < atMs + 2 * DAY_MS; utcMs += MINUTE_MS) {
    const wallMs = utcMs + (utcMs < atMs ? beforeMs : afterMs);
    let isDue = wanted(wallMs) && !seen.has(wallMs);
    if (utcMs === atMs) for (let gapMs = atMs + beforeMs; gapMs < wallMs; gapMs += MINUTE_MS) isDue ||= wanted(gapMs);
    seen.add(wallMs);
    if (isDue) instants.push(utcMs);
  }
  return instants;
}

/** The instants within two days of a transition whose local minute of the hour matches, in elapsed time. */
export function elapsedInstants({ atMs, beforeMs, afterMs }: Transition, matches: (minute: number) => boolean): number[] {
  const instants: number[] = [];
  for (let utcMs = atMs - 2 * DAY_MS; utcMs < atMs + 2 * DAY_MS; utcMs += MINUTE_MS) {
    const wallMs = utcMs + (utcMs < atMs ? beforeMs : afterMs);
    if (matches(mod(wallMs, HOUR_MS) / MINUTE_MS)) instants.push(utcMs);
  }
  return instants;
}

/** Every minute of a span without transitions in the reading: each is looked up in `Intl`. The second of two equal local minutes does not count. */
export function scanFixed(timezone: string, fromMs: number, toMs: number, hour: number, minute: number): number[] {
  const read = offsetOf(timezone);
  const wanted = hour * HOUR_MS + minute * MINUTE_MS;
  const instants: number[] = [];
  let latestWallMs = -Infinity;
  for (let utcMs = fromMs; utcMs < toMs; utcMs += MINUTE_MS) {
    const wallMs = utcMs + read(utcMs);
    for (let newMs = Math.max(latestWallMs + MINUTE_MS, wallMs - DAY_MS + MINUTE_MS); newMs <= wallMs; newMs += MINUTE_MS) {
      if (mod(newMs, DAY_MS) === wanted && (latestWallMs > -Infinity || newMs === wallMs)) instants.push(utcMs);
    }
    latestWallMs = Math.max(latestWallMs, wallMs);
  }
  return instants;
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by;
}
