import type { ImageContent, TextContent, ThinkingContent, ToolCallContent } from "./content.ts";
import type { JsonValue } from "./json.ts";
import type { RunKind } from "./run.ts";
import type { Usage } from "./usage.ts";

/** The parts of a user's message that are kept when an older turn is re-rendered. */
export interface UserMessageParts {
  /** The text as the person wrote it, before any prefix. */
  readonly body: string;
  /** `task`: the host's own text, shown verbatim; `media-only`: attachments without text; absent: text of a person. */
  readonly bodyType?: "task" | "media-only";
  /** Absent for unattended runs. */
  readonly sender?: { readonly id: string; readonly name?: string; readonly owner: boolean };
  /** The kind of run; absent for `user`. For re-rendering and for readers of the conversation; never sent to a model from here. */
  readonly run?: RunKind;
  /**
   * Of a heartbeat: how many characters besides its token an answer may have that reports nothing, as it was configured when the heartbeat began. Absent: 300.
   */
  readonly ackMaxChars?: number;
  /** True for a message that joined a turn of another message: steered into its run, or gathered with it. It begins no turn of its own. */
  readonly joined?: true;
  /** Lines that begin with `System:`, without their delimiter. */
  readonly systemEvents: readonly string[];
  /** Where the message came from, for readers of the conversation; never sent to a model. */
  readonly source?: {
    readonly channel: string;
    readonly eventId: string;
    /** The event of the failed message that this one repeats. The model gets its text once, here. */
    readonly retryOf?: string;
  };
  /** Attachments that the gateway keeps, for readers of the conversation; never sent to a model from here. */
  readonly files?: readonly KeptFile[];
}

/** An attachment in the gateway's media store. */
export interface KeptFile {
  readonly id: string;
  readonly kind: "image" | "audio" | "video" | "file";
  /** The name that it came with. */
  readonly name?: string;
}

/** One user turn, exactly as it was or will be sent: history replays `content` byte for byte. */
export interface UserMessage {
  readonly role: "user";
  readonly content: readonly (TextContent | ImageContent)[];
  readonly parts?: UserMessageParts;
  /** True if the content includes text or files of others than the owner (R23). */
  readonly tainted?: boolean;
  /** Wall clock, milliseconds since the epoch. */
  readonly timestamp: number;
}

/** Why a model stopped. `aborted` and `error` mark a message that is intentionally incomplete. */
export type StopReason = "stop" | "length" | "toolUse" | "aborted" | "error";

/** One answer of a model. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly (TextContent | ThinkingContent | ToolCallContent)[];
  /** The wire format of the request, such as `anthropic-messages`. */
  readonly api: string;
  /** The id of the provider in the configuration. */
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly stopReason: StopReason;
  /** For `error` and `aborted`: what happened, for people. Contains no prompt and no secret. */
  readonly errorMessage?: string;
  readonly timestamp: number;
}

/** The one result of one tool call. */
export interface ToolResultMessage {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  /** For the model. */
  readonly content: readonly (TextContent | ImageContent)[];
  /** For programs. JSON only, so that it can be stored. */
  readonly details?: JsonValue;
  readonly isError: boolean;
  /** True if the tool's output is untrusted (R23). */
  readonly tainted?: boolean;
  /** True for what an external agent says about a call that is `external`. */
  readonly external?: true;
  readonly timestamp: number;
}

/** Replaces everything before the first kept entry after a compaction. */
export interface CompactionMessage {
  readonly role: "compaction";
  readonly summary: string;
  /** Id of the first transcript entry that is still sent unchanged. */
  readonly firstKeptEntryId: string;
  /** Size of the context before the compaction, in tokens. */
  readonly tokensBefore: number;
  /** True if text of others is in the summary (R23). */
  readonly tainted?: boolean;
  /** With `tainted`: the newest transcript entry with text of others in the summary; absent if unknown. */
  readonly taintedThrough?: string;
  readonly timestamp: number;
}

/** A provider-neutral message of a conversation. */
export type AgentMessage = UserMessage | AssistantMessage | ToolResultMessage;
