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

/** A block of the model's answer. Missing ids, signatures and sealed data are generated, valid for later requests. */
export type AnthropicReplyBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature?: string }
  | { readonly type: "redacted_thinking"; readonly thinking: string }
  /** `inputText` is sent instead of the input, cut off or broken. */
  | { readonly type: "tool_use"; readonly name: string; readonly input: JsonObject; readonly inputText?: string; readonly id?: string };

/** Usage as the vendor counts it: `input_tokens` excludes cache reads and cache writes. */
export interface AnthropicUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation: { readonly ephemeral_5m_input_tokens: number; readonly ephemeral_1h_input_tokens: number };
  readonly output_tokens: number;
}

/** The fault of an answer. */
export type AnthropicFault = BodyFault<AnthropicErrorType>;

/** The server's answer to one request: data, streamed or not as requested. */
export type AnthropicReply =
  | {
      readonly type: "message";
      readonly content: readonly AnthropicReplyBlock[];
      /** Default: `tool_use` if there is a call, else `end_turn`. */
      readonly stopReason?: AnthropicStopReason;
      readonly stopSequence?: string;
      /** Replaces the server's own count. */
      readonly usage?: Partial<AnthropicUsage>;
      /** Characters (code points) per delta; default 16. */
      readonly deltaCharacters?: number;
      /** Bytes per write; default one event per write. */
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

/** A reply with tool calls, all at once. */
export function toolReply(
  ...calls: readonly { readonly name: string; readonly input: JsonObject; readonly id?: string }[]
): AnthropicReply {
  return { type: "message", content: calls.map((call) => ({ type: "tool_use", ...call })) };
}
