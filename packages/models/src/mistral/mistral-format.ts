import { createMistral } from "@ai-sdk/mistral";
import { withoutUndefined } from "@factotum/agent-contract";
import { MISTRAL_IDS } from "../prompt/tool-call-ids.ts";
import { toReasoning } from "../reasoning.ts";
import { CHAT_STREAM_RULES } from "../stream/chat-stream-rules.ts";
import type { WireFormatModule } from "../wire-format.ts";

/** Mistral's chat API. */
export const mistral: WireFormatModule = {
  renderRules: () => ({
    systemMessages: "one",
    mergesNeighbours: true,
    imagesInToolResults: false,
    // The documented number for the vendor's vision models.
    maxImages: 8,
    errorResults: "text",
    toolCallIds: MISTRAL_IDS,
    // The endpoint refuses a user message directly after a tool result.
    bridgeAfterTools: "Noted.",
    replaysUnsignedThinking: false,
  }),
  streamRules: CHAT_STREAM_RULES,
  connect: ({ info, baseUrl, apiKey, fetch, generateId }) => ({
    model: createMistral({ baseURL: baseUrl, apiKey, fetch, generateId })(info.id),
    prepare: (request, { prompt, tools, maxOutputTokens }) => {
      const reasoning = info.reasoning ? toReasoning(request.thinking) : undefined;
      const hasKey = request.cacheKey !== undefined && request.cacheRetention !== "none";
      return {
        prompt,
        ...(tools.length === 0 ? {} : { tools }),
        maxOutputTokens,
        includeRawChunks: true,
        ...(hasKey ? { providerOptions: { mistral: { promptCacheKey: request.cacheKey } } } : {}),
        ...withoutUndefined({ reasoning }),
      };
    },
  }),
};
