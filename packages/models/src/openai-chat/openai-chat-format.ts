import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { withoutUndefined } from "@factotum/agent-contract";
import type { ModelInfo, ModelRequest } from "@factotum/agent-contract";
import { openaiSettings } from "../openai-responses/openai-settings.ts";
import { ANTHROPIC_TRIGGERS } from "../prompt/clean-text.ts";
import { COMMON_IDS } from "../prompt/tool-call-ids.ts";
import { toReasoning } from "../reasoning.ts";
import { CHAT_STREAM_RULES } from "../stream/chat-stream-rules.ts";
import type { WireFormatModule } from "../wire-format.ts";
import { markClaudePrompt, moveMarks } from "./claude-cache.ts";

/** Servers that require a model's open thinking back with the tool calls that followed it. */
const REPLAYS_THINKING = new Set(["deepseek", "moonshotai"]);

/** Servers that know the effort `none`; for others, thinking is turned off by not requesting it. */
const KNOWS_NONE = new Set(["ollama", "openrouter"]);

/**
 * Servers that know only the older name of the output limit: they ignore the newer one and would answer without a limit. llama.cpp has learnt the newer name,
 * but not in the builds that most people run.
 */
const KNOWS_MAX_TOKENS_ONLY = new Set(["deepseek", "moonshotai", "together", "ollama", "lmstudio", "llamacpp"]);

/** Servers that pass Anthropic's cache marks on to Claude; without marks nothing is cached there. */
const PASSES_CACHE_MARKS = new Set(["openrouter"]);

/** Servers with an own switch for adaptive thinking: some models do not think there unless it is on. */
const KNOWS_ENABLED = new Set(["openrouter"]);

/** Chat Completions: OpenAI's own, and every compatible server. */
export const openaiChat: WireFormatModule = {
  renderRules: (info, baseUrl) => ({
    // Chat templates of local servers accept one system message, at the start.
    systemMessages: takesCacheMarks(info) ? "two" : "one",
    mergesNeighbours: false,
    imagesInToolResults: false,
    errorResults: "text",
    toolCallIds: COMMON_IDS,
    mayThinkInText: !isOpenAI(info, baseUrl),
    replaysUnsignedThinking: REPLAYS_THINKING.has(info.provider),
    ...(info.id.includes("claude") ? { triggers: ANTHROPIC_TRIGGERS } : {}),
    ...(isOpenAI(info, baseUrl) ? { strictTools: false } : {}),
  }),
  streamRules: CHAT_STREAM_RULES,
  connect: ({ info, baseUrl, apiKey, fetch }) => {
    const own = isOpenAI(info, baseUrl);
    const marks = takesCacheMarks(info);
    const transformRequestBody = (body: Record<string, unknown>): Record<string, unknown> => {
      const limited = takesCompletionLimit(info, baseUrl) ? nameCompletionLimit(body) : body;
      return marks ? moveMarks(limited) : limited;
    };
    const compatible = { name: "compatible", baseURL: baseUrl, apiKey, fetch, includeUsage: true, transformRequestBody };
    return {
      model: own ? createOpenAI({ baseURL: baseUrl, apiKey, fetch }).chat(info.id) : createOpenAICompatible(compatible)(info.id),
      prepare: (request, { prompt, tools, maxOutputTokens }) => ({
        prompt: marks ? markClaudePrompt(prompt, request.cacheRetention ?? "short") : prompt,
        ...(tools.length === 0 ? {} : { tools }),
        includeRawChunks: true,
        ...(own ? ownSettings(request, info, { baseUrl, maxOutputTokens }) : { maxOutputTokens, ...compatibleSettings(request, info) }),
      }),
    };
  },
};

function isOpenAI(info: ModelInfo, baseUrl: string): boolean {
  return info.provider === "openai" || isVendorHost(baseUrl);
}

function isVendorHost(baseUrl: string): boolean {
  const host = new URL(baseUrl).hostname;
  return host === "api.openai.com" || host.endsWith(".openai.azure.com");
}

/**
 * Whether the output limit is sent as `max_completion_tokens`. The vendor's own endpoint accepts that name for every model. Elsewhere reasoning models get it,
 * since the vendor and proxies to it refuse the older name for them; other models get the older name, which every compatible server knows.
 */
function takesCompletionLimit(info: ModelInfo, baseUrl: string): boolean {
  return isVendorHost(baseUrl) || (info.reasoning && !KNOWS_MAX_TOKENS_ONLY.has(info.provider));
}

function nameCompletionLimit({ max_tokens: limit, ...body }: Record<string, unknown>): Record<string, unknown> {
  return limit === undefined ? body : { ...body, max_completion_tokens: limit };
}

function ownSettings(
  request: ModelRequest,
  info: ModelInfo,
  { baseUrl, maxOutputTokens }: { readonly baseUrl: string; readonly maxOutputTokens: number },
): Pick<LanguageModelV4CallOptions, "maxOutputTokens" | "providerOptions" | "reasoning"> {
  const { providerOptions, ...settings } = openaiSettings(request, info, { hasSummaries: false });
  if (!takesCompletionLimit(info, baseUrl)) return { maxOutputTokens, ...settings, ...withoutUndefined({ providerOptions }) };
  return { ...settings, providerOptions: { openai: { ...providerOptions?.["openai"], maxCompletionTokens: maxOutputTokens } } };
}

function takesCacheMarks({ provider, id }: ModelInfo): boolean {
  return PASSES_CACHE_MARKS.has(provider) && id.includes("claude");
}

/** The level was already clamped to the model. */
function compatibleSettings(request: ModelRequest, info: ModelInfo): Pick<LanguageModelV4CallOptions, "reasoning" | "providerOptions"> {
  if (info.reasoning && request.thinking === "adaptive" && KNOWS_ENABLED.has(info.provider))
    return { providerOptions: { compatible: { reasoning: { enabled: true } } } };
  const level = info.reasoning ? toReasoning(request.thinking) : undefined;
  return level === undefined || (level === "none" && !KNOWS_NONE.has(info.provider)) ? {} : { reasoning: level };
}
