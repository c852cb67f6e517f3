/** A delay longer than this is no delay but a date far away or nonsense. */
const LONGEST_MS = 7 * 24 * 3_600_000;

/**
 * The delay a provider asks for, in milliseconds: `retry-after-ms`, or `retry-after` as seconds or as a date, which is meant by the provider's own clock
 * where the answer tells it: ours may be wrong. Not capped: how long a turn
 * is worth waiting for is the caller's to decide.
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
