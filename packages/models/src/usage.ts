import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ModelCost, Usage } from "@factotum/agent-contract";

/** A guess, for providers that report nothing. */
export interface UsageEstimate {
  readonly input: number;
  readonly output: number;
}

/** The counts of one call as our `Usage`: cached tokens are no input, `total` is the sum, the cost is known when the price is. */
export function createUsage(counts: Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite">, cost: ModelCost | undefined): Usage {
  const { input, output, cacheRead, cacheWrite } = counts;
  const usage = { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite };
  if (cost === undefined) return usage;
  const dollars =
    input * cost.input + output * cost.output + cacheRead * (cost.cacheRead ?? cost.input) + cacheWrite * (cost.cacheWrite ?? cost.input);
  return { ...usage, costUsd: dollars / 1_000_000 };
}

/** The SDK's usage as ours. Where the provider reported nothing, the estimate stands, so that the context's size is never taken for zero. */
export function toUsage(reported: LanguageModelV4Usage, estimate: UsageEstimate, cost: ModelCost | undefined): Usage {
  const { inputTokens, outputTokens } = reported;
  const cacheRead = inputTokens.cacheRead ?? 0;
  const cacheWrite = inputTokens.cacheWrite ?? 0;
  const known = inputTokens.noCache ?? (inputTokens.total === undefined ? undefined : inputTokens.total - cacheRead - cacheWrite);
  const input = known === undefined ? estimate.input : Math.max(0, known);
  return createUsage({ input, output: outputTokens.total ?? estimate.output, cacheRead, cacheWrite }, cost);
}
