import { tokenize } from "../tokens/tokenize.ts";
import { ageWeight } from "./age-weight.ts";
import { diversify } from "./diversify.ts";

/** A passage that matches a query, before ranking. */
export interface Candidate {
  readonly text: string;
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
const SHARES = { statement: 0.75, passage: 0.25 };
/** Passages of this share of the best relevance say it nearly as well. */
const NEARLY = 0.85;

/** A candidate with what the choice needs of it. */
interface Rated<C> {
  readonly hit: C;
  /** All of its tokens. */
  readonly tokens: () => ReadonlySet<string>;
  /** The tokens of the query that its best statement has. */
  readonly says: string;
  readonly relevance: number;
}

/**
 * Orders candidates and gives each a score of 0 to 1: the weight of the query's tokens that one statement of the passage has, and that of those which the whole
 * passage has. The order also depends on age, which says nothing about whether a passage answers; each next hit is the best one that does not repeat those
 * before it.
 */
export function rankHits<C extends Candidate>(
  candidates: readonly C[],
  { weights, nowMs, maxResults, minScore }: RankOptions,
): readonly (C & { readonly score: number })[] {
  const total = sumOf(weights.values());
  const scored = newerFirst(candidates.map((hit) => rate(hit, { weights, total })))
    .map(({ hit, tokens, relevance }) => ({ hit, tokens, relevance, score: relevance * ageWeight(hit.datedMs, nowMs) }))
    .filter(({ relevance }) => relevance >= minScore);
  return diversify(scored, maxResults).map(({ hit, relevance }) => ({ ...hit, score: relevance }));
}

function rate<C extends Candidate>(
  hit: C,
  { weights, total }: { readonly weights: ReadonlyMap<string, number>; readonly total: number },
): Rated<C> {
  const asked = new Set<string>();
  const all: (readonly string[])[] = [];
  let telling = { says: new Set<string>(), weight: -1 };
  for (const statement of statementsOf(hit.text)) {
    const tokens = tokenize(statement);
    all.push(tokens);
    const says = new Set<string>();
    let weight = 0;
    for (const token of tokens) {
      const own = weights.get(token);
      if (own === undefined || says.has(token)) continue;
      says.add(token);
      asked.add(token);
      weight += own;
    }
    if (weight > telling.weight) telling = { says, weight };
  }
  const shareOf = (weight: number): number => (total === 0 ? 0 : weight / total);
  const parts = {
    statement: shareOf(telling.weight),
    passage: shareOf(sumOf([...asked].map((token) => weights.get(token) ?? 0))),
  };
  let has: ReadonlySet<string> | undefined;
  return {
    hit,
    tokens: () => (has ??= new Set(all.flat())),
    says: [...weights.keys()].filter((token) => telling.says.has(token)).join(" "),
    relevance: SHARES.statement * parts.statement + SHARES.passage * parts.passage,
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
