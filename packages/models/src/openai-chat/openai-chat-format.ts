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

/** Servers that want a model's open thinking back together with the tool calls that it led to. */
const REPLAYS_THINKING = new Set(["deepseek", "moonshotai"]);

/** Servers that know the effort `none`; for others, thinking that is off is thinking that is not asked for. */
const KNOWS_NONE = new Set(["ollama", "openrouter"]);

/**
 * Servers that know the older name of the output limit alone: under the newer one they would answer without a limit. llama.cpp has learnt the newer
 * name, but not in the builds that most people run.
 */
const KNOWS_MAX_TOKENS_ONLY = new Set(["deepseek", "moonshotai", "together", "ollama", "lmstudio", "llamacpp"]);

/** Servers that pass Anthropic's cache marks on to Claude; without marks nothing is cached there. */
const PASSES_CACHE_MARKS = new Set(["openrouter"]);

/** Servers with a switch of their own for thinking that is left to the model: some models do not think there unless it is on. */
const KNOWS_ENABLED = new Set(["openrouter"]);

/** Chat Completions: OpenAI's own, and every server that copies it. */
export const openaiChat: WireFormatModule = {
  renderRules: (info, baseUrl) => ({
    // Chat templates of local servers take one system message, at the beginning.
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
 * Whether the output limit is called `max_completion_tokens`. The vendor's own endpoint takes that name for every model. Elsewhere reasoning models
 * get it, since the vendor refuses the older name for them and whatever passes requests on to it does too; other models keep the name that every copy
 * knows.
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

/** The level has been fitted to the model already. */
function compatibleSettings(request: ModelRequest, info: ModelInfo): Pick<LanguageModelV4CallOptions, "reasoning" | "providerOptions"> {
  if (info.reasoning && request.thinking === "adaptive" && KNOWS_ENABLED.has(info.provider))
    return { providerOptions: { compatible: { reasoning: { enabled: true } } } };
  const level = info.reasoning ? toReasoning(request.thinking) : undefined;
  return level === undefined || (level === "none" && !KNOWS_NONE.has(info.provider)) ? {} : { reasoning: level };
}
