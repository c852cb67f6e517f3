/** What relevance counts in the choice of the next hit; the rest is difference from those already chosen. */
const RELEVANCE_SHARE = 0.7;

/** A candidate for the result: its score, and the tokens that it has. */
interface Scored {
  readonly score: number;
  /** Asked for only of those that may be chosen. */
  readonly tokens: () => ReadonlySet<string>;
}

/** A candidate, with its likeness to the chosen ones that it was compared with. */
interface Entry<C> {
  readonly one: C;
  likest: number;
  compared: number;
}

/** Chooses the best `count` by maximal marginal relevance: each next one is good, and unlike those before it. */
export function diversify<C extends Scored>(scored: readonly C[], count: number): readonly C[] {
  const rest = scored.map((one): Entry<C> => ({ one, likest: 0, compared: 0 })).toSorted((one, other) => other.one.score - one.one.score);
  const chosen: C[] = [];
  while (chosen.length < count && rest.length > 0) {
    const [next] = rest.splice(bestOf(rest, chosen), 1);
    if (next === undefined) break;
    chosen.push(next.one);
  }
  return chosen;
}

/** The position of the best candidate. Those whose score is too low, however different they are, are compared with nothing. */
function bestOf<C extends Scored>(rest: readonly Entry<C>[], chosen: readonly C[]): number {
  let [at, best] = [0, Number.NEGATIVE_INFINITY];
  for (const [index, entry] of rest.entries()) {
    if (RELEVANCE_SHARE * entry.one.score <= best) break;
    for (const other of chosen.slice(entry.compared)) entry.likest = Math.max(entry.likest, similarity(other.tokens(), entry.one.tokens()));
    entry.compared = chosen.length;
    const marginal = RELEVANCE_SHARE * entry.one.score - (1 - RELEVANCE_SHARE) * entry.likest;
    if (marginal > best) [at, best] = [index, marginal];
  }
  return at;
}

function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  const shared = one.intersection(other).size;
  return shared / (one.size + other.size - shared);
}
