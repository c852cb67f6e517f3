const BASE_MS = 500;
const CAP_MS = 15_000;
const FLOOR_MS = 250;

/**
 * How long to wait before the next try, in milliseconds: full jitter over a window that doubles from half a second to 15 s, so that many pages do not
 * return at the same instant after a restart. `attempt` counts from 0; `random` is in [0, 1).
 */
export function backoffDelayMs(attempt: number, random: number): number {
  const windowMs = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(attempt, 10));
  return Math.max(FLOOR_MS, Math.round(random * windowMs));
}
