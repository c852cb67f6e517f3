import { createAnthropic } from "@ai-sdk/anthropic";
import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import { withoutUndefined } from "@factotum/agent-contract";
import { asRecord } from "../errors/vendor-error.ts";
import { ANTHROPIC_TRIGGERS } from "../prompt/clean-text.ts";
import { COMMON_IDS } from "../prompt/tool-call-ids.ts";
import { thinksWithinBudget } from "../thinking/thinking-levels.ts";
import type { RawFrame, WireFormatModule } from "../wire-format.ts";
import { markForCaching } from "./cache-marks.ts";
import { chooseThinking, type AnthropicThinking } from "./thinking.ts";

const KNOWN_EVENTS = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "ping",
  "error",
]);

/** Anthropic's Messages API, and compatible servers. */
export const anthropicMessages: WireFormatModule = {
  renderRules: (info) => ({
    systemMessages: "two",
    // The SDK merges adjacent messages itself, tool results included.
    mergesNeighbours: false,
    imagesInToolResults: true,
    errorResults: "native",
    toolCallIds: COMMON_IDS,
    replaysUnsignedThinking: false,
    // Models that think within a budget bind no thoughts, and require a thought at the start of a turn that calls tools.
    bindsThinking: !thinksWithinBudget(info.id),
    triggers: ANTHROPIC_TRIGGERS,
  }),
  streamRules: { isUnknownEvent, readRawFrame, buffersToolInput: true },
  connect: ({ info, baseUrl, apiKey, fetch, generateId }) => ({
    model: createAnthropic({ baseURL: baseUrl, apiKey, fetch, generateId })(info.id),
    prepare: (request, rendered) => {
      const marked = markForCaching(rendered.prompt, rendered.tools, request.cacheRetention ?? "short");
      const thinking = chooseThinking(request, info, rendered.maxOutputTokens);
      return {
        prompt: marked.prompt,
        ...(marked.tools.length === 0 ? {} : { tools: marked.tools }),
        // The SDK adds the budget to the limit.
        maxOutputTokens: rendered.maxOutputTokens - (thinking.type === "budget" ? thinking.budgetTokens : 0),
        includeRawChunks: true,
        providerOptions: { anthropic: { toolStreaming: false, ...renderThinking(thinking) } },
        ...(thinking.type === "off" ? { reasoning: "none" as const } : {}),
      };
    },
  }),
};

function renderThinking(thinking: AnthropicThinking): SharedV4ProviderOptions[string] {
  switch (thinking.type) {
    case "unset":
    case "off":
      return {};
    case "adaptive":
      return {
        thinking: { type: "adaptive", display: "summarized" },
        ...withoutUndefined({ effort: thinking.effort }),
      };
    case "budget":
      return { thinking: { type: "enabled", budgetTokens: thinking.budgetTokens } };
  }
}

/** An event, block or delta of a type that is newer than the SDK. */
function isUnknownEvent(frame: unknown): boolean {
  const type = asRecord(frame)?.type;
  if (typeof type !== "string") return false;
  if (!KNOWN_EVENTS.has(type)) return true;
  const inner = asRecord(frame)?.content_block ?? asRecord(frame)?.delta;
  return (
    (type === "content_block_start" || type === "content_block_delta") && typeof asRecord(inner)?.type === "string" && !isKnownBlock(inner)
  );
}

function isKnownBlock(block: unknown): boolean {
  const type = asRecord(block)?.type;
  return (
    typeof type === "string" &&
    /^(?:text|thinking|redacted_thinking|tool_use|text_delta|thinking_delta|signature_delta|input_json_delta)$/.test(type)
  );
}

/** `message_start` reports the prompt's tokens before the first text. */
function readRawFrame(frame: unknown): RawFrame | undefined {
  const event = asRecord(frame);
  if (event?.type !== "message_start") return undefined;
  const usage = asRecord(asRecord(event.message)?.usage);
  if (typeof usage?.input_tokens !== "number") return undefined;
  const count = (value: unknown): number => (typeof value === "number" ? value : 0);
  return {
    usage: {
      input: usage.input_tokens,
      cacheRead: count(usage.cache_read_input_tokens),
      cacheWrite: count(usage.cache_creation_input_tokens),
    },
  };
}
