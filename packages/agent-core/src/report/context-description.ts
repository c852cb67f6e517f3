import type { AgentMessage, SystemPrompt, ToolSchema } from "@factotum/agent-contract";

/** The parts of a request: system prompt, earlier messages, this turn's text, its images, the tools. */
export type ContextPartType = "system" | "messages" | "prompt" | "images" | "tools";

/** How large something is. `bytes` are those of the text in UTF-8, for images those of the file; `tokens` is an estimate. */
export interface ContextSize {
  readonly chars: number;
  readonly bytes: number;
  readonly tokens: number;
}

/** One piece of a part. */
export interface DescribedSection extends ContextSize {
  /** Unique in its part, and stable across requests for the same content. */
  readonly id: string;
  /** For people. */
  readonly title: string;
  readonly half?: "stable" | "session";
  readonly images?: readonly { readonly mimeType: string; readonly bytes: number }[];
  /** What a tool's result had lost before the model got it. */
  readonly truncation?: { readonly keptChars: number; readonly totalChars: number };
  /** For people: the text as it was sent; images by kind and size, calls with their arguments. */
  readonly text: string;
  /** Equal for two sections exactly when the same goes to the model. */
  readonly sent: string;
}

/** One part with its sections, in the order of sending. */
export interface DescribedPart extends ContextSize {
  readonly type: ContextPartType;
  readonly sections: readonly DescribedSection[];
}

/** A request, taken apart. */
export interface ContextDescription {
  /** All five, in the design's order; empty ones too. */
  readonly parts: readonly DescribedPart[];
  readonly total: ContextSize;
  /** Every message in the order of sending; `parts` shows the turn's own message apart. */
  readonly sentMessages: readonly { readonly part: ContextPartType; readonly section: string; readonly sent: string }[];
}

/** What a request is made of, as it goes to a model client. */
export interface ContextRequestFacts {
  readonly system: SystemPrompt;
  /** Where the sections lie in the halves, in order; without it each half is one section. */
  readonly outline?: readonly { readonly id: string; readonly half: "stable" | "session"; readonly chars: number }[];
  readonly messages: readonly AgentMessage[];
  /** Index of the message of the turn that the request belongs to; -1 when it is not among them. */
  readonly promptIndex: number;
  readonly tools: readonly ToolSchema[];
}
