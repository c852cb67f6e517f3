import type { JsonObject } from "../json.ts";
import type { BodyFault } from "../server/body-fault.ts";

/** Kinds of failure that every vendor has, each with its own status and text. */
export type ErrorKind =
  | "invalid-request"
  | "authentication"
  | "permission"
  | "not-found"
  | "request-too-large"
  | "rate-limit"
  | "quota"
  | "server"
  | "overloaded"
  | "timeout";

/** A block of the model's answer; omitted ids are generated, and valid in later requests. */
export type ReplyBlock =
  | { readonly type: "text"; readonly text: string }
  /** Sent to the client like the vendor does: signed, summarised, in plain text or, if hidden, only as a token count. */
  | { readonly type: "thinking"; readonly text: string }
  | {
      readonly type: "toolCall";
      readonly name: string;
      readonly arguments: JsonObject;
      /** Sent in place of the arguments, truncated or invalid. No effect for Google, whose arguments are never text. */
      readonly argumentsText?: string;
      readonly id?: string;
    };

/** Why the model stopped. */
export type ReplyStop = "stop" | "tool-calls" | "length" | "refusal";

/** Tokens by category; the renderers combine what a vendor combines. */
export interface ReplyUsage {
  /** Uncached input. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Thinking included. */
  readonly output: number;
  readonly reasoning: number;
}

/** A model's whole answer. */
export interface MessageReply {
  readonly type: "message";
  readonly content: readonly ReplyBlock[];
  /** Default: `tool-calls` if there is a call, otherwise `stop`. */
  readonly stop?: ReplyStop;
  /** Overrides the server's own counts. */
  readonly usage?: Partial<ReplyUsage>;
  /** Characters (code points) a delta; default 16. */
  readonly deltaCharacters?: number;
  /** Bytes a write; default one event a write. */
  readonly chunkBytes?: number;
  readonly fault?: BodyFault<ErrorKind>;
}

/** The answer to one request, independent of the format: data, streamed or not as requested. */
export type ScriptedReply =
  | MessageReply
  | {
      readonly type: "error";
      readonly errorType: ErrorKind;
      readonly message: string;
      /** Default: the one documented for the kind. */
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
export function sayText(text: string): MessageReply {
  return { type: "message", content: [{ type: "text", text }] };
}

/** A reply that calls tools. */
export function callTools(
  ...calls: readonly { readonly name: string; readonly arguments: JsonObject; readonly argumentsText?: string; readonly id?: string }[]
): MessageReply {
  return { type: "message", content: calls.map((call) => ({ type: "toolCall", ...call })) };
}

/** The same reply as text, like a model without native tool calls and thinking writes it. */
export function writtenReply(reply: MessageReply): MessageReply {
  const written = reply.content.map((block) => {
    if (block.type === "text") return block.text;
    if (block.type === "thinking") return `<think>\n${block.text}\n</think>\n`;
    return `<tool_call>\n${JSON.stringify({ name: block.name, arguments: block.arguments })}\n</tool_call>`;
  });
  return { ...reply, content: [{ type: "text", text: written.join("\n") }] };
}
