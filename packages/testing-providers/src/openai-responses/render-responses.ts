import type { JsonObject, JsonValue } from "../json.ts";
import { openaiErrorBody } from "../openai/errors.ts";
import type { FaultFrames } from "../server/body-fault.ts";
import { freshId, piecesOf, sseFrame } from "../strict/render-parts.ts";
import type { ErrorKind, ReplyBlock, ReplyUsage } from "../strict/scripted-reply.ts";
import type { RenderedReply } from "../strict/wire.ts";
import { sealReasoning } from "./seal.ts";

/** An item of a finished response, ready to be sent back in a later request. */
type OutputItem =
  | { readonly type: "message"; readonly id: string; readonly text: string }
  | { readonly type: "reasoning"; readonly id: string; readonly text: string; readonly sealed: string | null }
  | { readonly type: "function_call"; readonly id: string; readonly callId: string; readonly name: string; readonly arguments: string };

function toItem(block: ReplyBlock, sealed: boolean): OutputItem {
  switch (block.type) {
    case "text":
      return { type: "message", id: freshId("msg_", 20), text: block.text };
    case "thinking": {
      const id = freshId("rs_", 20);
      return { type: "reasoning", id, text: block.text, sealed: sealed ? sealReasoning(id, block.text) : null };
    }
    case "toolCall":
      return {
        type: "function_call",
        id: freshId("fc_", 20),
        callId: block.id ?? freshId("call_", 12),
        name: block.name,
        arguments: block.argumentsText ?? JSON.stringify(block.arguments),
      };
  }
}

function textPart(text: string): JsonObject {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function summaryPart(text: string): JsonObject {
  return { type: "summary_text", text };
}

function finished(item: OutputItem): JsonObject {
  switch (item.type) {
    case "message":
      return { id: item.id, type: "message", status: "completed", role: "assistant", content: [textPart(item.text)] };
    case "reasoning":
      return { id: item.id, type: "reasoning", summary: item.text === "" ? [] : [summaryPart(item.text)], encrypted_content: item.sealed };
    case "function_call":
      return { id: item.id, type: "function_call", status: "completed", call_id: item.callId, name: item.name, arguments: item.arguments };
  }
}

function opened(item: OutputItem): JsonObject {
  switch (item.type) {
    case "message":
      return { id: item.id, type: "message", status: "in_progress", role: "assistant", content: [] };
    case "reasoning":
      return { id: item.id, type: "reasoning", summary: [], encrypted_content: null };
    case "function_call":
      return { id: item.id, type: "function_call", status: "in_progress", call_id: item.callId, name: item.name, arguments: "" };
  }
}

/** The events between an item's beginning and its end. */
function innerEvents(item: OutputItem, size: number): readonly (readonly [name: string, fields: JsonObject])[] {
  const pieces = piecesOf(item.type === "function_call" ? item.arguments : item.text, size);
  switch (item.type) {
    case "message":
      return [
        ["response.content_part.added", { content_index: 0, part: textPart("") }],
        ...pieces.map((delta) => ["response.output_text.delta", { content_index: 0, delta, logprobs: [] }] as const),
        ["response.output_text.done", { content_index: 0, text: item.text, logprobs: [] }],
        ["response.content_part.done", { content_index: 0, part: textPart(item.text) }],
      ];
    case "reasoning":
      if (item.text === "") return [];
      return [
        ["response.reasoning_summary_part.added", { summary_index: 0, part: summaryPart("") }],
        ...pieces.map((delta) => ["response.reasoning_summary_text.delta", { summary_index: 0, delta }] as const),
        ["response.reasoning_summary_text.done", { summary_index: 0, text: item.text }],
        ["response.reasoning_summary_part.done", { summary_index: 0, part: summaryPart(item.text) }],
      ];
    case "function_call":
      return [
        ...pieces.map((delta) => ["response.function_call_arguments.delta", { delta }] as const),
        ["response.function_call_arguments.done", { arguments: item.arguments }],
      ];
  }
}

function renderUsage({ input, cacheRead, output, reasoning }: ReplyUsage): JsonObject {
  const prompt = input + cacheRead;
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: prompt + output,
  };
}

function itemsOf({ body, content }: RenderedReply): readonly OutputItem[] {
  const { include } = body;
  const sealed = Array.isArray(include) && include.includes("reasoning.encrypted_content");
  return content.map((block) => toItem(block, sealed));
}

const INCOMPLETE: Readonly<Record<string, string>> = { length: "max_output_tokens", refusal: "content_filter" };

function envelope({ model, body }: RenderedReply, fields: JsonObject): JsonObject {
  const { tools = [], tool_choice: toolChoice = "auto", max_output_tokens: maxOutputTokens = null, instructions = null } = body;
  return {
    id: freshId("resp_", 24),
    object: "response",
    created_at: 1_780_000_000,
    error: null,
    incomplete_details: null,
    instructions,
    max_output_tokens: maxOutputTokens,
    metadata: {},
    model,
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: toolChoice,
    tools,
    top_p: null,
    store: body["store"] !== false,
    ...fields,
  };
}

function ending(reply: RenderedReply, items: readonly OutputItem[]): JsonObject {
  const reason = INCOMPLETE[reply.stop];
  return {
    status: reason === undefined ? "completed" : "incomplete",
    ...(reason === undefined ? {} : { incomplete_details: { reason } }),
    output: items.map(finished),
    usage: renderUsage(reply.usage),
  };
}

/** A complete response. */
export function renderResponse(reply: RenderedReply): JsonObject {
  return envelope(reply, ending(reply, itemsOf(reply)));
}

/** The events of a streamed response, numbered, in the documented order; each is one frame. */
export function renderResponseStream(reply: RenderedReply): readonly string[] {
  const items = itemsOf(reply);
  const frames: string[] = [];
  const emit = (type: string, fields: Readonly<Record<string, JsonValue>>): void => {
    frames.push(sseFrame({ type, sequence_number: frames.length, ...fields }, type));
  };
  const response = envelope(reply, { status: "in_progress", output: [], usage: null });
  emit("response.created", { response });
  emit("response.in_progress", { response });
  for (const [index, item] of items.entries()) {
    emit("response.output_item.added", { output_index: index, item: opened(item) });
    for (const [name, fields] of innerEvents(item, reply.deltaCharacters)) emit(name, { item_id: item.id, output_index: index, ...fields });
    emit("response.output_item.done", { output_index: index, item: finished(item) });
  }
  const end = ending(reply, items);
  emit(end["status"] === "completed" ? "response.completed" : "response.incomplete", { response: { ...response, ...end } });
  return frames;
}

/** Frames that faults insert into a stream. */
export const RESPONSES_FAULT_FRAMES: FaultFrames<ErrorKind> = {
  garbage: 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","del\n\n',
  unknownEvent: sseFrame(
    { type: "response.weather.delta", sequence_number: 1, item_id: "wx_1", output_index: 0, delta: "wind" },
    "response.weather.delta",
  ),
  error: (kind, message) => {
    const { code, param } = openaiErrorBody(kind, { message }).error;
    return sseFrame({ type: "error", sequence_number: 1, code, message, param }, "error");
  },
};
