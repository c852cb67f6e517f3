import type { ImageContent, TextContent, ThinkingContent, ToolCallContent } from "./content.ts";
import type { JsonValue } from "./json.ts";
import type { RunKind } from "./run.ts";
import type { Usage } from "./usage.ts";

/** What remains of a user's message when an older turn is rendered anew. */
export interface UserMessageParts {
  /** The text as the person wrote it, before any prefix. */
  readonly body: string;
  /** `task`: the host's own words, shown as they are; `media-only`: attachments without a word; absent: words of a person. */
  readonly bodyType?: "task" | "media-only";
  /** Absent for runs that no person started. */
  readonly sender?: { readonly id: string; readonly name?: string; readonly owner: boolean };
  /** What made the run; absent for `user`. A later rendering and the people who look at the conversation go by it, no model gets it from here. */
  readonly run?: RunKind;
  /** True for words that came into a turn that another message had begun: steered into its run, or gathered with it. They begin no turn of their own. */
  readonly joined?: true;
  /** Lines that begin with `System:`, without their delimiter. */
  readonly systemEvents: readonly string[];
  /** Where the message came from, for people who look at the conversation; never sent to a model. */
  readonly source?: { readonly channel: string; readonly eventId: string };
  /** Attachments that the gateway keeps for the conversation, for people who look at it; never sent to a model from here. */
  readonly files?: readonly KeptFile[];
}

/** An attachment in the gateway's media store. */
export interface KeptFile {
  readonly id: string;
  readonly kind: "image" | "audio" | "video" | "file";
  /** As it is called where it comes from. */
  readonly name?: string;
}

/** One user turn, exactly as it was or will be sent: history replays `content` byte for byte. */
export interface UserMessage {
  readonly role: "user";
  readonly content: readonly (TextContent | ImageContent)[];
  readonly parts?: UserMessageParts;
  /** True when the content holds text or files of anybody but the owner (R23). */
  readonly tainted?: boolean;
  /** Wall clock, milliseconds since the epoch. */
  readonly timestamp: number;
}

/** Why a model stopped. `aborted` and `error` mark a message that is incomplete on purpose. */
export type StopReason = "stop" | "length" | "toolUse" | "aborted" | "error";

/** One answer of a model. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly (TextContent | ThinkingContent | ToolCallContent)[];
  /** The wire format that was spoken, such as `anthropic-messages`. */
  readonly api: string;
  /** The id of the provider in the configuration. */
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly stopReason: StopReason;
  /** For `error` and `aborted`: what happened, for people; never holds a prompt or a secret. */
  readonly errorMessage?: string;
  readonly timestamp: number;
}

/** The one result of one tool call. */
export interface ToolResultMessage {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  /** What the model sees. */
  readonly content: readonly (TextContent | ImageContent)[];
  /** What programs see. JSON only, so that it survives storage. */
  readonly details?: JsonValue;
  readonly isError: boolean;
  /** True when the tool's output is untrusted (R23). */
  readonly tainted?: boolean;
  readonly timestamp: number;
}

/** Stands for everything before the first kept entry after a compaction. */
export interface CompactionMessage {
  readonly role: "compaction";
  readonly summary: string;
  /** Id of the first transcript entry that is still sent as it is. */
  readonly firstKeptEntryId: string;
  /** Size of the context before the cut, in tokens. */
  readonly tokensBefore: number;
  /** True when words of strangers went into the summary (R23). */
  readonly tainted?: boolean;
  /** With `tainted`: the newest transcript entry whose words of strangers are in the summary. Without it, nobody knows. */
  readonly taintedThrough?: string;
  readonly timestamp: number;
}

/** A provider-neutral message of a conversation. */
export type AgentMessage = UserMessage | AssistantMessage | ToolResultMessage;
