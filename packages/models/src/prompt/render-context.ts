import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { ModelInfo } from "@factotum/agent-contract";
import type { CleanText } from "./clean-text.ts";
import type { ToolCallIdRule } from "./tool-call-ids.ts";

/** What a wire format's shape demands of a conversation. */
export interface RenderRules {
  /** `two` keeps the halves apart, so that a cache mark can stand between them; `one` is for servers that take a single system message. */
  readonly systemMessages: "one" | "two";
  /** Neighbouring messages of one role become one, part beside part. */
  readonly mergesNeighbours: boolean;
  /** False where an image cannot stand in a tool result: it then follows in a user message. */
  readonly imagesInToolResults: boolean;
  /** Images that a whole request may have, where the vendor has a small number; for wires whose tool results take none. */
  readonly maxImages?: number;
  /** `native` where the wire has a mark for a failed tool; else the text says so. */
  readonly errorResults: "native" | "text";
  readonly toolCallIds: ToolCallIdRule;
  /** A short answer of the model that is put between a tool result and a user message, for servers that refuse that order. */
  readonly bridgeAfterTools?: string;
  /** True for servers that want unsigned thinking back with the tool calls it led to. */
  readonly replaysUnsignedThinking: boolean;
  /** True where an earlier thought may be bound to everything before it: it is sent only behind the same bytes as when it was thought. */
  readonly bindsThinking?: boolean;
  /** True where a model that thinks natively elsewhere may write its thoughts into the text, between `<think>` tags. */
  readonly mayThinkInText?: boolean;
  /** Sent with every tool where the endpoint would otherwise turn its optional arguments into required ones. */
  readonly strictTools?: boolean;
  /** Text that must not reach this vendor. */
  readonly triggers?: RegExp;
}

/** What the single renderers share within one request. */
export interface RenderContext {
  readonly info: ModelInfo;
  readonly rules: RenderRules;
  /** False when the request has no tools: then calls and results in the history are told as text, since servers refuse them otherwise. */
  readonly hasTools: boolean;
  readonly clean: CleanText;
  readonly callId: (id: string) => string;
}

/** The bridge of a wire that needs one between a tool's result and the words of a user. */
export function renderBridge(rules: RenderRules): LanguageModelV4Message[] {
  if (rules.bridgeAfterTools === undefined) return [];
  return [{ role: "assistant", content: [{ type: "text", text: rules.bridgeAfterTools }] }];
}
