import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { CacheRetention, ModelCost, Usage } from "@factotum/agent-contract";

/** An estimate, for providers that report nothing. */
export interface UsageEstimate {
  readonly input: number;
  readonly output: number;
}

/** What determines the price of a call. */
export interface Pricing {
  readonly cost: ModelCost | undefined;
  /** The requested cache lifetime: an hour costs more than five minutes. */
  readonly retention: CacheRetention;
}

/** Implausible token counts: a provider that reports more, or a negative number, has not counted. */
const MAX_TOKENS = 1_000_000_000;

/** A provider's count, if it is plausible. */
export function countedTokens(reported: number | undefined): number | undefined {
  return reported !== undefined && reported >= 0 && reported <= MAX_TOKENS ? reported : undefined;
}

/** The counts of one call as our `Usage`: cached tokens are not input, `total` is the sum, the cost is known if the price is. */
export function createUsage(counts: Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite">, pricing: Pricing): Usage {
  const { input, output, cacheRead, cacheWrite } = counts;
  const usage = { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite };
  const cost = pricesFor(input + cacheRead + cacheWrite, pricing.cost);
  if (cost === undefined) return usage;
  const writePrice = (pricing.retention === "long" ? cost.cacheWriteLong : undefined) ?? cost.cacheWrite ?? cost.input;
  const dollars = input * cost.input + output * cost.output + cacheRead * (cost.cacheRead ?? cost.input) + cacheWrite * writePrice;
  return { ...usage, costUsd: dollars / 1_000_000 };
}

function pricesFor(promptTokens: number, cost: ModelCost | undefined): Omit<ModelCost, "longContext"> | undefined {
  const long = cost?.longContext;
  return long !== undefined && promptTokens > long.aboveTokens ? long : cost;
}

/** The SDK's usage as ours. Without a plausible report the estimate is used, so that the context's size is never taken for zero. */
export function toUsage(reported: LanguageModelV4Usage, estimate: UsageEstimate, pricing: Pricing): Usage {
  const { inputTokens, outputTokens } = reported;
  const cacheRead = countedTokens(inputTokens.cacheRead) ?? 0;
  const cacheWrite = countedTokens(inputTokens.cacheWrite) ?? 0;
  const total = countedTokens(inputTokens.total);
  const known = countedTokens(inputTokens.noCache) ?? (total === undefined ? undefined : Math.max(0, total - cacheRead - cacheWrite));
  const output = countedTokens(outputTokens.total) ?? estimate.output;
  return createUsage({ input: known ?? estimate.input, output, cacheRead, cacheWrite }, pricing);
}
