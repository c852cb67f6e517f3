/** A longer delay is a date far away or nonsense. */
const LONGEST_MS = 7 * 24 * 3_600_000;

/**
 * The delay a provider requests, in milliseconds: `retry-after-ms`, or `retry-after` as seconds or as a date. A date is relative to the provider's own clock if
 * the answer gives it: ours may be wrong. Not capped: the caller decides how long to wait.
 */
export function readRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const milliseconds = toDelay(headers.get("retry-after-ms"), 1);
  if (milliseconds !== undefined) return milliseconds;
  const value = headers.get("retry-after");
  const seconds = toDelay(value, 1_000);
  if (seconds !== undefined || value === null) return seconds;
  const dateMs = /^\s*[A-Za-z]{3,9},/.test(value) ? Date.parse(value) : Number.NaN;
  const theirNowMs = Date.parse(headers.get("date") ?? "");
  const delayMs = dateMs - (Number.isNaN(theirNowMs) ? nowMs : theirNowMs);
  return Number.isNaN(delayMs) || delayMs > LONGEST_MS ? undefined : Math.max(0, delayMs);
}

function toDelay(value: string | null, unitMs: number): number | undefined {
  if (value === null || !/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return undefined;
  const delayMs = Math.ceil(Number(value) * unitMs);
  return delayMs > LONGEST_MS ? undefined : delayMs;
}
