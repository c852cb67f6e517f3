/** Passages that a search looks at: more take too long. */
const MAX_MATCHES = 5_000;

/** How much each token tells: the inverse document frequency of BM25, of `chunks` passages. `spread` says how many have each. */
export function weighTokens(spread: ReadonlyMap<string, number>, chunks: number): ReadonlyMap<string, number> {
  return new Map([...spread].map(([token, having]) => [token, Math.log(1 + Math.max(0, chunks - having + 0.5) / (having + 0.5))]));
}

/** The tokens to find passages by: all of them, or in a large index the rarest, at least the rarest of all. What they find is rated by all tokens. */
export function tellingTokens(spread: ReadonlyMap<string, number>): readonly string[] {
  const chosen: string[] = [];
  let matches = 0;
  for (const [token, having] of [...spread].filter(([, count]) => count > 0).toSorted(([, one], [, other]) => one - other)) {
    matches += having;
    if (chosen.length > 0 && matches > MAX_MATCHES) break;
    chosen.push(token);
  }
  return chosen;
}
