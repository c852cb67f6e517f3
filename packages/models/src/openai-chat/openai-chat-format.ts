import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ModelInfo, ModelRequest } from "@factotum/agent-contract";
import { openaiSettings } from "../openai-responses/openai-settings.ts";
import { ANTHROPIC_TRIGGERS } from "../prompt/clean-text.ts";
import { COMMON_IDS } from "../prompt/tool-call-ids.ts";
import { toReasoning } from "../reasoning.ts";
import { CHAT_STREAM_RULES } from "../stream/chat-stream-rules.ts";
import type { WireFormatModule } from "../wire-format.ts";

/** Servers that want a model's open thinking back together with the tool calls that it led to. */
const REPLAYS_THINKING = new Set(["deepseek", "moonshotai"]);

/** Servers that know the effort `none`; for others, thinking that is off is thinking that is not asked for. */
const KNOWS_NONE = new Set(["ollama", "openrouter"]);

/** Chat Completions: OpenAI's own, and every server that copies it. */
export const openaiChat: WireFormatModule = {
  renderRules: (info, baseUrl) => ({
    // Chat templates of local servers take one system message, at the beginning.
    systemMessages: "one",
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
    return {
      model: own
        ? createOpenAI({ baseURL: baseUrl, apiKey, fetch }).chat(info.id)
        : createOpenAICompatible({ name: "compatible", baseURL: baseUrl, apiKey, fetch, includeUsage: true })(info.id),
      prepare: (request, { prompt, tools, maxOutputTokens }) => ({
        prompt,
        ...(tools.length === 0 ? {} : { tools }),
        maxOutputTokens,
        includeRawChunks: true,
        ...(own ? openaiSettings(request, info, { hasSummaries: false }) : compatibleSettings(request, info)),
      }),
    };
  },
};

function isOpenAI(info: ModelInfo, baseUrl: string): boolean {
  const host = new URL(baseUrl).hostname;
  return info.provider === "openai" || host === "api.openai.com" || host.endsWith(".openai.azure.com");
}

/** The level has been fitted to the model already. */
function compatibleSettings(request: ModelRequest, info: ModelInfo): Pick<LanguageModelV4CallOptions, "reasoning"> {
  const level = info.reasoning ? toReasoning(request.thinking) : undefined;
  return level === undefined || (level === "none" && !KNOWS_NONE.has(info.provider)) ? {} : { reasoning: level };
}
