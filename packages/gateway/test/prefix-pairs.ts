import type { SentRequest } from "./prefix-scene.ts";

/** A request, the earlier one that it has to begin with, and the causes that were logged since. */
export interface PrefixPair {
  readonly before: SentRequest;
  readonly after: SentRequest;
  readonly causes: readonly string[];
}

/** Each request of a session with the one before it; what leaves the history is no beginning of anything. */
export function prefixPairs(sent: readonly SentRequest[]): readonly PrefixPair[] {
  const found: PrefixPair[] = [];
  const last = new Map<string, { readonly before: SentRequest; readonly causes: readonly string[] }>();
  for (const after of sent) {
    const { before, causes = [] } = last.get(after.sessionKey) ?? {};
    const since = [...causes, ...after.kept.causes];
    if (before !== undefined) found.push({ before, after, causes: since });
    // What leaves the history is no beginning of anything.
    if (!after.leaves || before === undefined) last.set(after.sessionKey, { before: after, causes: [] });
    else last.set(after.sessionKey, { before, causes: since });
  }
  return found;
}
