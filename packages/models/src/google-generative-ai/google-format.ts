import { createGoogle } from "@ai-sdk/google";
import { withoutUndefined } from "@factotum/agent-contract";
import { asRecord, parseVendorError } from "../errors/vendor-error.ts";
import { COMMON_IDS } from "../prompt/tool-call-ids.ts";
import { toReasoning } from "../reasoning.ts";
import type { WireFormatModule } from "../wire-format.ts";

/** Google's Gemini API. */
export const googleGenerativeAi: WireFormatModule = {
  renderRules: () => ({
    systemMessages: "two",
    mergesNeighbours: true,
    // Only the newest models accept images in a function response; all accept them after it.
    imagesInToolResults: false,
    errorResults: "native",
    toolCallIds: COMMON_IDS,
    replaysUnsignedThinking: false,
  }),
  streamRules: {
    isUnknownEvent: (frame) => {
      const chunk = asRecord(frame);
      return chunk !== undefined && chunk.candidates === undefined && parseVendorError(chunk) === undefined;
    },
    buffersToolInput: false,
  },
  connect: ({ info, baseUrl, apiKey, fetch, generateId }) => ({
    model: createGoogle({ baseURL: baseUrl, apiKey, fetch, generateId })(info.id),
    prepare: (request, { prompt, tools, maxOutputTokens }) => {
      const reasoning = info.reasoning ? toReasoning(request.thinking) : undefined;
      const thinks = info.reasoning && request.thinking !== undefined && request.thinking !== "off";
      return {
        prompt,
        ...(tools.length === 0 ? {} : { tools }),
        maxOutputTokens,
        ...(thinks ? { providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } } : {}),
        ...withoutUndefined({ reasoning }),
      };
    },
  }),
};
