import { formatAgo, formatDay } from "../app/locale.ts";
import { t } from "../i18n/t.ts";

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", 86_400_000],
];

/** A relative time in the largest unit that fits; a date after a month. */
export function relativeTime(thenMs: number, nowMs: number): string {
  const agoMs = nowMs - thenMs;
  if (agoMs < 60_000) return t("just now");
  if (agoMs > 30 * 86_400_000) return formatDay(thenMs);
  const [unit, unitMs] = UNITS.findLast(([, ms]) => agoMs >= ms) ?? ["minute", 60_000];
  return formatAgo(-Math.floor(agoMs / unitMs), unit);
}
