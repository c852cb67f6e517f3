const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

const FORMAT = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/** How long ago something was, in its largest unit: "3 minutes ago"; "just now" under a minute. */
export function relativeTime(atMs: number, nowMs: number): string {
  const elapsedMs = nowMs - atMs;
  const [unit, unitMs] = UNITS.find(([, ms]) => elapsedMs >= ms) ?? [];
  return unit === undefined ? "just now" : FORMAT.format(-Math.floor(elapsedMs / unitMs), unit);
}
