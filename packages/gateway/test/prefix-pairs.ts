import type { SentRequest } from "./prefix-scene.ts";

/** A request, the earlier one that it must extend, and the causes logged since. */
export interface PrefixPair {
  readonly before: SentRequest;
  readonly after: SentRequest;
  readonly causes: readonly string[];
}

/** Pairs each request of a session with the previous one; exchanges that leave the history are not extended. */
export function prefixPairs(sent: readonly SentRequest[]): readonly PrefixPair[] {
  const found: PrefixPair[] = [];
  const last = new Map<string, { readonly before: SentRequest; readonly causes: readonly string[] }>();
  for (const after of sent) {
    const { before, causes = [] } = last.get(after.sessionKey) ?? {};
    const since = [...causes, ...after.kept.causes];
    if (before !== undefined) found.push({ before, after, causes: since });
    // An exchange that leaves the history is not extended.
    if (!after.leaves || before === undefined) last.set(after.sessionKey, { before: after, causes: [] });
    else last.set(after.sessionKey, { before, causes: since });
  }
  return found;
}
