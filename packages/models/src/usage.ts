import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { CacheRetention, ModelCost, Usage } from "@factotum/agent-contract";

/** A guess, for providers that report nothing. */
export interface UsageEstimate {
  readonly input: number;
  readonly output: number;
}

/** What decides the price of a call. */
export interface Pricing {
  readonly cost: ModelCost | undefined;
  /** How long the call asked the provider to keep its prefix: an hour costs more than five minutes. */
  readonly retention: CacheRetention;
}

/** The counts of one call as our `Usage`: cached tokens are no input, `total` is the sum, the cost is known when the price is. */
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

/** The SDK's usage as ours. Where the provider reported nothing, the estimate stands, so that the context's size is never taken for zero. */
export function toUsage(reported: LanguageModelV4Usage, estimate: UsageEstimate, pricing: Pricing): Usage {
  const { inputTokens, outputTokens } = reported;
  const cacheRead = inputTokens.cacheRead ?? 0;
  const cacheWrite = inputTokens.cacheWrite ?? 0;
  const known = inputTokens.noCache ?? (inputTokens.total === undefined ? undefined : inputTokens.total - cacheRead - cacheWrite);
  const input = known === undefined ? estimate.input : Math.max(0, known);
  return createUsage({ input, output: outputTokens.total ?? estimate.output, cacheRead, cacheWrite }, pricing);
}
