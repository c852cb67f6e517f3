import type { Random } from "@factotum/channel-contract";

/** Bounds of a backoff. */
export interface BackoffOptions {
  /** Upper bound of the first delay, in milliseconds; 1,000 by default. */
  readonly baseMs?: number;
  /** Upper bound of all delays, in milliseconds; 300,000 by default. */
  readonly maxMs?: number;
  readonly random: Pick<Random, "float">;
}

/**
 * The delay before attempt number `attempt` (0 is the first retry): random between 0 and a bound that doubles with every attempt, so that clients which failed
 * together do not retry together. Milliseconds, integer.
 */
export function backoffDelay(attempt: number, options: BackoffOptions): number {
  const { baseMs = 1_000, maxMs = 300_000, random } = options;
  const bound = Math.min(maxMs, baseMs * 2 ** Math.min(Math.max(attempt, 0), 30));
  return Math.floor(random.float() * bound);
}
