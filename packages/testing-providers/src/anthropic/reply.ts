import type { JsonObject } from "../json.ts";
import type { BodyFault } from "../server/body-fault.ts";
import type { AnthropicErrorType } from "./errors.ts";

export type AnthropicStopReason =
  | "end_turn"
  | "max_tokens"
  | "stop_sequence"
  | "tool_use"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded";

/** A block that the model says. Ids, signatures and sealed data that are left out are made up, valid for later requests. */
export type AnthropicReplyBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature?: string }
  | { readonly type: "redacted_thinking"; readonly thinking: string }
  /** `inputText` comes over the wire in place of the input, cut off or broken. */
  | { readonly type: "tool_use"; readonly name: string; readonly input: JsonObject; readonly inputText?: string; readonly id?: string };

/** Usage as the vendor counts it: `input_tokens` has neither what was read from the cache nor what was written to it. */
export interface AnthropicUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation: { readonly ephemeral_5m_input_tokens: number; readonly ephemeral_1h_input_tokens: number };
  readonly output_tokens: number;
}

/** What goes wrong with an answer. */
export type AnthropicFault = BodyFault<AnthropicErrorType>;

/** What the server answers one request with: data, streamed or not as the request asks. */
export type AnthropicReply =
  | {
      readonly type: "message";
      readonly content: readonly AnthropicReplyBlock[];
      /** Default: `tool_use` when there is a call, else `end_turn`. */
      readonly stopReason?: AnthropicStopReason;
      readonly stopSequence?: string;
      /** Replaces what the server counts itself. */
      readonly usage?: Partial<AnthropicUsage>;
      /** Characters (code points) a delta; default 16. */
      readonly deltaCharacters?: number;
      /** Bytes a write; default one event a write. */
      readonly chunkBytes?: number;
      readonly fault?: AnthropicFault;
    }
  | {
      readonly type: "error";
      readonly errorType: AnthropicErrorType;
      readonly message: string;
      /** Default: the one documented for the type. */
      readonly status?: number;
      /** `{ "retry-after": "2" }` and the like. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      /** Anything else: a proxy's HTML page, an empty 200. */
      readonly type: "raw";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    };

/** A reply of plain text. */
export function textReply(text: string): AnthropicReply {
  return { type: "message", content: [{ type: "text", text }] };
}

/** A reply that calls tools, all at once. */
export function toolReply(
  ...calls: readonly { readonly name: string; readonly input: JsonObject; readonly id?: string }[]
): AnthropicReply {
  return { type: "message", content: calls.map((call) => ({ type: "tool_use", ...call })) };
}
