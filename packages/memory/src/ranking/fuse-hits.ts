import { tokenize } from "../tokens/tokenize.ts";
import { diversify } from "./diversify.ts";
import { rankHits, type Candidate, type RankOptions } from "./rank-hits.ts";

/** A passage that is near a query: the cosine of both vectors. */
export type Near<C> = C & { readonly cosine: number };

/** Where a passage is told apart from others. */
interface Located extends Candidate {
  readonly path: string;
  readonly startLine: number;
}

/** What the first place counts more than a later one: the smaller, the more. */
const RANK_OFFSET = 5;
/** Places of each list that count, for each hit that is returned. */
const PLACES = 3;
/** The share of the list by meaning where the words of the query are found together, and where they are not. */
const MEANING_SHARES = { wordsFound: 0.3, wordsMissing: 0.6 };
/** Scores of the best passage by words from which they count as found, and up to which they count as missing. */
const WORDS = { found: 0.25, missing: 0.1 };

/**
 * Orders what was found by words and what was found by meaning, by reciprocal rank fusion: a passage counts by its places in both lists, since the cosines of a model
 * and the weights of words have no common scale. The more of the query the best passage says, the more the list by words counts: names and numbers mean little to a
 * model. A score of 1 is the first place in both.
 */
export function fuseHits<C extends Located>(
  byWords: readonly C[],
  byMeaning: readonly Near<C>[],
  { maxResults, minScore, ...options }: RankOptions,
): readonly (C & { readonly score: number })[] {
  const count = PLACES * maxResults;
  const words = rankHits(byWords, { ...options, maxResults: count, minScore: 0 });
  const share = meaningShare(words[0]?.score ?? 0);
  const fused = new Map<string, { readonly hit: C; score: number }>();
  const add = (list: readonly C[], weight: number, placeOf: (hit: C, place: number) => number = (_, place) => place): void => {
    for (const [index, hit] of list.entries()) {
      const place = placeOf(hit, index);
      const key = `${hit.path}#${hit.startLine}`;
      const entry = fused.get(key) ?? { hit, score: 0 };
      entry.score += (weight * RANK_OFFSET) / (RANK_OFFSET + place);
      fused.set(key, entry);
    }
  };
  add(words, 1 - share);
  const near = byMeaning.toSorted((one, other) => other.cosine - one.cosine);
  // What is equally near shares the last place: a sentence that stands in many notes tells little.
  const lastPlaces = new Map(
    near.map(({ path, startLine, cosine }) => [`${path}#${startLine}`, near.findLastIndex((other) => other.cosine === cosine)]),
  );
  add(near.slice(0, count), share, ({ path, startLine }, place) => lastPlaces.get(`${path}#${startLine}`) ?? place);
  const scored = [...fused.values()]
    .filter(({ score }) => score >= minScore)
    .map(({ hit, score }) => {
      const tokens = new Set(tokenize(hit.text));
      return { hit, score, tokens: () => tokens };
    });
  return diversify(scored, maxResults).map(({ hit, score }) => ({ ...hit, score }));
}

function meaningShare(bestByWords: number): number {
  const { wordsFound, wordsMissing } = MEANING_SHARES;
  const found = Math.min(1, Math.max(0, (bestByWords - WORDS.missing) / (WORDS.found - WORDS.missing)));
  return wordsMissing + (wordsFound - wordsMissing) * found;
}
