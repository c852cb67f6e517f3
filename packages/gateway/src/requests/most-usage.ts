import type { ModelCost, ModelInfo, ModelRequest } from "@factotum/agent-contract";
import type { TreeUsage } from "../spend/tree-budgets.ts";

/** What a call can use at most: each token stands for a byte of the request or more, and the provider ends the answer at its limit. */
export function mostUsage(
  { system, messages, tools, maxOutputTokens }: Pick<ModelRequest, "system" | "messages" | "tools" | "maxOutputTokens">,
  { maxOutput, cost }: Pick<ModelInfo, "maxOutput" | "cost">,
): TreeUsage {
  const bytes = Buffer.byteLength(JSON.stringify({ system, messages, tools }));
  const tokens = bytes + Math.min(maxOutputTokens ?? maxOutput, maxOutput);
  return { tokens, costUsd: (tokens * highestPrice(cost)) / 1_000_000 };
}

/** US dollars a million tokens. A call without a known price costs nothing. */
function highestPrice(cost: ModelCost | undefined): number {
  if (cost === undefined) return 0;
  const { longContext, input, output, cacheRead = 0, cacheWrite = 0, cacheWriteLong = 0 } = cost;
  return Math.max(input, output, cacheRead, cacheWrite, cacheWriteLong, highestPrice(longContext));
}
