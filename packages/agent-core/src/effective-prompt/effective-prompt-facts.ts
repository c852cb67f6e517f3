import type { RunKind, UserMessageParts } from "@factotum/agent-contract";
import type { BootstrapTruncation } from "../bootstrap/bootstrap-file.ts";

/** What is known for certain of the message: the trusted block. Fields that do not apply are left out. */
export interface TrustedFacts {
  readonly channel?: string;
  readonly provider?: string;
  readonly surface?: string;
  readonly account?: string;
  readonly chatType?: "direct" | "group" | "channel";
  readonly wasMentioned?: boolean;
  /** Twelve hexadecimal digits, made like those of Authorized Senders. */
  readonly sender?: string;
  readonly owner?: boolean;
  readonly messageId?: string;
  readonly replyToId?: string;
  /** How `channel` shows text. Included only when the system prompt was rendered for another channel. */
  readonly responseFormat?: ResponseFormat;
  /** The channel that the session's system prompt was rendered for, if any. */
  readonly promptChannel?: string;
  /** Set when another agent's session wrote. */
  readonly agentToAgent?: AgentToAgentFacts;
}

/** What of Markdown a channel shows, and how much fits into one message. */
interface ResponseFormat {
  /** The channel's name of its markup. */
  readonly dialect: string;
  readonly markdown: "full" | "subset" | "none";
  readonly maxMessageChars: number;
}

/** A message between two sessions (`sessions_send`). */
export interface AgentToAgentFacts {
  /** `message`: the first one, or an answer to one; `announce`: the last step, in which the target may tell its own chat. */
  readonly step: "message" | "announce";
  readonly requesterSession: string;
  readonly requesterChannel?: string;
  readonly targetSession: string;
  /** From 1 to `maxTurns`. */
  readonly turn: number;
  readonly maxTurns: number;
}

/** One attachment of the message. */
export interface MediaFacts {
  /** Where tools can read it, as the host names it: `media://inbound/<id>`. */
  readonly location?: string;
  /** As the platform names it. */
  readonly fileName?: string;
  /** Found by looking at the bytes. */
  readonly mimeType?: string;
  /** The file that tools read; absolute, shown exactly or, when it could be misread as more than a path, not at all. */
  readonly path?: string;
  /** Why it is not among the images of the request, or not there at all; absent for an image that is there, and for any other file that came. */
  readonly omitted?: "text-only" | "too-large" | "too-many" | "unreadable" | "not-allowed" | "no-tool" | "unavailable";
}

/** Where the message was said. Raw ids only when the `message` tool is there to use them; the rest only when it changed. */
interface ConversationFacts {
  readonly chatId?: string;
  readonly senderId?: string;
  readonly sender?: string;
  readonly groupSubject?: string;
  readonly topic?: string;
  readonly participants?: readonly string[];
}

/** Who said it. */
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

/** What happened beside the conversation. */
export interface SystemEvent {
  readonly timestampMs: number;
  /** One line; line breaks and control characters become spaces. */
  readonly text: string;
}

/** What the turn is about. */
export type PromptBody =
  /** Words of a person or of a platform. Lines that look like ours are escaped; blank text renders nothing. */
  | { readonly type: "message"; readonly text: string }
  /** Attachments without a word. */
  | { readonly type: "media-only" }
  /** The host's own words (a job's task, a heartbeat); verbatim. Never text that came over a channel. */
  | { readonly type: "task"; readonly text: string }
  /** The silent turn before a compaction: `notesPath` is today's file, relative to the workspace. */
  | { readonly type: "memory-flush"; readonly notesPath: string }
  /** The first message after a `/new` or `/reset`: the model gets the reset prompt, then `text`. Blank text: attachments without a word. */
  | { readonly type: "reset"; readonly text: string }
  /** The first turn of a sub-agent. `depth` equal to `maxDepth`: a leaf. */
  | {
      readonly type: "subagent";
      readonly task: string;
      readonly depth: number;
      readonly maxDepth: number;
      /** The session stays open for further messages. */
      readonly persistent: boolean;
    };

/** The parts of one turn's text, in their order. */
export interface EffectivePromptFacts {
  /** Twelve random hexadecimal digits, new for each turn. */
  readonly delimiter: string;
  readonly run: RunKind;
  /** When the turn is made, milliseconds since the epoch. */
  readonly nowMs: number;
  /** IANA name of the user's time zone. */
  readonly timeZone: string;
  readonly trusted: TrustedFacts;
  /** Text that plugins put before the turn, each under its plugin's name. */
  readonly hookContext?: readonly { readonly plugin: string; readonly text: string }[];
  readonly media?: readonly MediaFacts[];
  /** Say how a file is sent back; counts only where media is attached. */
  readonly mediaReplyHint?: boolean;
  readonly threadHistory?: readonly HistoryFacts[];
  readonly systemEvents: readonly SystemEvent[];
  /** How the last run ended, if not by its own will. */
  readonly sessionHint?: "aborted" | "interrupted";
  readonly conversation?: ConversationFacts;
  readonly sender?: SenderFacts;
  readonly replied?: { readonly senderLabel?: string; readonly isQuote: boolean; readonly body: string };
  readonly threadStarter?: { readonly body: string };
  /** Said in the conversation since the agent's last reply. */
  readonly chatHistory?: readonly HistoryFacts[];
  readonly forwarded?: { readonly from?: string; readonly title?: string; readonly body: string };
  /**
   * Notes of today and yesterday, for the first turn of a private session; 1,200 characters of each text are shown. `untrustedText` is what was written
   * under the influence of somebody else's words.
   */
  readonly dailyNotes?: readonly { readonly path: string; readonly text: string; readonly untrustedText?: string }[];
  /** What a webhook brought. */
  readonly payload?: { readonly source: string; readonly body: string };
  readonly body: PromptBody;
  readonly untrustedNotes: readonly { readonly source: string; readonly text: string }[];
  /** Bootstrap files that were cut; a heartbeat and a sub-agent are not told. */
  readonly truncations?: readonly BootstrapTruncation[];
  /** Who sent the message, as it is kept beside the text for a later rendering; absent for runs that no person started. */
  readonly storedSender?: NonNullable<UserMessageParts["sender"]>;
}

/** One turn's text as the model gets it, and the parts of it that a later rendering keeps. */
export interface EffectivePrompt {
  readonly text: string;
  /** The pieces of the text in order, for reports; joined by line breaks they are the text. */
  readonly sections: readonly { readonly id: string; readonly text: string }[];
  readonly parts: UserMessageParts;
}
