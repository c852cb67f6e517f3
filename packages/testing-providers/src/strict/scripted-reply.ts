import type { JsonObject } from "../json.ts";
import type { BodyFault } from "../server/body-fault.ts";

/** Kinds of failure that every vendor has, each with its own status and words. */
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

/** Something that the model says; ids that are left out are made up, valid for later requests. */
export type ReplyBlock =
  | { readonly type: "text"; readonly text: string }
  /** Reaches the client as the vendor shows it: signed, summarised, in the open or, where it is hidden, as a count of tokens alone. */
  | { readonly type: "thinking"; readonly text: string }
  | {
      readonly type: "toolCall";
      readonly name: string;
      readonly arguments: JsonObject;
      /** What comes over the wire in place of the arguments, cut off or broken. Google's are never text: it has no effect there. */
      readonly argumentsText?: string;
      readonly id?: string;
    };

/** Why the model stopped. */
export type ReplyStop = "stop" | "tool-calls" | "length" | "refusal";

/** Tokens as a person counts them; the renderers add up what a vendor adds up. */
export interface ReplyUsage {
  /** Read anew: without what came from the cache. */
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
  /** Default: `tool-calls` when there is a call, else `stop`. */
  readonly stop?: ReplyStop;
  /** Replaces what the server counts itself. */
  readonly usage?: Partial<ReplyUsage>;
  /** Characters (code points) a delta; default 16. */
  readonly deltaCharacters?: number;
  /** Bytes a write; default one event a write. */
  readonly chunkBytes?: number;
  readonly fault?: BodyFault<ErrorKind>;
}

/** What a server answers one request with, whatever it speaks: data, streamed or not as the request asks. */
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

/** The same reply as a model without tool calls and thinking of its own writes it: all of it is text. */
export function writtenReply(reply: MessageReply): MessageReply {
  const written = reply.content.map((block) => {
    if (block.type === "text") return block.text;
    if (block.type === "thinking") return `<think>\n${block.text}\n</think>\n`;
    return `<tool_call>\n${JSON.stringify({ name: block.name, arguments: block.arguments })}\n</tool_call>`;
  });
  return { ...reply, content: [{ type: "text", text: written.join("\n") }] };
}
