import type { UsageReport } from "@factotum/protocol";
import { daysOf, type UsagePeriod } from "./usage-period.ts";

/** Bars of a plot; what does not fit is in the last one. */
const MAX_BARS = 10;

/** One bar of the plots. */
export interface UsageBar {
  /** Of the group; absent for the sum of all others. */
  readonly key?: string;
  /** How many groups the sum has; 0 for a group. */
  readonly others: number;
  readonly costUsd: number;
  readonly cached: number;
  readonly read: number;
  readonly written: number;
}

/** Every day of the period, also those without usage; otherwise the groups as they were given, the rest of many as one. */
export function barsOf(groups: UsageReport["groups"], { by, from, to }: Pick<UsagePeriod, "by" | "from" | "to">): readonly UsageBar[] {
  const bars = groups.map(({ keys, costUsd = 0, cacheRead, cacheWrite, input, output }) => ({
    key: keys[by] ?? "",
    others: 0,
    costUsd,
    cached: cacheRead,
    read: input + cacheWrite,
    written: output,
  }));
  if (by !== "day") return bars.length <= MAX_BARS ? bars : [...bars.slice(0, MAX_BARS - 1), sumOf(bars.slice(MAX_BARS - 1))];
  const days = daysOf({ from, to });
  if (days.length === 0) return bars;
  const byDay = new Map(bars.map((bar) => [bar.key, bar]));
  return days.map((key) => byDay.get(key) ?? { key, others: 0, costUsd: 0, cached: 0, read: 0, written: 0 });
}

function sumOf(bars: readonly UsageBar[]): UsageBar {
  const add = (name: "costUsd" | "cached" | "read" | "written"): number => bars.reduce((sum, bar) => sum + bar[name], 0);
  return { others: bars.length, costUsd: add("costUsd"), cached: add("cached"), read: add("read"), written: add("written") };
}
