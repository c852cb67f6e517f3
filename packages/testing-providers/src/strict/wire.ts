import type { JsonObject } from "../json.ts";
import type { FaultFrames } from "../server/body-fault.ts";
import type { CanonicalRequest } from "./prefix-report.ts";
import type { Finding, WireRule } from "./rule.ts";
import type { ErrorKind, MessageReply, ReplyBlock, ReplyStop, ReplyUsage } from "./scripted-reply.ts";
import type { ShapeFault } from "./shape-check.ts";

/** The wire formats of the product, by the names of its model contract. */
export type WireFormatName = "anthropic-messages" | "openai-responses" | "openai-chat" | "google-generative-ai" | "mistral";

/** A reply with all defaults filled in. */
export interface RenderedReply {
  readonly content: readonly ReplyBlock[];
  readonly stop: ReplyStop;
  readonly usage: ReplyUsage;
  readonly model: string;
  readonly deltaCharacters: number;
  /** The answered request, for options that affect the answer. */
  readonly body: JsonObject;
}

/** The format-specific part of a strict server. */
export interface Wire<View> {
  readonly format: WireFormatName;
  readonly maxRequestBytes: number;
  /** The smallest prompt that the vendor caches by itself, in tokens. */
  readonly minCacheTokens: number;
  /** In the order in which a refusal is chosen. */
  readonly rules: readonly WireRule<View>[];
  /** The request's model, from the body or the path. */
  modelOf(path: string, body: JsonObject): string;
  checkShape(body: JsonObject): readonly ShapeFault[];
  view(path: string, body: JsonObject): View;
  canonical(body: JsonObject): CanonicalRequest;
  streams(path: string, body: JsonObject): boolean;
  /** The same without parsing. */
  wantsStream(path: string, bytes: Buffer): boolean;
  renderStream(reply: RenderedReply): readonly string[];
  renderWhole(reply: RenderedReply): JsonObject;
  readonly keepAliveFrame: string;
  readonly faultFrames: FaultFrames<ErrorKind>;
  readonly errors: Readonly<Record<ErrorKind, { readonly status: number }>>;
  errorBody(kind: ErrorKind, finding: Finding & { readonly code?: string | undefined; readonly status?: number | undefined }): object;
  /** Headers that the vendor sends with every answer. */
  headers(): Readonly<Record<string, string>>;
}

/** The reply as the vendor would have ended it. */
export function stopOf(reply: MessageReply): ReplyStop {
  return reply.stop ?? (reply.content.some(({ type }) => type === "toolCall") ? "tool-calls" : "stop");
}
