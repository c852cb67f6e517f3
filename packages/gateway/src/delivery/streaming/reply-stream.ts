import type { ModelStreamEvent, ToolCall } from "@factotum/agent-contract";

/** What shows an answer while it is written. The calls come one after the other, each awaited; every one rejects when the store does. */
export interface ReplyStream {
  push(event: ModelStreamEvent): Promise<void>;
  /** A tool begins. */
  onToolStart(call: ToolCall): void;
  /** An answer is complete. `goesOn`: tools come next, so it is not the last one. */
  endAnswer(options: { readonly goesOn: boolean }): Promise<void>;
  /** The next model request is due. */
  nextRequest(): Promise<void>;
  /** The run is over, however it ended. Nothing is sent any more when this resolves. */
  finish(): Promise<StreamedReply>;
}

/** What a stream has shown, for the final delivery. */
export type StreamedReply = StreamedBlocks | StreamedPreview;

/** Blocks that stand. */
export interface StreamedBlocks {
  readonly type: "blocks";
  /** How much of the visible text of the last answer has rows. */
  readonly covered: number;
  /** Something of this turn has been sent before. */
  readonly hasBegun: boolean;
  /** When the next message is sent: the pace of a person. */
  readonly nextDueMs: () => number;
  /** How the rest is cut. */
  readonly chunk: { readonly minLength: number; readonly maxLength: number };
}

/** A message that takes the final text. */
export interface StreamedPreview {
  readonly type: "preview";
  /** Its row; absent when there is none. */
  readonly rowId?: string;
  /** How much of the visible text of the last answer stands in it. */
  readonly shown: number;
}
