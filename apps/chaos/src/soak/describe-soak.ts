import type { SoakOptions, SoakReport } from "./run-soak.ts";

/** A run as text. */
export function describeSoak(
  { seed, sessions }: SoakOptions,
  { turns, samples, line, turnsPerSecond, after, problems }: SoakReport,
): string {
  const mib = (bytes: number | undefined): string => ((bytes ?? 0) / 1024 ** 2).toFixed(1);
  const held = Object.entries(after).map(([kind, count]) => `${kind} ${count}`);
  return [
    `${turns} turns over ${sessions} sessions, ${turnsPerSecond.toFixed(0)} a second; seed ${seed}`,
    `memory ${mib(samples[0]?.rss)} MiB at the first sample, ${mib(samples.at(-1)?.rss)} MiB at the last; fitted ${line.slope.toFixed(2)} MiB per 10,000 turns, 95 %: ${line.slopeLower95.toFixed(2)} to ${line.slopeUpper95.toFixed(2)}`,
    `held at the end: ${held.join(", ")}`,
    ...problems,
  ].join("\n");
}
