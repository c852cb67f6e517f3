import type { LanguageModelV4FinishReason } from "@ai-sdk/provider";
import { asRecord, parseVendorError } from "../errors/vendor-error.ts";
import type { RawFrame, StreamRules } from "../wire-format.ts";

const FINISH: Readonly<Record<string, LanguageModelV4FinishReason["unified"]>> = {
  stop: "stop",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  length: "length",
  model_length: "length",
  content_filter: "content-filter",
  error: "error",
};

/** For the chunks of Chat Completions and of Mistral's API, which is similar. */
export const CHAT_STREAM_RULES: StreamRules = {
  // Chunks have no type: one with neither choices nor an error is something else, and no part of the answer.
  isUnknownEvent: (frame) => {
    const chunk = asRecord(frame);
    return chunk !== undefined && chunk.choices === undefined && parseVendorError(chunk) === undefined;
  },
  readRawFrame: (frame): RawFrame | undefined => {
    const choices = asRecord(frame)?.choices;
    const raw = Array.isArray(choices) ? asRecord(choices[0])?.finish_reason : undefined;
    return typeof raw === "string" ? { finishReason: { unified: FINISH[raw] ?? "other", raw } } : undefined;
  },
  buffersToolInput: false,
};
