import type { ModelCost } from "@factotum/agent-contract";
import type { RereadTokens } from "@factotum/protocol";
import type { RequestRecord } from "@factotum/store";

/** Two requests of a conversation. */
interface RereadQuery {
  readonly earlier: Pick<RequestRecord, "usage" | "model">;
  readonly later: Pick<RequestRecord, "usage" | "model">;
  /** Prices of the later one's model, if they are known. */
  readonly cost: ModelCost | undefined;
}

/**
 * What the later request could have read from the provider's cache and did not. `undefined` if it read all that there was, and if nothing shows that the provider
 * caches: it reported no cached tokens, and has no price for them.
 */
export function rereadTokens({ earlier, later, cost }: RereadQuery): RereadTokens | undefined {
  const sent = earlier.usage.input + earlier.usage.cacheRead + earlier.usage.cacheWrite;
  const tokens = Math.max(0, sent - later.usage.cacheRead);
  const isCached = cost?.cacheRead !== undefined || [earlier, later].some(({ usage }) => usage.cacheRead + usage.cacheWrite > 0);
  if (tokens === 0 || later.usage.total === 0 || !isCached) return undefined;
  if (cost?.cacheRead === undefined) return { tokens };
  const paid = later.usage.cacheWrite > 0 ? (cost.cacheWrite ?? cost.input) : cost.input;
  return { tokens, costUsd: (tokens * Math.max(0, paid - cost.cacheRead)) / 1_000_000 };
}
