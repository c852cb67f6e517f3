/** What a schedule should yield, by trying every minute: shares no code with the package, and takes local time from `Intl` alone. */

const MINUTE_MS = 60_000;
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

/** The transitions of a zone between two instants; two changes within one step that cancel each other are not found. */
export function findTransitions(timezone: string, [fromMs, toMs]: readonly [number, number], stepMs: number): Transition[] {
  const read = offsetOf(timezone);
  const found: Transition[] = [];
  let beforeMs = read(fromMs);
  for (let dayMs = fromMs + stepMs; dayMs <= toMs; dayMs += stepMs) {
    const afterMs = read(dayMs);
    if (afterMs === beforeMs) continue;
    let low = dayMs - stepMs;
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

/** True for the minutes of the local day at which something is due. */
export type IsWanted = (minuteOfDay: number) => boolean;

/** The instants of local times within two days of a transition: each local time once, those that are skipped right after the gap. */
export function fixedInstants({ atMs, beforeMs, afterMs }: Transition, isWanted: IsWanted): number[] {
  const wanted = (wallMs: number): boolean => isWanted(mod(wallMs, DAY_MS) / MINUTE_MS);
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

/** The instants within two days of a transition whose local time matches, in elapsed time. */
export function elapsedInstants({ atMs, beforeMs, afterMs }: Transition, isWanted: IsWanted): number[] {
  const instants: number[] = [];
  for (let utcMs = atMs - 2 * DAY_MS; utcMs < atMs + 2 * DAY_MS; utcMs += MINUTE_MS) {
    const wallMs = utcMs + (utcMs < atMs ? beforeMs : afterMs);
    if (isWanted(mod(wallMs, DAY_MS) / MINUTE_MS)) instants.push(utcMs);
  }
  return instants;
}

/** Both readings of every minute of a span, each looked up in `Intl`: each local time once, or all of them in elapsed time. */
export function scanMinutes(
  timezone: string,
  [fromMs, toMs]: readonly [number, number],
  isWanted: IsWanted,
): { fixed: number[]; elapsed: number[] } {
  const read = offsetOf(timezone);
  const wanted = (wallMs: number): boolean => isWanted(mod(wallMs, DAY_MS) / MINUTE_MS);
  const [fixed, elapsed]: [number[], number[]] = [[], []];
  let latestWallMs = fromMs + read(fromMs) - MINUTE_MS;
  for (let utcMs = fromMs; utcMs < toMs; utcMs += MINUTE_MS) {
    const wallMs = utcMs + read(utcMs);
    if (wanted(wallMs)) elapsed.push(utcMs);
    let isDue = false;
    for (let newMs = latestWallMs + MINUTE_MS; newMs <= wallMs; newMs += MINUTE_MS) isDue ||= wanted(newMs);
    if (isDue) fixed.push(utcMs);
    latestWallMs = Math.max(latestWallMs, wallMs);
  }
  return { fixed, elapsed };
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by;
}
