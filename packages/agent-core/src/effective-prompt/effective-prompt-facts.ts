import type { RunKind, UserMessageParts } from "@factotum/agent-contract";
import type { BootstrapTruncation } from "../bootstrap/bootstrap-file.ts";

/** Verified facts about the message: the trusted block. Fields that do not apply are omitted. */
export interface TrustedFacts {
  readonly channel?: string;
  readonly provider?: string;
  readonly surface?: string;
  readonly account?: string;
  readonly chatType?: "direct" | "group" | "channel";
  readonly wasMentioned?: boolean;
  /** Twelve hexadecimal digits, derived like those of Authorized Senders. */
  readonly sender?: string;
  readonly owner?: boolean;
  readonly messageId?: string;
  readonly replyToId?: string;
  /** How `channel` shows text. Present only if the system prompt was rendered for another channel. */
  readonly responseFormat?: ResponseFormat;
  /** The channel that the session's system prompt was rendered for, if any. */
  readonly promptChannel?: string;
  /** Set if another agent's session sent the message. */
  readonly agentToAgent?: AgentToAgentFacts;
  /** Set if the message tells how a sub-agent has ended. */
  readonly completion?: { readonly source: string; readonly run: string; readonly session: string; readonly state: string };
}

/** A channel's Markdown support and message limit. */
interface ResponseFormat {
  /** The channel's name for its markup. */
  readonly dialect: string;
  readonly markdown: "full" | "subset" | "none";
  readonly maxMessageChars: number;
}

/** A message between two sessions (`sessions_send`). */
export interface AgentToAgentFacts {
  /** `message`: the first message, or an answer to one; `announce`: the last step, in which the target may notify its own chat. */
  readonly step: "message" | "announce";
  readonly requesterSession: string;
  readonly requesterChannel?: string;
  readonly targetSession: string;
  /** The side whose turn it is: that of the session that is given this message. */
  readonly role: "requester" | "target";
  /** From 1 to `maxTurns`. */
  readonly turn: number;
  readonly maxTurns: number;
}

/** One attachment of the message. */
export interface MediaFacts {
  /** The host's name for a location that tools can read: `media://inbound/<id>`. */
  readonly location?: string;
  /** The platform's name. */
  readonly fileName?: string;
  /** Detected from the bytes. */
  readonly mimeType?: string;
  /** The file that tools read: absolute, and shown exactly, or omitted if it could be misread as more than a path. */
  readonly path?: string;
  /** Why it is not among the request's images, or not available at all; absent for an image in the request, and for any other file that was received. */
  readonly omitted?: "text-only" | "too-large" | "too-many" | "unreadable" | "not-allowed" | "no-tool" | "unavailable";
  /** Set if the host transcribes recordings: `done` if the words are in the body, otherwise why they are not. */
  readonly transcription?: "done" | "no-speech" | "too-large" | "too-long" | "too-many" | "not-audio" | "timeout" | "failed";
}

/** Where the message was sent. Raw ids only if the `message` tool can use them; other fields only if they changed. */
interface ConversationFacts {
  readonly chatId?: string;
  readonly senderId?: string;
  readonly sender?: string;
  readonly groupSubject?: string;
  readonly topic?: string;
  readonly participants?: readonly string[];
}

/** The sender of the message. */
interface SenderFacts {
  readonly label?: string;
  readonly id?: string;
  readonly name?: string;
  readonly username?: string;
}

/** One earlier message. */
export interface HistoryFacts {
  readonly sender: string;
  readonly timestampMs: number;
  readonly body: string;
}

/** An event that is no message of the conversation. */
export interface SystemEvent {
  readonly timestampMs: number;
  /** One line; line breaks and control characters become spaces. */
  readonly text: string;
}

/** The body of the turn's text. */
export type PromptBody =
  /** Text of a person or a platform. Lines that imitate the gateway's are escaped; blank text renders nothing. */
  | { readonly type: "message"; readonly text: string }
  /** Attachments without text. */
  | { readonly type: "media-only" }
  /** The host's own text (a job's task, a heartbeat), verbatim. Never text from a channel. */
  | { readonly type: "task"; readonly text: string }
  /** The memory flush before a compaction; `notesPath` is today's file, relative to the workspace. */
  | { readonly type: "memory-flush"; readonly notesPath: string }
  /** The first message after `/new` or `/reset`: the reset prompt, then `text`. Blank text: attachments without text. */
  | { readonly type: "reset"; readonly text: string }
  /** The first turn of a sub-agent. `depth` equal to `maxDepth`: it cannot spawn. */
  | {
      readonly type: "subagent";
      readonly task: string;
      readonly depth: number;
      readonly maxDepth: number;
      /** The session stays open for further messages. */
      readonly persistent: boolean;
      /** It starts with the conversation of the agent that asked. `context`: it also has the prompt of that agent, and the Subagent Context is here. */
      readonly fork?: { readonly context?: string };
    };

/** The parts of one turn's text, in order. */
export interface EffectivePromptFacts {
  /** Twelve random hexadecimal digits, new for each turn. */
  readonly delimiter: string;
  readonly run: RunKind;
  /** When the turn starts, milliseconds since the epoch. */
  readonly nowMs: number;
  /** IANA name of the user's time zone. */
  readonly timeZone: string;
  readonly trusted: TrustedFacts;
  /** Text that plugins add before the turn, by plugin name. */
  readonly hookContext?: readonly { readonly plugin: string; readonly text: string }[];
  readonly media?: readonly MediaFacts[];
  /** Explain how to send a file back; applies only if media is attached. */
  readonly mediaReplyHint?: boolean;
  readonly threadHistory?: readonly HistoryFacts[];
  readonly systemEvents: readonly SystemEvent[];
  /** How the last run ended, if it did not complete. */
  readonly sessionHint?: "aborted" | "interrupted";
  readonly conversation?: ConversationFacts;
  readonly sender?: SenderFacts;
  readonly replied?: { readonly senderLabel?: string; readonly isQuote: boolean; readonly body: string };
  readonly threadStarter?: { readonly body: string };
  /** Messages in the conversation since the agent's last reply. */
  readonly chatHistory?: readonly HistoryFacts[];
  readonly forwarded?: { readonly from?: string; readonly title?: string; readonly body: string };
  /**
   * Notes of today and yesterday, for the first turn of a private session; 1,200 characters of each text are shown. `untrustedText`: written by tainted turns.
   */
  readonly dailyNotes?: readonly { readonly path: string; readonly text: string; readonly untrustedText?: string }[];
  /** The payload of a webhook. */
  readonly payload?: { readonly source: string; readonly body: string };
  readonly body: PromptBody;
  readonly untrustedNotes: readonly { readonly source: string; readonly text: string }[];
  /** Bootstrap files that were truncated; heartbeats and sub-agents do not get this list. */
  readonly truncations?: readonly BootstrapTruncation[];
  /** The sender, stored with the text for re-rendering; absent for unattended runs. */
  readonly storedSender?: NonNullable<UserMessageParts["sender"]>;
}

/** One turn's text for the model, and the parts that a re-rendering keeps. */
export interface EffectivePrompt {
  readonly text: string;
  /** The pieces of the text in order, for reports; joined by line breaks they are the text. */
  readonly sections: readonly { readonly id: string; readonly text: string }[];
  readonly parts: UserMessageParts;
}
