import { randomBytes } from "node:crypto";
import type { JsonObject } from "../json.ts";
import type { FaultFrames } from "../server/body-fault.ts";
import type { AnthropicErrorBody, AnthropicErrorType } from "./errors.ts";
import type { AnthropicReply, AnthropicReplyBlock, AnthropicStopReason, AnthropicUsage } from "./reply.ts";
import { sealThinking, signThinking } from "./signature.ts";
import { estimateTokens } from "./tokens.ts";

/** A content block in its response form, ready to be sent back in a later request. */
type WireBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: JsonObject };

/** A complete response message. */
export interface WireMessage {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly model: string;
  readonly content: readonly WireBlock[];
  readonly stop_reason: AnthropicStopReason;
  readonly stop_sequence: string | null;
  readonly usage: AnthropicUsage;
}

type MessageReply = Extract<AnthropicReply, { type: "message" }>;

const NO_INPUT: Omit<AnthropicUsage, "output_tokens"> = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
};

/** A unique id such as `msg_01…`, so that a history may outlive a server. */
export function wireId(prefix: "msg" | "toolu" | "req"): string {
  return `${prefix}_01${randomBytes(11).toString("hex")}`;
}

/** The context of an answer. */
export interface AnsweredRequest {
  /** What the request cost. */
  readonly input?: Omit<AnthropicUsage, "output_tokens"> | undefined;
  /** The prefix that the answer's thoughts are bound to, for a model with preserved thinking. */
  readonly prefix?: string | undefined;
}

/** Fills in defaults of the reply. */
export function renderMessage(reply: MessageReply, model: string, { input = NO_INPUT, prefix }: AnsweredRequest = {}): WireMessage {
  const content = reply.content.map((block) => renderBlock(block, model, prefix));
  const calls = content.some(({ type }) => type === "tool_use");
  return {
    id: wireId("msg"),
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: reply.stopReason ?? (calls ? "tool_use" : "end_turn"),
    stop_sequence: reply.stopSequence ?? null,
    usage: { ...input, output_tokens: content.reduce((sum, block) => sum + estimateTokens({ ...block }), 0), ...reply.usage },
  };
}

function renderBlock(block: AnthropicReplyBlock, model: string, prefix: string | undefined): WireBlock {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "thinking":
      return { type: "thinking", thinking: block.thinking, signature: block.signature ?? signThinking(model, block.thinking, prefix) };
    case "redacted_thinking":
      return { type: "redacted_thinking", data: sealThinking(model, block.thinking, prefix) };
    case "tool_use":
      return { type: "tool_use", id: block.id ?? wireId("toolu"), name: block.name, input: block.input };
  }
}

/** The events of a streamed message, in the documented order; each is one frame. `content` has the texts of deliberately broken inputs. */
export function renderEvents(
  message: WireMessage,
  options: { deltaCharacters?: number | undefined; content?: MessageReply["content"] } = {},
): string[] {
  const size = options.deltaCharacters ?? 16;
  const { usage } = message;
  const start = { ...message, content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } };
  const frames = [frame({ type: "message_start", message: start })];
  for (const [index, block] of message.content.entries()) {
    frames.push(frame({ type: "content_block_start", index, content_block: opening(block) }));
    if (index === 0) frames.push(PING_FRAME);
    const said = options.content?.[index];
    const inputText = said?.type === "tool_use" ? said.inputText : undefined;
    for (const delta of deltas(block, size, inputText)) frames.push(frame({ type: "content_block_delta", index, delta }));
    frames.push(frame({ type: "content_block_stop", index }));
  }
  const delta = { stop_reason: message.stop_reason, stop_sequence: message.stop_sequence };
  const { cache_creation: _detail, ...total } = usage;
  frames.push(frame({ type: "message_delta", delta, usage: total }), frame({ type: "message_stop" }));
  return frames;
}

/** The keep-alive of a stream. */
export const PING_FRAME: string = frame({ type: "ping" });

/** Frames inserted by faults. */
export const FAULT_FRAMES: FaultFrames<AnthropicErrorType> = {
  garbage: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"del\n\n',
  unknownEvent: frame({ type: "content_block_weather", index: 0 }),
  error: (type, message) => frame({ type: "error", error: { type, message } }),
};

/** The body of an error response. */
export function errorBody(type: AnthropicErrorType, message: string, requestId: string): AnthropicErrorBody {
  return { type: "error", error: { type, message }, request_id: requestId };
}

function frame(event: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function opening(block: WireBlock): object {
  switch (block.type) {
    case "text":
      return { type: "text", text: "" };
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "redacted_thinking":
      return block;
    case "tool_use":
      return { ...block, input: {} };
  }
}

function deltas(block: WireBlock, size: number, inputText: string | undefined): object[] {
  switch (block.type) {
    case "text":
      return parts(block.text, size).map((text) => ({ type: "text_delta", text }));
    case "thinking":
      return [
        ...parts(block.thinking, size).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature },
      ];
    case "redacted_thinking":
      return [];
    case "tool_use": {
      // The vendor opens with an empty chunk; a call without arguments has no other.
      const json =
        Object.keys(block.input).length === 0 && inputText === undefined ? [] : parts(inputText ?? JSON.stringify(block.input), size);
      return ["", ...json].map((partial_json) => ({ type: "input_json_delta", partial_json }));
    }
  }
}

function parts(text: string, size: number): string[] {
  const characters = Array.from(text);
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(""),
  );
}
