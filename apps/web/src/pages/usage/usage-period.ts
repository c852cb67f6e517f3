import { USAGE_GROUPS, type UsageGroup } from "@factotum/protocol";
import type { UsageSearch } from "./usage-search.ts";

/** Days of the period without an address. */
export const DEFAULT_DAYS = 30;
/** A longer period shows the days with usage alone. */
const MAX_DAYS = 400;

/** Whole days of the browser's time zone, as `2026-11-29`; `from` and `to` are both within. */
export interface UsagePeriod {
  readonly from: string;
  readonly to: string;
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  readonly by: UsageGroup;
}

/** The period that an address means. What it lacks, or what is no day, is the last 30 days, by day. The period may end before it begins. */
export function periodOf({ from, to, by }: UsageSearch, nowMs: number = Date.now()): UsagePeriod {
  const last = isDay(to) ? to : dayOf(nowMs);
  const first = isDay(from) ? from : dayBefore(last, DEFAULT_DAYS - 1);
  return {
    from: first,
    to: last,
    fromMs: startOf(first),
    toMs: startOf(dayBefore(last, -1)),
    by: USAGE_GROUPS.find((group) => group === by) ?? "day",
  };
}

/** All days of a period, if it is not too long. */
export function daysOf({ from, to }: Pick<UsagePeriod, "from" | "to">): readonly string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = dayBefore(day, -1)) {
    if (days.length === MAX_DAYS) return [];
    days.push(day);
  }
  return days;
}

/** The day that is `count` days before another one. */
export function dayBefore(day: string, count: number): string {
  const { year, month, date } = partsOf(day);
  return new Date(Date.UTC(year, month, date - count)).toISOString().slice(0, 10);
}

/** The day of a time; today by default. */
export function dayOf(timestampMs: number = Date.now()): string {
  const time = new Date(timestampMs);
  return new Date(Date.UTC(time.getFullYear(), time.getMonth(), time.getDate())).toISOString().slice(0, 10);
}

/** When a day begins, in milliseconds since the epoch. */
export function startOf(day: string): number {
  const { year, month, date } = partsOf(day);
  return new Date(year, month, date).getTime();
}

function partsOf(day: string): { readonly year: number; readonly month: number; readonly date: number } {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return { year, month: month - 1, date };
}

/** True for a day that a period may have: one of this century. */
export function isDay(text: string | undefined): text is string {
  return text !== undefined && /^20\d\d-\d\d-\d\d$/.test(text) && dayBefore(text, 0) === text;
}
