/** The page is in English. The person's variant of English decides the order of dates and the clock. */
export const LOCALE: string = pickLocale(typeof navigator === "undefined" ? [] : navigator.languages);

/** The first English locale of a list, otherwise plain English. */
export function pickLocale(languages: readonly string[]): string {
  return languages.find((language) => /^en(?:-|$)/i.test(language)) ?? "en";
}

const moment = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short" });
const day = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium" });
const clock = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit" });
const shortMoment = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const month = new Intl.DateTimeFormat(LOCALE, { month: "long", year: "numeric" });

/** Date and time. */
export function formatMoment(timestampMs: number): string {
  return moment.format(timestampMs);
}

/** Date alone. */
export function formatDay(timestampMs: number): string {
  return day.format(timestampMs);
}

/** Time alone. */
export function formatClock(timestampMs: number): string {
  return clock.format(timestampMs);
}

/** Day, month and time, for narrow columns. */
export function formatShortMoment(timestampMs: number): string {
  return shortMoment.format(timestampMs);
}

/** Month and year. */
export function formatMonth(timestampMs: number): string {
  return month.format(timestampMs);
}
