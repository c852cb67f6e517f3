import type { Random } from "@factotum/channel-contract";

/** Bounds of a backoff. */
export interface BackoffOptions {
  /** Longest first delay, in milliseconds; 1,000 by default. */
  readonly baseMs?: number;
  /** Longest delay at all, in milliseconds; 300,000 by default. */
  readonly maxMs?: number;
  readonly random: Pick<Random, "float">;
}

/**
 * How long to wait before try number `attempt` (0 is the first repetition): anything from 0 to a bound that doubles with every try, so that clients which
 * failed together do not come back together. Milliseconds, whole.
 */
export function backoffDelay(attempt: number, options: BackoffOptions): number {
  const { baseMs = 1_000, maxMs = 300_000, random } = options;
  const bound = Math.min(maxMs, baseMs * 2 ** Math.min(Math.max(attempt, 0), 30));
  return Math.floor(random.float() * bound);
}
