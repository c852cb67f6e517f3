import type { ActionName } from "./actions.ts";
import type { EventType, MediaKind } from "./message.ts";

/** How events arrive, and what becomes of one that was not acknowledged. */
export interface InboundPath {
  /**
   * `redelivers`: the platform delivers an event again until it is acknowledged. `resumes`: a new connection continues at the committed cursor. `once`: an
   * event is delivered once, so the channel calls `receive` again itself until it resolves, and `health` reports the events that wait.
   */
  readonly delivery: "redelivers" | "resumes" | "once";
  readonly transport: "webhook" | "connection" | "polling";
  /** For webhooks: a signature over the bytes, or a secret that only the platform knows. */
  readonly webhookAuth?: "signature" | "secret";
  /**
   * Paths below the gateway's own address that `handleWebhook` answers too, for protocols that fix them: `/.well-known/<name>`, and those below `/<channel>/`.
   * Others are ignored, the gateway's own routes come first, and of several accounts only `default` has them, or the one account there is.
   */
  readonly paths?: readonly string[];
}

/** Limits of a platform besides those of text and media. Absent: none is known. */
export interface ChannelLimits {
  readonly buttonsPerCard?: number;
  /** UTF-16 units of a button's label. */
  readonly buttonLabelLength?: number;
  /** Bytes of a button's value as UTF-8. */
  readonly buttonValueBytes?: number;
  readonly pollOptions?: number;
  /** Longest `caption` of a file, in the unit of texts, so that both are one message; without it a text goes before its file. */
  readonly captionLength?: number;
  /** Files of one `album`; without it there are no albums. */
  readonly filesPerMessage?: number;
  /** At most `count` sends within `perMs`, over the whole account. Changes of previews and signs of typing count, and are left out if there is no room. */
  readonly sendRate?: { readonly count: number; readonly perMs: number };
}

/** Methods of a channel that not every platform can offer. */
export type OptionalPart = "login" | "probe" | "directory" | "history" | "reconcile";

/** A channel's capabilities, as data. The gateway reads them and degrades before it sends; it never probes for methods. */
export interface ChannelCapabilities {
  /**
   * `platform`: conversation ids are the platform's. `session-key`: they are the gateway's own session keys, and only people authenticated by the gateway can
   * write there (WebChat).
   */
  readonly addressing: "platform" | "session-key";
  readonly inbound: InboundPath;
  readonly text: {
    /** Longest text of one message, counted in `unit`, after rendering. */
    readonly maxLength: number;
    readonly unit: "utf16" | "code-points" | "bytes";
    /** Maximum lines of a message, where the platform folds or cuts longer ones. */
    readonly maxLines?: number;
    /** Supported Markdown: all of the contract's dialect, a part, or nothing. */
    readonly markdown: "full" | "subset" | "none";
    /** False if a code block looks like other text: the gateway marks each line of a text that must not be taken for its own. True if omitted. */
    readonly codeBlocks?: false;
    /** Name of the platform's markup for the prompt, such as `slack-mrkdwn`. */
    readonly dialect: string;
  };
  /** `native`: threads have addresses; `flat`: there are none. */
  readonly threads: "native" | "flat";
  /** True if a thread of a direct conversation is a conversation of its own, with its own session. By default it shares the session of its person. */
  readonly directThreads?: true;
  readonly edit: boolean;
  /** Limits of editing, if the platform has them: edits per message, which exclude steps of a native stream, and milliseconds between two. */
  readonly edits?: { readonly maxPerMessage?: number; readonly minIntervalMs?: number };
  readonly delete: boolean;
  readonly reactions: boolean;
  readonly polls: boolean;
  readonly typing: boolean;
  /** Kinds that can be sent, each with its maximum size in bytes; empty for a text-only channel. */
  readonly media: readonly { readonly kind: MediaKind; readonly maxBytes: number }[];
  /** True if audio files can be sent as voice messages (`voice`). */
  readonly voiceMessages?: boolean;
  readonly nativeCommands: boolean;
  readonly buttons: boolean;
  readonly cards: boolean;
  /** True if a card can be replaced after it was sent (`edit-card`). */
  readonly cardEdits?: boolean;
  /** True if cards can have inputs, whose values arrive with the event `action`. */
  readonly forms?: boolean;
  /** True if a text or card can be shown to one person alone (`onlyFor`). */
  readonly ephemeral?: boolean;
  /** True if a message can be sent without a notification (`silent`). */
  readonly silent?: boolean;
  readonly limits?: ChannelLimits;
  /** The optional methods that the channel has; none by default. */
  readonly optional?: readonly OptionalPart[];
  /** How an answer can be streamed: not at all, by editing a message, or by a feature of the platform (`stream`). */
  readonly streaming: "none" | "edit" | "native";
  /** True if answers are streamed without a setting of the account (`streaming.mode`): its clients ask for that, or see no difference. */
  readonly streamsByDefault?: boolean;
  /** True if block streaming is on without a setting of the account (`blockStreaming`): the platform's users are used to several messages. */
  readonly blocksByDefault?: boolean;
  /**
   * True if messages of any age are to be answered, as in mail. Otherwise a message delivered more than `messages.inbound.maxAgeHours` after it was sent
   * becomes a dead letter.
   */
  readonly acceptsOldMessages?: boolean;
  /**
   * How the platform deduplicates sends with one idempotency key: within `windowMs`, for keys of at most `maxKeyLength` characters. Absent if it does not: then
   * an ambiguous send is not repeated without saying so (R3).
   */
  readonly idempotentSend?: { readonly windowMs: number; readonly maxKeyLength: number };
  /** True if ids are case-sensitive. */
  readonly caseSensitiveIds: boolean;
  /**
   * `platform` if an id is the same person or conversation in every account, and no account's server can claim another id. By default ids are valid in their
   * account alone, as for accounts on several networks: the owner of one account is nobody in another, and groups with equal ids share no session.
   */
  readonly idScope?: "platform";
  /** True if `fetchContext` can add names, subjects or quoted texts that the platform's events lack. */
  readonly fetchesContext?: boolean;
  /** The types of events, other than messages, that the channel passes on; none by default. */
  readonly events?: readonly Exclude<EventType, "message">[];
  /** True if messages have a `replyContext` that sends need. */
  readonly replyContext?: boolean;
  /** The actions that `act` performs. */
  readonly actions: readonly ActionName[];
}
