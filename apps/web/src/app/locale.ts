import { t } from "../i18n/t.ts";

/** The locale of dates and numbers, with the formatters that were used in it. */
let locale = "en";
const formatters = new Map<string, unknown>();

/** Formats in another locale from now on. */
export function setLocale(next: string): void {
  if (next === locale) return;
  locale = next;
  formatters.clear();
}

/**
 * Formats in the page's locale. A formatter is created on first use: the first one of a page takes tens of milliseconds, more on a phone, which must not delay
 * the page's first request to the gateway.
 */
function lazily<Formatter>(name: string, create: (locale: string) => Formatter): () => Formatter {
  return () => {
    const known = formatters.get(name);
    if (known !== undefined) return known as Formatter;
    const formatter = create(locale);
    formatters.set(name, formatter);
    return formatter;
  };
}

const dates = (name: string, options: Intl.DateTimeFormatOptions): (() => Intl.DateTimeFormat) =>
  lazily(name, (current) => new Intl.DateTimeFormat(current, options));
const moment = dates("moment", { dateStyle: "medium", timeStyle: "short" });
const day = dates("day", { dateStyle: "medium" });
const shortDay = dates("shortDay", { day: "numeric", month: "short" });
const fullDay = dates("fullDay", { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const clock = dates("clock", { hour: "2-digit", minute: "2-digit" });
const shortMoment = dates("shortMoment", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const exact = dates("exact", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" });
const weekday = lazily("weekday", (current) => new Intl.DateTimeFormat(current, { weekday: "long", timeZone: "UTC" }));
const month = dates("month", { month: "long", year: "numeric" });
const ago = lazily("ago", (current) => new Intl.RelativeTimeFormat(current, { numeric: "auto" }));
const compact = lazily("compact", (current) => new Intl.NumberFormat(current, { notation: "compact", maximumFractionDigits: 1 }));
const percent = lazily("percent", (current) => new Intl.NumberFormat(current, { style: "percent", maximumFractionDigits: 0 }));
const collator = lazily("collator", (current) => new Intl.Collator(current, { numeric: true }));
const unit = (name: "millisecond" | "second" | "minute" | "hour"): (() => Intl.NumberFormat) =>
  lazily(name, (current) => new Intl.NumberFormat(current, { style: "unit", unit: name, unitDisplay: "narrow", maximumFractionDigits: 1 }));
const units = { millisecond: unit("millisecond"), second: unit("second"), minute: unit("minute"), hour: unit("hour") };
const significant = lazily("significant", (current) => new Intl.NumberFormat(current, { maximumSignificantDigits: 2 }));
const whole = lazily("whole", (current) => new Intl.NumberFormat(current));

/** Creates the formatters of the first conversation. Called while the page waits for its program. */
export function warmFormats(): void {
  clock();
  fullDay();
  compact();
}

/** Date and time. */
export function formatMoment(timestampMs: number): string {
  return moment().format(timestampMs);
}

/** Date alone. */
export function formatDay(timestampMs: number): string {
  return day().format(timestampMs);
}

/** Day and month, for the axes of plots. */
export function formatShortDay(timestampMs: number): string {
  return shortDay().format(timestampMs);
}

/** Date with weekday. */
export function formatFullDay(timestampMs: number): string {
  return fullDay().format(timestampMs);
}

/** Time alone. */
export function formatClock(timestampMs: number): string {
  return clock().format(timestampMs);
}

/** Day, month and time, for narrow columns. */
export function formatShortMoment(timestampMs: number): string {
  return shortMoment().format(timestampMs);
}

/** Day, month and time with seconds, for logs. */
export function formatExact(timestampMs: number): string {
  return exact().format(timestampMs);
}

/** The name of a day of the week: 0 and 7 are Sunday. */
export function formatWeekday(number: number): string {
  return weekday().format(Date.UTC(2026, 10, 1 + number));
}

/** Weekday, date and time in a time zone. */
export function formatIn(timestampMs: number, timeZone: string): string {
  const options = { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" } as const;
  return lazily(`in ${timeZone}`, (current) => new Intl.DateTimeFormat(current, { ...options, timeZone }))().format(timestampMs);
}

/** Month and year. */
export function formatMonth(timestampMs: number): string {
  return month().format(timestampMs);
}

/** A time in words, such as "3 days ago", for `count` units; a negative `count` is in the past. */
export function formatAgo(count: number, unit: Intl.RelativeTimeFormatUnit): string {
  return ago().format(count, unit);
}

/** A duration in its two largest units, such as "45s", "3m 05s" or "2h 10m". */
export function formatDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  const two = (value: number): string => String(value).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m ${two(seconds % 60)}s` : `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

/** A span of time in the page's language, exact enough to be compared with others, such as "340ms", "12.4s" or "3m 5s". */
export function formatSpan(spanMs: number): string {
  const ms = Math.max(0, Math.round(spanMs));
  if (ms < 1000) return units.millisecond().format(ms);
  if (ms < 60_000) return units.second().format(ms / 1000);
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${units.minute().format(Math.floor(seconds / 60))} ${units.second().format(seconds % 60)}`;
  return `${units.hour().format(Math.floor(seconds / 3600))} ${units.minute().format(Math.floor((seconds % 3600) / 60))}`;
}

/** An amount in US dollars. */
export function formatDollars(amount: number): string {
  return amount < 0.01 ? t("under $0.01") : `$${amount.toFixed(2)}`;
}

/** An amount in US dollars, small ones by their first two digits, so that it can be compared with others. */
export function formatExactDollars(amount: number): string {
  return amount > 0 && amount < 0.01 ? `$${significant().format(amount)}` : `$${amount.toFixed(2)}`;
}

/** A short form of a number, such as 12.3K. */
export function formatCompact(value: number): string {
  return compact().format(value);
}

/** A whole number with grouped digits. */
export function formatWhole(value: number): string {
  return whole().format(value);
}

/** A share from 0 to 1 in percent. */
export function formatPercent(share: number): string {
  return percent().format(share);
}

/** Compares texts for sorting, numbers in them by their value. */
export function compareTexts(one: string, other: string): number {
  return collator().compare(one, other);
}
