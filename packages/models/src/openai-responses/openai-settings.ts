import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { withoutUndefined } from "@factotum/agent-contract";
import type { ModelInfo, ModelRequest } from "@factotum/agent-contract";
import { toReasoning } from "../reasoning.ts";

/** Settings of both of OpenAI's own endpoints. The cache key never contains a platform id; the caller makes sure of that. */
export function openaiSettings(
  request: ModelRequest,
  info: ModelInfo,
  options: { readonly hasSummaries: boolean },
): Pick<LanguageModelV4CallOptions, "providerOptions" | "reasoning"> {
  const retention = request.cacheRetention ?? "short";
  const openai: SharedV4ProviderOptions[string] = {
    store: false,
    forceReasoning: info.reasoning,
    ...(retention === "none" || request.cacheKey === undefined ? {} : { promptCacheKey: request.cacheKey }),
    ...(retention === "long" && /^gpt-(?:4\.1|5(?!\.[6-9]))/.test(info.id) ? { promptCacheRetention: "24h" } : {}),
    // Detailed summaries, the SDK's default, are refused by some models; `auto` works for all that have any.
    ...(options.hasSummaries && wantsThinking(request, info) ? { reasoningSummary: "auto" } : {}),
  };
  const reasoning = info.reasoning ? toReasoning(request.thinking) : undefined;
  return { providerOptions: { openai }, ...withoutUndefined({ reasoning }) };
}

function wantsThinking(request: ModelRequest, info: ModelInfo): boolean {
  return info.reasoning && request.thinking !== undefined && request.thinking !== "off";
}
