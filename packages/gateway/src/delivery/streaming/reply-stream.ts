import type { ModelStreamEvent, ToolCall } from "@factotum/agent-contract";

/** Shows an answer while it is written. Calls are sequential, each awaited; all reject when the store does. */
export interface ReplyStream {
  push(event: ModelStreamEvent): Promise<void>;
  /** Withdraws the text of the unfinished answer, which is requested again; false, and no change, if some of it may have been shown. */
  withdraw(): boolean;
  /** A tool call starts. */
  onToolStart(call: ToolCall): void;
  /** An answer is complete. `goesOn`: tool calls follow, so it is not the last one. */
  endAnswer(options: { readonly goesOn: boolean }): Promise<void>;
  /** The next model request is due. */
  nextRequest(): Promise<void>;
  /** The run has ended. Nothing more is sent once this resolves. */
  finish(): Promise<StreamedReply>;
}

/** What a stream has shown, for the final delivery. */
export type StreamedReply = StreamedBlocks | StreamedPreview;

/** Blocks that were sent. */
export interface StreamedBlocks {
  readonly type: "blocks";
  /** Characters of the last answer's visible text that have rows. */
  readonly covered: number;
  /** True if something of this turn was sent before. */
  readonly hasBegun: boolean;
  /** Due time of the next message, at human pace. */
  readonly nextDueMs: () => number;
  /** How the rest is split. */
  readonly chunk: { readonly minLength: number; readonly maxLength: number };
}

/** A message that the final text replaces. */
export interface StreamedPreview {
  readonly type: "preview";
  /** Its row; absent if there is none. */
  readonly rowId?: string;
  /** Characters of the last answer's visible text that it shows. */
  readonly shown: number;
  /** The text that the platform has from accepted steps of a native stream; absent if the message is finished by an edit. */
  readonly streamed?: string;
}
