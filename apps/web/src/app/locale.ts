/** The page speaks English. Of the English of several countries it takes the person's, which decides about the order of dates and the clock. */
const LOCALE: string = pickLocale(typeof navigator === "undefined" ? [] : navigator.languages);

/** The first English locale of a list, otherwise plain English. */
export function pickLocale(languages: readonly string[]): string {
  return languages.find((language) => /^en(?:-|$)/i.test(language)) ?? "en";
}

/**
 * Formats in the page's locale. A formatter is made when it is first used: the first one of a page costs tens of milliseconds, more on a phone, which is
 * nothing to wait for before the page asks the gateway.
 */
function lazily<Formatter>(create: () => Formatter): () => Formatter {
  let formatter: Formatter | undefined;
  return () => (formatter ??= create());
}

const dates = (options: Intl.DateTimeFormatOptions): (() => Intl.DateTimeFormat) => lazily(() => new Intl.DateTimeFormat(LOCALE, options));
const moment = dates({ dateStyle: "medium", timeStyle: "short" });
const day = dates({ dateStyle: "medium" });
const clock = dates({ hour: "2-digit", minute: "2-digit" });
const shortMoment = dates({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const month = dates({ month: "long", year: "numeric" });
const ago = lazily(() => new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" }));
const compact = lazily(() => new Intl.NumberFormat(LOCALE, { notation: "compact", maximumFractionDigits: 1 }));
const whole = lazily(() => new Intl.NumberFormat(LOCALE));

/** Makes what the first conversation needs. Called while the page waits for it. */
export function warmFormats(): void {
  moment();
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

/** Time alone. */
export function formatClock(timestampMs: number): string {
  return clock().format(timestampMs);
}

/** Day, month and time, for narrow columns. */
export function formatShortMoment(timestampMs: number): string {
  return shortMoment().format(timestampMs);
}

/** Month and year. */
export function formatMonth(timestampMs: number): string {
  return month().format(timestampMs);
}

/** How many of a unit ago, in words; `count` is negative for what is past. */
export function formatAgo(count: number, unit: Intl.RelativeTimeFormatUnit): string {
  return ago().format(count, unit);
}

/** A number in few characters, such as 12.3K. */
export function formatCompact(value: number): string {
  return compact().format(value);
}

/** A whole number with its groups of digits. */
export function formatWhole(value: number): string {
  return whole().format(value);
}
