import { createOpenAI } from "@ai-sdk/openai";
import { asRecord, parseVendorError } from "../errors/vendor-error.ts";
import { COMMON_IDS } from "../prompt/tool-call-ids.ts";
import type { WireFormatModule } from "../wire-format.ts";
import { openaiSettings } from "./openai-settings.ts";

/** OpenAI's Responses API. Nothing is stored on the server: the whole conversation is sent each time, thinking as encrypted items. */
export const openaiResponses: WireFormatModule = {
  renderRules: () => ({
    systemMessages: "two",
    mergesNeighbours: false,
    imagesInToolResults: true,
    errorResults: "text",
    toolCallIds: COMMON_IDS,
    replaysUnsignedThinking: false,
    strictTools: false,
  }),
  streamRules: { isUnknownEvent, buffersToolInput: false },
  connect: ({ info, baseUrl, apiKey, fetch }) => ({
    model: createOpenAI({ baseURL: baseUrl, apiKey, fetch }).responses(info.id),
    prepare: (request, { prompt, tools, maxOutputTokens }) => ({
      prompt,
      ...(tools.length === 0 ? {} : { tools }),
      maxOutputTokens,
      ...openaiSettings(request, info, { hasSummaries: true }),
    }),
  }),
};

/** Every event has a type; the SDK reads unknown ones as such, so a value that fails its schema is a new shape of a known type or no event at all. */
function isUnknownEvent(frame: unknown): boolean {
  const type = asRecord(frame)?.type;
  return (
    typeof type === "string" &&
    type.startsWith("response.") &&
    !/^response\.(?:completed|failed|incomplete|error)$/.test(type) &&
    parseVendorError(frame) === undefined
  );
}
