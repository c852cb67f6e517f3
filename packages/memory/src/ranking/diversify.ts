/** What relevance counts in the choice of the next hit; the rest is difference from those already chosen. */
const RELEVANCE_SHARE = 0.7;

/** A candidate for the result: its score, and the tokens that it has. */
interface Scored {
  readonly score: number;
  readonly has: ReadonlySet<string>;
}

/** Chooses the best `count` by maximal marginal relevance: each next one is good, and unlike those before it. */
export function diversify<C extends Scored>(scored: readonly C[], count: number): readonly C[] {
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

function marginal({ one, likest }: { readonly one: Scored; readonly likest: number }): number {
  return RELEVANCE_SHARE * one.score - (1 - RELEVANCE_SHARE) * likest;
}

function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  const shared = one.intersection(other).size;
  return shared / (one.size + other.size - shared);
}
