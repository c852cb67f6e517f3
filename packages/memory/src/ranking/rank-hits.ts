import { tokenize } from "../tokens/tokenize.ts";
import { ageWeight } from "./age-weight.ts";
import { diversify } from "./diversify.ts";

/** A passage that matches a query, before ranking. */
export interface Candidate {
  readonly text: string;
  /** As FTS5 gives it: the more negative, the better. */
  readonly bm25: number;
  /** Milliseconds since the epoch of the day that the file is about; absent: it does not age. */
  readonly datedMs?: number;
}

/** What the choice among candidates rests on. */
export interface RankOptions {
  /** The tokens of the query, and how much each tells: rare ones more. */
  readonly weights: ReadonlyMap<string, number>;
  readonly nowMs: number;
  readonly maxResults: number;
  readonly minScore: number;
}

/** What each part of relevance counts: words that stand in one statement tell far more than the same words scattered over a day. */
const SHARES = { statement: 0.6, passage: 0.2, bm25: 0.2 };
/** Passages of this share of the best relevance say it nearly as well. */
const NEARLY = 0.85;

/** A candidate with what the choice needs of it. */
interface Rated<C> {
  readonly hit: C;
  readonly has: ReadonlySet<string>;
  /** The tokens of the query that its best statement has. */
  readonly says: string;
  readonly relevance: number;
}

/**
 * Orders candidates and gives each a score of 0 to 1. It combines the weight of the query's tokens that one statement of the passage has, that of those which the
 * whole passage has, BM25 relative to the best, and age; each next hit is the best one that does not repeat those before it.
 */
export function rankHits<C extends Candidate>(
  candidates: readonly C[],
  { weights, nowMs, maxResults, minScore }: RankOptions,
): readonly (C & { readonly score: number })[] {
  const best = Math.min(...candidates.map(({ bm25 }) => bm25));
  const scored = newerFirst(candidates.map((hit) => rate(hit, { weights, best })))
    .map(({ hit, has, relevance }) => ({ hit, has, score: relevance * ageWeight(hit.datedMs, nowMs) }))
    .filter(({ score }) => score >= minScore);
  return diversify(scored, maxResults).map(({ hit, score }) => ({ ...hit, score }));
}

function rate<C extends Candidate>(
  hit: C,
  { weights, best }: { readonly weights: ReadonlyMap<string, number>; readonly best: number },
): Rated<C> {
  const total = sumOf(weights.values());
  const shareOf = (has: ReadonlySet<string>): number =>
    total === 0 ? 0 : sumOf([...weights].map(([token, weight]) => (has.has(token) ? weight : 0))) / total;
  const statements = statementsOf(hit.text).map((text) => new Set(tokenize(text)));
  const has = new Set(statements.flatMap((tokens) => [...tokens]));
  const telling = statements.reduce((one, other) => (shareOf(other) > shareOf(one) ? other : one));
  const parts = { statement: shareOf(telling), passage: shareOf(has), bm25: best < 0 ? hit.bm25 / best : 1 };
  return {
    hit,
    has,
    says: [...weights.keys()].filter((token) => telling.has(token)).join(" "),
    relevance: SHARES.statement * parts.statement + SHARES.passage * parts.passage + SHARES.bm25 * parts.bm25,
  };
}

/** Of dated passages that say the same of the query, and nearly as well, the newer ones get the better values: what was noted later counts. */
function newerFirst<C extends Candidate>(rated: readonly Rated<C>[]): readonly Rated<C>[] {
  return [...Map.groupBy(rated, ({ says }) => says).values()].flatMap((group) => {
    const limit = NEARLY * Math.max(...group.map(({ relevance }) => relevance));
    const near = group.filter(({ hit, relevance }) => hit.datedMs !== undefined && relevance >= limit);
    const values = near.map(({ relevance }) => relevance).toSorted((one, other) => other - one);
    const newest = near.toSorted((one, other) => (other.hit.datedMs ?? 0) - (one.hit.datedMs ?? 0));
    const given = new Map(newest.map((one, index) => [one, values[index]]));
    return group.map((one) => ({ ...one, relevance: given.get(one) ?? one.relevance }));
  });
}

/** Paragraphs, headings and single items of lists. */
function statementsOf(text: string): readonly string[] {
  return text.split(/\n(?=\s*(?:[-*+]|\d+[.)]|#{1,6})\s|\s*\n)/u);
}

function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
