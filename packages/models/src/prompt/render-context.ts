import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { ModelInfo } from "@factotum/agent-contract";
import type { CleanText } from "./clean-text.ts";
import type { ToolCallIdRule } from "./tool-call-ids.ts";

/** What a wire format requires of a conversation. */
export interface RenderRules {
  /** `two` keeps the halves separate, so that a cache mark can be between them; `one` is for servers that accept a single system message. */
  readonly systemMessages: "one" | "two";
  /** Adjacent messages of one role are merged, part by part. */
  readonly mergesNeighbours: boolean;
  /** False if an image cannot be in a tool result: it then follows in a user message. */
  readonly imagesInToolResults: boolean;
  /** Maximum images of a whole request, if the vendor's limit is small; for wires whose tool results carry none. */
  readonly maxImages?: number;
  /** `native` if the wire has a flag for a failed tool; otherwise the text says so. */
  readonly errorResults: "native" | "text";
  readonly toolCallIds: ToolCallIdRule;
  /** A short assistant message inserted between a tool result and a user message, for servers that refuse that order. */
  readonly bridgeAfterTools?: string;
  /** True for servers that require unsigned thinking back with the tool calls that followed it. */
  readonly replaysUnsignedThinking: boolean;
  /** True if an earlier thought may be bound to everything before it: it is sent only after the same bytes as originally. */
  readonly bindsThinking?: boolean;
  /** True if a model that thinks natively elsewhere may write its thoughts into the text, between `<think>` tags. */
  readonly mayThinkInText?: boolean;
  /** Sent with every tool if the endpoint would otherwise turn its optional arguments into required ones. */
  readonly strictTools?: boolean;
  /** Text that must not be sent to this vendor. */
  readonly triggers?: RegExp;
}

/** State that the renderers share within one request. */
export interface RenderContext {
  readonly info: ModelInfo;
  readonly rules: RenderRules;
  /** False if the request has no tools: then calls and results in the history are rendered as text, since servers refuse them otherwise. */
  readonly hasTools: boolean;
  readonly clean: CleanText;
  readonly callId: (id: string) => string;
}

/** The bridge message of a wire that needs one between a tool result and a user message. */
export function renderBridge(rules: RenderRules): LanguageModelV4Message[] {
  if (rules.bridgeAfterTools === undefined) return [];
  return [{ role: "assistant", content: [{ type: "text", text: rules.bridgeAfterTools }] }];
}
