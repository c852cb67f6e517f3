import { tokenize } from "../tokens/tokenize.ts";

/** A passage that matches a query, before ranking. */
export interface Candidate {
  readonly text: string;
  /** As FTS5 gives it: the more negative, the better. */
  readonly bm25: number;
  /** Milliseconds since the epoch of the day that the file is about; absent: it does not age. */
  readonly datedMs?: number;
}

const HALF_LIFE_MS = 30 * 24 * 60 * 60_000;
/** The share of the score that age can take away: an old note that answers is better than a new one that does not. */
const AGE_SHARE = 0.3;
/** What relevance counts in the choice of the next hit; the rest is difference from those already chosen. */
const RELEVANCE_SHARE = 0.7;

/**
 * Orders candidates and gives each a score of 0 to 1. It combines BM25 relative to the best, the share of the query's tokens that the passage has, and age; each next
 * hit is the best one that does not repeat those before it.
 */
export function rankHits<C extends Candidate>(
  candidates: readonly C[],
  options: { readonly tokens: readonly string[]; readonly nowMs: number; readonly maxResults: number; readonly minScore: number },
): readonly (C & { readonly score: number })[] {
  const { tokens, nowMs, maxResults, minScore } = options;
  const best = Math.min(...candidates.map(({ bm25 }) => bm25));
  const scored = candidates
    .map((candidate) => {
      const has = new Set(tokenize(candidate.text));
      const coverage = tokens.length === 0 ? 0 : tokens.filter((token) => has.has(token)).length / tokens.length;
      const relative = best < 0 ? candidate.bm25 / best : 1;
      return { ...candidate, has, score: (0.5 * relative + 0.5 * coverage) * ageWeight(candidate.datedMs, nowMs) };
    })
    .filter(({ score }) => score >= minScore);
  return diversify(scored, maxResults).map(({ has: _has, ...hit }) => hit as unknown as C & { readonly score: number });
}

/** 1 for what is of today or undated, and for what is old not less than 0.7. */
export function ageWeight(datedMs: number | undefined, nowMs: number): number {
  if (datedMs === undefined) return 1;
  return 1 - AGE_SHARE + AGE_SHARE * 0.5 ** (Math.max(0, nowMs - datedMs) / HALF_LIFE_MS);
}

/** Maximal marginal relevance. */
function diversify<C extends { readonly score: number; readonly has: ReadonlySet<string> }>(
  scored: readonly C[],
  count: number,
): readonly C[] {
  const rest = scored.map((one) => ({ one, likest: 0 }));
  const chosen: C[] = [];
  while (chosen.length < count && rest.length > 0) {
    let at = 0;
    for (const [index, entry] of rest.entries()) if (marginal(entry) > marginal(rest[at] ?? entry)) at = index;
    const [next] = rest.splice(at, 1);
    if (next === undefined) break;
    chosen.push(next.one);
    for (const entry of rest) entry.likest = Math.max(entry.likest, similarity(next.one.has, entry.one.has));
  }
  return chosen;
}

function marginal({ one, likest }: { readonly one: { readonly score: number }; readonly likest: number }): number {
  return RELEVANCE_SHARE * one.score - (1 - RELEVANCE_SHARE) * likest;
}

function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  const shared = one.intersection(other).size;
  return shared / (one.size + other.size - shared);
}
