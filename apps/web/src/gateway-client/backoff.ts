const BASE_MS = 500;
const CAP_MS = 15_000;
const FLOOR_MS = 250;

/**
 * The delay before the next attempt in milliseconds: full jitter over a window that doubles from half a second to 15 s, so that many pages do not reconnect at
 * the same instant after a restart. `attempt` starts at 0; `random` is in [0, 1).
 */
export function backoffDelayMs(attempt: number, random: number): number {
  const windowMs = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(attempt, 10));
  return Math.max(FLOOR_MS, Math.round(random * windowMs));
}
