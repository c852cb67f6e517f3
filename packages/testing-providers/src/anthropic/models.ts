/** A model's limits for the checks. */
export interface AnthropicModel {
  /** Maximum tokens of a prompt. */
  readonly contextWindow: number;
  /** The largest `max_tokens`. */
  readonly maxOutput: number;
  /** A shorter prefix is never cached, even with marks. */
  readonly minCacheTokens: number;
  /** Whether the last message may be the assistant's. */
  readonly prefill: boolean;
  /** Whether `temperature`, `top_p` and `top_k` are accepted. */
  readonly sampling: boolean;
  /** Supported kinds of thinking; by default those of the models before 5.5. */
  readonly thinkingTypes?: readonly string[];
  /** Thinking cannot be turned off at an effort above `high`. */
  readonly thinksAboveHigh?: boolean;
  /** Preserved thinking: an earlier thought is bound to everything before it, and a request that changed any of that is refused. */
  readonly bindsThinking?: boolean;
}

/** All models known to the API. */
export const THINKING_TYPES: readonly string[] = ["adaptive", "between_tools", "disabled", "enabled"];
/** Defaults of a model. */
export const USUAL_THINKING_TYPES: readonly string[] = ["adaptive", "disabled", "enabled"];

const SMALL = { contextWindow: 200_000, maxOutput: 64_000, prefill: true, sampling: true };
const LARGE = { contextWindow: 1_000_000, maxOutput: 128_000, prefill: false, sampling: true };
const LARGE_UNSAMPLED = { ...LARGE, sampling: false };
const ALWAYS_THINKS = { ...LARGE_UNSAMPLED, thinkingTypes: ["adaptive"] };
const PRESERVED = { ...ALWAYS_THINKS, bindsThinking: true };

/** By family, the first match; a dated snapshot (`claude-haiku-4-5-20251001`) belongs to its family. Thinking of models from 5 on: docs of `@ai-sdk/anthropic`. */
const FAMILIES: readonly (readonly [prefix: string, model: AnthropicModel])[] = [
  ["claude-haiku-4-5", { ...SMALL, minCacheTokens: 4096 }],
  ["claude-sonnet-4-5", { ...SMALL, minCacheTokens: 1024 }],
  ["claude-opus-4-5", { ...SMALL, minCacheTokens: 4096 }],
  ["claude-sonnet-4-6", { ...LARGE, minCacheTokens: 1024 }],
  ["claude-opus-4-6", { ...LARGE, minCacheTokens: 4096 }],
  ["claude-opus-4-7", { ...LARGE_UNSAMPLED, minCacheTokens: 2048 }],
  ["claude-opus-4-8", { ...LARGE_UNSAMPLED, minCacheTokens: 1024 }],
  ["claude-sonnet-5-5", { ...PRESERVED, thinkingTypes: ["adaptive", "between_tools"], minCacheTokens: 1024 }],
  ["claude-sonnet-5", { ...LARGE_UNSAMPLED, minCacheTokens: 1024 }],
  ["claude-opus-5-5", { ...PRESERVED, minCacheTokens: 512 }],
  ["claude-opus-5", { ...LARGE_UNSAMPLED, thinksAboveHigh: true, minCacheTokens: 512 }],
  ["claude-haiku-5-5", { ...LARGE_UNSAMPLED, thinkingTypes: ["adaptive", "disabled"], thinksAboveHigh: true, minCacheTokens: 1024 }],
  ["claude-fable-5-1", { ...PRESERVED, minCacheTokens: 512 }],
  ["claude-fable-5-2", { ...PRESERVED, minCacheTokens: 512 }],
  ["claude-fable-5", { ...ALWAYS_THINKS, minCacheTokens: 512 }],
];

/** The facts of a model id; `extra` wins. Undefined for an unknown id. */
export function findAnthropicModel(id: string, extra: Readonly<Record<string, AnthropicModel>> = {}): AnthropicModel | undefined {
  if (Object.hasOwn(extra, id)) return extra[id];
  return FAMILIES.find(([prefix]) => id === prefix || id.startsWith(`${prefix}-`))?.[1];
}
