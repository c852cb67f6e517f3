import type { RunKind, UserMessageParts } from "@factotum/agent-contract";

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
}

/** Where the message was said. Raw ids only when the `message` tool is there to use them; the rest only when it changed. */
export interface ConversationFacts {
  readonly chatId?: string;
  readonly senderId?: string;
  readonly sender?: string;
  readonly groupSubject?: string;
  readonly topic?: string;
  readonly participants?: readonly string[];
}

/** Who said it. */
export interface SenderFacts {
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
  | { readonly type: "task"; readonly text: string };

/** Everything that one turn's text is made of, in the order in which it stands there. */
export interface EffectivePromptFacts {
  /** Twelve random hexadecimal digits, new for each turn. */
  readonly delimiter: string;
  readonly run: RunKind;
  /** When the turn is made, milliseconds since the epoch. */
  readonly nowMs: number;
  /** IANA name of the user's time zone. */
  readonly timeZone: string;
  readonly trusted: TrustedFacts;
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
  readonly body: PromptBody;
  readonly untrustedNotes: readonly { readonly source: string; readonly text: string }[];
  /** Who sent the message, as it is kept beside the text for a later rendering; absent for runs that no person started. */
  readonly storedSender?: NonNullable<UserMessageParts["sender"]>;
}

/** One turn's text as the model gets it, and the parts of it that a later rendering keeps. */
export interface EffectivePrompt {
  readonly text: string;
  readonly parts: UserMessageParts;
}
