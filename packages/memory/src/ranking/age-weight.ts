const HALF_LIFE_MS = 30 * 24 * 60 * 60_000;
/** The share of the score that age can take away: an old note that answers is better than a new one that does not. */
const AGE_SHARE = 0.3;

/** 1 for what is of today or undated, and for what is old not less than 0.7. */
export function ageWeight(datedMs: number | undefined, nowMs: number): number {
  if (datedMs === undefined) return 1;
  return 1 - AGE_SHARE + AGE_SHARE * 0.5 ** (Math.max(0, nowMs - datedMs) / HALF_LIFE_MS);
}
