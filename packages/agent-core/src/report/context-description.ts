import type { AgentMessage, SystemPrompt, ToolSchema } from "@factotum/agent-contract";

/** The parts of a request: system prompt, earlier messages, this turn's text, its images, the tools. */
export type ContextPartType = "system" | "messages" | "prompt" | "images" | "tools";

/** The size of a part. `bytes`: of the text in UTF-8, for images of the file; `tokens`: an estimate. */
export interface ContextSize {
  readonly chars: number;
  readonly bytes: number;
  readonly tokens: number;
}

/** One piece of a part. */
export interface DescribedSection extends ContextSize {
  /** Unique within its part, and stable across requests for the same content. */
  readonly id: string;
  /** For display. */
  readonly title: string;
  readonly half?: "stable" | "session";
  readonly images?: readonly { readonly mimeType: string; readonly bytes: number }[];
  /** How much of a tool's result the model was given. */
  readonly truncation?: { readonly keptChars: number; readonly totalChars: number };
  /** It belongs to a message with words or files of others, which taint a turn (R23). */
  readonly ofOthers?: true;
  /** For display: the text as sent; images by kind and size, calls with their arguments. */
  readonly text: string;
  /** Equal for two sections exactly if the model is given the same. */
  readonly sent: string;
}

/** One part with its sections, in the order sent. */
export interface DescribedPart extends ContextSize {
  readonly type: ContextPartType;
  readonly sections: readonly DescribedSection[];
}

/** A request, split into parts and sections. */
export interface ContextDescription {
  /** All five in order, including empty ones. */
  readonly parts: readonly DescribedPart[];
  readonly total: ContextSize;
  /** All messages in the order sent; `parts` shows the turn's own message separately. */
  readonly sentMessages: readonly { readonly part: ContextPartType; readonly section: string; readonly sent: string }[];
}

/** A request as given to a model client. */
export interface ContextRequestFacts {
  readonly system: SystemPrompt;
  /** The sections of each half, in order; without it each half is one section. */
  readonly outline?: readonly { readonly id: string; readonly half: "stable" | "session"; readonly chars: number }[];
  readonly messages: readonly AgentMessage[];
  /** Index of the message of the request's turn; -1 if it is not included. */
  readonly promptIndex: number;
  readonly tools: readonly ToolSchema[];
}
