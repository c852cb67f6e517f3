import * as z from "zod";
/** A value of an account's state: JSON, or bytes. */
type AccountValue = {
  readonly type: "json";
  readonly json: unknown;
} | {
  readonly type: "bytes";
  readonly bytes: Uint8Array;
};
/** One row of an account's state. */
interface AccountRow {
  readonly key: string;
  readonly value: AccountValue;
}
/** How a row is kept. */
interface AccountRowOptions {
  /** A login or a key: left out of backups without secrets. False by default. */
  readonly isSecret?: boolean;
  /** Milliseconds since the epoch at which the row expires and counts as absent. Without it the row stays until it is deleted. */
  readonly expiresAtMs?: number;
}
/** One change of an account's state. */
type AccountChange = ({
  readonly type: "set";
  readonly key: string;
  readonly value: AccountValue;
} & AccountRowOptions) | {
  readonly type: "delete";
  readonly key: string;
};
/** Progress of an account: committed in one transaction, with a message or alone. */
interface AccountProgress {
  /** The position in the platform's stream of events. */
  readonly cursor?: string;
  /** Applied in order. */
  readonly state?: readonly AccountChange[];
}
/** Limits of an account's state. A change that exceeds one is refused as a whole, with a `RangeError` that names the limit. */
declare const ACCOUNT_STATE_LIMITS: {
  /** UTF-16 units of a key; a key is well-formed and not empty. */
  readonly keyLength: number;
  /** Bytes of one value: its bytes, or its JSON as UTF-8. */
  readonly valueBytes: number;
  /** Bytes of all keys and values of an account. */
  readonly totalBytes: number;
};
/**
 * State of an account that survives restarts: session data to resume a connection, logins, stores of end-to-end encryption, long callback payloads, names of
 * topics. Only this account can access it. Every method that changes something resolves once the change is on disk.
 */
interface AccountState {
  /** `undefined` if the row does not exist or has expired. */
  get(key: string): Promise<AccountValue | undefined>;
  /** The rows whose key starts with `prefix`, sorted by key in code unit order; all with an empty prefix. */
  list(prefix: string): Promise<readonly AccountRow[]>;
  set(key: string, value: AccountValue, options?: AccountRowOptions): Promise<void>;
  /** No error if there is no such row. */
  delete(key: string): Promise<void>;
}
/**
 * Where a message came from and where its reply goes. Immutable: a turn keeps it to the end, and replies are delivered nowhere else (R4), except that they
 * follow a conversation that has moved. All ids are the platform's own, unchanged.
 */
interface Origin {
  /** Id of the channel, such as `feishu`. Lower case. */
  readonly channel: string;
  /** Key of the account in the configuration; `default` for the short form. */
  readonly accountId: string;
  /** Set by the gateway where ids are valid in this account alone, because another account can have the same ones for other people. Channels leave it out. */
  readonly idScope?: "account";
  /** Set by the gateway where several agents answer one conversation: the name of the agent that this is the address of, which its messages begin with. Channels leave it out. */
  readonly speaker?: string;
  readonly conversation: Conversation;
}
/** The platform's conversation of an origin. */
interface Conversation {
  readonly kind: ConversationKind;
  readonly id: string;
  /** Thread or forum topic inside the conversation. */
  readonly threadId?: string;
  /** The conversation that a thread belongs to, if the platform gives threads separate ids. */
  readonly parentId?: string;
  /** Guild, team or workspace. */
  readonly spaceId?: string;
}
/** `direct`: one person and the bot; `group`: a closed group; `channel`: a room of a guild, team or workspace. */
type ConversationKind = "direct" | "group" | "channel";
/** Parses a stored conversation. */
declare const ConversationSchema: z.ZodType<Conversation>;
/** Parses an origin as a channel gives it, and as the gateway stores it. */
declare const OriginSchema: z.ZodType<Origin>;
declare const messageIdBrand: unique symbol;
/** The platform's id of one message. */
type MessageId = string & {
  readonly [messageIdBrand]: "message";
};
/** Marks a string from the platform as a message id. */
declare function messageId(id: string): MessageId;
/** CommonMark with GitHub's tables, task lists and strikethrough. A mention is `@name`; the adapter keeps the ids of mentioned people. */
type Markdown = string;
/**
 * The type of event; `sender` is the person who caused it. Messages and pressed buttons are answered. Other events wait for the next turn of their session and
 * are shown to its model once, as system events.
 */
type InboundEvent = {
  readonly type: "message";
} | {
  readonly type: "edit" | "delete";
  readonly targetId: MessageId;
} | {
  readonly type: "reaction";
  readonly targetId: MessageId;
  /** A Unicode emoji if there is one, otherwise the platform's name. */
  readonly emoji: string;
  readonly removed: boolean;
  /** Whether the bot wrote the target; absent if the platform does not say. */
  readonly isOnOwnMessage?: boolean;
} | {
  readonly type: "action";
  readonly actionId: string;
  readonly value?: string;
  readonly targetId?: MessageId;
  readonly inputs?: Readonly<Record<string, string | readonly string[]>>;
} | {
  readonly type: "member";
  readonly change: "joined" | "left";
  readonly member: EventMember;
} | {
  readonly type: "moved";
  readonly to: Conversation;
} | {
  readonly type: "vote";
  readonly targetId: MessageId;
  readonly options: readonly string[];
} | {
  readonly type: "receipt";
  readonly targetId: MessageId;
  readonly state: "delivered" | "read";
};
/** The type of an event. Lists of them are keyed by it, so that a new one does not compile until each list has it. */
type EventType = InboundEvent["type"];
/** The member of a membership change. */
interface EventMember {
  readonly id: string;
  readonly name?: string;
  /** True for the bot itself. */
  readonly isSelf: boolean;
}
/** Who sent a message. Only `id` is ever compared with a list; the rest is for display and can be changed by anyone. */
interface Sender {
  readonly id: string;
  readonly name?: string;
  readonly handle?: string;
  readonly isBot: boolean;
  /** True if others can take this id, such as an IRC nickname without an account. Such a sender is offered no pairing code; lists still name them. */
  readonly isUnverified?: boolean;
  readonly roles?: readonly string[];
}
/** The message that was replied to. */
interface QuotedMessage {
  readonly messageId?: MessageId;
  readonly sender?: {
    readonly id?: string;
    readonly name?: string;
    readonly isSelf?: boolean;
  };
  readonly body: Markdown;
  /** People named in the body. */
  readonly mentions?: readonly Mention[];
  /** True if the person quoted a part of it, false if they replied to the whole message. */
  readonly isQuote: boolean;
}
/** The first message of a thread and the messages since. */
interface ThreadContext {
  readonly starter?: {
    readonly messageId?: MessageId;
    readonly sender?: string;
    readonly body: Markdown;
  };
  readonly history?: readonly HistoryMessage[];
}
/** One earlier message, for context. */
interface HistoryMessage {
  readonly messageId?: MessageId;
  /** The sender's name for display. */
  readonly sender: string;
  /** As `Sender.id`; if absent, policies that list people leave the message out. */
  readonly senderId?: string;
  /** True if a bot wrote it. */
  readonly isBot?: boolean;
  /** True if this bot wrote it. */
  readonly isSelf?: boolean;
  readonly timestampMs: number;
  readonly body: Markdown;
}
/** A forwarded message. */
interface ForwardedMessage {
  readonly from?: string;
  readonly title?: string;
  readonly body: Markdown;
}
/** Media kinds that platforms tell apart. */
type MediaKind = "image" | "audio" | "video" | "file";
/** An attachment that is not fetched yet. `ref` is the adapter's own: JSON, no secret, no URL with a token in it. */
interface AttachmentRef {
  readonly kind: MediaKind;
  readonly ref: string;
  /** As reported by the platform; checked against the bytes later. */
  readonly mimeType?: string;
  readonly fileName?: string;
  readonly sizeBytes?: number;
  /** A recorded voice message. */
  readonly voice?: boolean;
}
/** A command recognised by the platform itself (a slash command, a menu entry). */
interface NativeCommand {
  /** Without a slash. */
  readonly name: string;
  /** Empty if the platform parses options; then their values in the order of `options` are the arguments. */
  readonly argumentsText: string;
  /** Options by name, in the order in which the command declares them. */
  readonly options?: Readonly<Record<string, string | number | boolean>>;
  /**
   * True if the sender typed words that need not be a command, such as `/assistant status`: the gateway runs the command if it has one of that name that the
   * sender may use, and otherwise takes the message's `text`, which is what was typed. Without it an unknown command is answered.
   */
  readonly mayBeText?: true;
}
/** Text that came with a message and is neither its body nor a quote. Shown to the model as untrusted. */
interface UntrustedNote {
  readonly source: string;
  readonly text: string;
}
/** A person other than the bot who is named in a text. People choose their names, so the sender's text contains words of another. */
interface Mention {
  /** As in `Sender.id`; if absent it may be anyone. */
  readonly id?: string;
  readonly name: string;
}
/**
 * Data of the platform for answering a message: an interaction token, a response address, the references of a mail. Opaque to the gateway, which stores it with
 * the message and passes it with sends that the message causes in the same conversation, also after a restart.
 */
interface ReplyContext {
  /** At most `MAX_REPLY_CONTEXT_BYTES` as UTF-8. */
  readonly data: string;
  /** Milliseconds since the epoch at which it expires. Absent if it does not expire. */
  readonly expiresAtMs?: number;
}
/** Maximum bytes of `ReplyContext.data` as UTF-8; `receive` rejects more with a RangeError. */
declare const MAX_REPLY_CONTEXT_BYTES = 4096;
/** A parsed platform event. Immutable and JSON-serialisable: it is stored before anything else happens. */
interface MsgContext {
  readonly origin: Origin;
  /** The platform's id of the event, the key of deduplication (R2). Equal for every redelivery of the same event. */
  readonly eventId: string;
  /** For events of type `message`, the second deduplication key: the same if the platform redelivers the message under another event id. */
  readonly messageId: MessageId;
  /** When it was sent according to the platform, milliseconds since the epoch; 0 if unknown. */
  readonly timestampMs: number;
  readonly event: InboundEvent;
  readonly sender: Sender;
  /** Empty if there is none. */
  readonly text: Markdown;
  readonly mentionsBot: boolean;
  /** People named in the text. */
  readonly mentions?: readonly Mention[];
  readonly replyTo?: QuotedMessage;
  readonly thread?: ThreadContext;
  readonly forwarded?: ForwardedMessage;
  readonly group?: {
    readonly subject?: string;
    readonly topic?: string;
    readonly participants?: readonly string[];
  };
  /** In the order of sending. */
  readonly attachments: readonly AttachmentRef[];
  readonly command?: NativeCommand;
  /** For channels with the capability `replyContext`. */
  readonly replyContext?: ReplyContext;
  readonly untrusted?: readonly UntrustedNote[];
}
/** The context of a message that is not in its event. All of it is other people's text, for display only. */
interface MessageContext {
  readonly senderName?: string;
  readonly group?: NonNullable<MsgContext["group"]>;
  /** The message that was replied to, with its text and sender. */
  readonly replyTo?: QuotedMessage;
  /** For the first message of a thread that addresses the bot: how the thread began, and its newest messages before this one. */
  readonly thread?: ThreadContext;
  /** The texts of messages that were forwarded as one. */
  readonly forwarded?: ForwardedMessage;
}
/**
 * Parses a stored or foreign message. Unknown keys are an error: an adapter that sends one misreads the contract. So are keys that are `undefined`, which would be
 * absent after the message was stored.
 */
declare const MsgContextSchema: z.ZodType<MsgContext>;
/** When the same call may be retried. Decided by the adapter, which alone knows the platform. */
type Retry = {
  readonly type: "never";
} | {
  readonly type: "after";
  readonly delayMs: number;
} | {
  readonly type: "backoff";
};
/**
 * - `unauthorized`: the platform refuses the account, and so everything it sends: its credential is wrong, revoked or expired, or the account is suspended. The
 *   gateway keeps the account's messages and probes with one of them, regardless of `retry`.
 * - `forbidden`: the bot may not do this here.
 * - `not-found`: the conversation, message or person does not exist (any more).
 * - `rate-limited`: retry later; `retry` has the platform's own delay if it gave one.
 * - `too-long`: over a size limit of the platform.
 * - `rejected`: any other refusal of the platform.
 * - `unreachable`: no connection; the request was not sent.
 */
type ChannelErrorCode = "unauthorized" | "forbidden" | "not-found" | "rate-limited" | "too-long" | "rejected" | "unreachable";
/** The rejection of `start`, `act`, `fetchAttachment` and `resolveTarget`. `send` never rejects: it resolves with a receipt. */
declare class ChannelError extends Error {
  readonly code: ChannelErrorCode;
  readonly retry: Retry;
  constructor(code: ChannelErrorCode, message: string, options: ErrorOptions & {
    readonly retry: Retry;
  });
  /** True for every ChannelError, including those of another copy of this package. */
  static isInstance(value: unknown): value is ChannelError;
}
/** Bytes with a name and a kind. */
interface Media {
  readonly kind: MediaKind;
  readonly mimeType: string;
  readonly fileName?: string;
  readonly bytes: Uint8Array;
  /** A recording, to be shown as a voice message; set for sends only with the capability `voiceMessages`. */
  readonly voice?: boolean;
}
/** A question with fixed answers. */
interface Poll {
  readonly question: string;
  readonly options: readonly string[];
  readonly multiple: boolean;
  /** Defaults to the platform's maximum. */
  readonly durationMs?: number;
}
/** A button of a card. `actionId` is returned in the event `action`. */
interface CardButton {
  readonly actionId: string;
  readonly label: string;
  readonly value?: string;
  readonly style: "default" | "primary" | "danger";
}
/** An input of a form. Its value arrives under its `id` with the event `action` of the card's buttons. */
type CardInput = {
  readonly type: "text";
  readonly id: string;
  readonly label: string;
  readonly multiline?: boolean;
  readonly placeholder?: string;
  readonly initial?: string;
} | {
  readonly type: "choice";
  readonly id: string;
  readonly label: string;
  readonly options: readonly {
    readonly value: string;
    readonly label: string;
  }[];
  readonly multiple?: boolean;
};
/** A structured message. The gateway degrades what a platform cannot show to text before it is sent. */
interface Card {
  readonly title?: string;
  readonly body: Markdown;
  readonly fields?: readonly {
    readonly label: string;
    readonly value: string;
  }[];
  /** Only with the capability `forms`. */
  readonly inputs?: readonly CardInput[];
  readonly buttons?: readonly CardButton[];
}
/** Who is notified of a message, and who sees it. */
interface Audience {
  /** Without a notification; only with the capability `silent`. */
  readonly silent?: boolean;
  /** Shown to this person alone, by their `Sender.id`, in the conversation of the send; only with the capability `ephemeral`. */
  readonly onlyFor?: string;
}
/**
 * One message to send. The gateway sends only what the channel's capabilities declare, and no text over its limit. `replyTo` is a message of the conversation; a
 * platform on which a reply opens a thread ignores it, since the thread of the address decides there.
 */
type Outbound = ({
  readonly type: "text";
  readonly text: Markdown;
  readonly mentions?: readonly Mention[];
  readonly replyTo?: MessageId;
} & Audience) | {
  readonly type: "media";
  readonly media: Media;
  readonly caption?: Markdown;
  readonly replyTo?: MessageId;
  readonly silent?: boolean;
} | {
  readonly type: "album";
  readonly media: readonly Media[];
  readonly caption?: Markdown;
  readonly replyTo?: MessageId;
  readonly silent?: boolean;
} | {
  readonly type: "edit";
  readonly targetId: MessageId;
  readonly text: Markdown;
} | {
  readonly type: "delete";
  readonly targetId: MessageId;
} | {
  readonly type: "reaction";
  readonly targetId: MessageId;
  readonly emoji: string;
  readonly removed: boolean;
} | {
  readonly type: "poll";
  readonly poll: Poll;
} | ({
  readonly type: "card";
  readonly card: Card;
  readonly replyTo?: MessageId;
} & Audience) | {
  readonly type: "edit-card";
  readonly targetId: MessageId;
  readonly card: Card;
} | {
  readonly type: "stream";
  readonly targetId?: MessageId;
  readonly text: Markdown;
  readonly added: Markdown;
  readonly isLast: boolean;
  readonly replyTo?: MessageId;
} | {
  readonly type: "typing";
};
/** The outcome of a send. */
type SendReceipt = {
  readonly type: "accepted";
  readonly messageIds: readonly MessageId[];
} | {
  readonly type: "rejected";
  readonly code: ChannelErrorCode;
  readonly retry: Retry;
  readonly message?: string;
} | {
  readonly type: "ambiguous";
  readonly cause: string;
};
/** Parses a card. */
declare const CardSchema: z.ZodType<Card>;
/** Parses a poll. */
declare const PollSchema: z.ZodType<Poll>;
/** Operations of a channel besides sending. A channel's `act` accepts exactly the declared ones. */
type ActionName = keyof ActionTypes;
/** A message as the actions `read`, `search` and `pins-list` report it. */
interface ActionMessage {
  readonly messageId: MessageId;
  readonly sender: string;
  /** Milliseconds since the epoch. */
  readonly timestampMs: number;
  readonly text: string;
}
/** Parameters and result of each action. All of them act on the conversation of the call, its thread included, and nowhere else. */
interface ActionTypes {
  readonly pin: {
    readonly parameters: {
      readonly messageId: MessageId;
    };
    readonly result: object;
  };
  readonly unpin: {
    readonly parameters: {
      readonly messageId: MessageId;
    };
    readonly result: object;
  };
  readonly "pins-list": {
    readonly parameters: {
      readonly limit: number;
    };
    readonly result: {
      readonly messages: readonly ActionMessage[];
    };
  };
  /** The newest messages, those before `before` if given, oldest first. */
  readonly read: {
    readonly parameters: {
      readonly limit: number;
      readonly before?: MessageId | undefined;
    };
    readonly result: {
      readonly messages: readonly ActionMessage[];
    };
  };
  /** Messages that contain `query`. */
  readonly search: {
    readonly parameters: {
      readonly query: string;
      readonly limit: number;
    };
    readonly result: {
      readonly messages: readonly ActionMessage[];
    };
  };
  readonly "reactions-list": {
    readonly parameters: {
      readonly messageId: MessageId;
    };
    readonly result: {
      readonly reactions: readonly {
        readonly emoji: string;
        readonly count: number;
      }[];
    };
  };
  /** Opens a thread, at `messageId` where threads begin with a message. */
  readonly "thread-create": {
    readonly parameters: {
      readonly name: string;
      readonly messageId?: MessageId | undefined;
    };
    readonly result: {
      readonly threadId: string;
    };
  };
  readonly "thread-list": {
    readonly parameters: {
      readonly limit: number;
    };
    readonly result: {
      readonly threads: readonly {
        readonly threadId: string;
        readonly name?: string | undefined;
      }[];
    };
  };
  readonly "member-info": {
    readonly parameters: {
      readonly userId: string;
    };
    readonly result: {
      readonly id: string;
      readonly name?: string | undefined;
      readonly roles?: readonly string[] | undefined;
    };
  };
  readonly "channel-info": {
    readonly parameters: object;
    readonly result: {
      readonly id: string;
      readonly name?: string | undefined;
      readonly topic?: string | undefined;
    };
  };
  /** Names or characters that a reaction can have. */
  readonly "emoji-list": {
    readonly parameters: object;
    readonly result: {
      readonly emoji: readonly string[];
    };
  };
  /** What the bot may do in the conversation, in the platform's words. */
  readonly permissions: {
    readonly parameters: object;
    readonly result: {
      readonly granted: readonly string[];
    };
  };
}
/** The parameters that are ids of messages. */
type MessageIdKeys<Parameters> = { [Key in keyof Parameters]-?: NonNullable<Parameters[Key]> extends MessageId | readonly MessageId[] ? Key : never; }[keyof Parameters];
/**
 * Schemas of the actions. The gateway parses parameters before the call and results after it; a result's unknown keys are dropped. It checks that the
 * conversation has the messages that `messageIds` names: a platform may address a message by its id alone. Each schema is created at its first parse.
 */
declare const ACTIONS: { readonly [Name in ActionName]: {
  readonly parameters: z.ZodType<ActionTypes[Name]["parameters"]>;
  readonly messageIds: Readonly<Record<MessageIdKeys<ActionTypes[Name]["parameters"]>, true>>;
  readonly result: z.ZodType<ActionTypes[Name]["result"]>;
}; };
/** How events arrive, and what becomes of one that was not acknowledged. */
interface InboundPath {
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
interface ChannelLimits {
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
  readonly sendRate?: {
    readonly count: number;
    readonly perMs: number;
  };
}
/** Methods of a channel that not every platform can offer. */
type OptionalPart = "login" | "probe" | "directory" | "history" | "reconcile";
/** A channel's capabilities, as data. The gateway reads them and degrades before it sends; it never probes for methods. */
interface ChannelCapabilities {
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
  readonly edits?: {
    readonly maxPerMessage?: number;
    readonly minIntervalMs?: number;
  };
  readonly delete: boolean;
  readonly reactions: boolean;
  readonly polls: boolean;
  readonly typing: boolean;
  /** Kinds that can be sent, each with its maximum size in bytes; empty for a text-only channel. */
  readonly media: readonly {
    readonly kind: MediaKind;
    readonly maxBytes: number;
  }[];
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
  readonly idempotentSend?: {
    readonly windowMs: number;
    readonly maxKeyLength: number;
  };
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
/** Options of every call that can be aborted. */
interface CallOptions {
  readonly signal: AbortSignal;
}
/** Options of a send. */
interface SendOptions extends CallOptions {
  /** The same for every attempt of one logical send; passed on if the platform supports it. */
  readonly idempotencyKey: string;
  /** `ReplyContext.data` of the newest message that caused the send, in the same conversation, while it is valid. Only with the capability `replyContext`. */
  readonly replyContext?: string;
  /**
   * How the turn that caused the send has ended, if this is its answer or the notice in place of one; further parts of a text over the limit can follow. For protocols whose requests end. Only with the capability `replyContext`.
   */
  readonly endsTurn?: "done" | "failed" | "aborted";
}
/** The clock, injected. Duplicated from `agent-contract`, like `Random` and `Logger`: a contract depends on no other. */
interface Clock {
  /** Wall clock, milliseconds since the epoch. For display and schedules; it can jump. */
  now(): number;
  /** Monotonic milliseconds. For deadlines. */
  monotonic(): number;
  /** Calls back once after `delayMs`; disposing cancels. Does not keep the process alive. */
  schedule(delayMs: number, callback: () => void): Disposable;
}
/** Randomness, injected. */
interface Random {
  /** `count` unpredictable bytes. */
  bytes(count: number): Uint8Array;
  /** A version 4 UUID. */
  uuid(): string;
  /** In [0, 1); for jitter, not for secrets. */
  float(): number;
}
/** A structured log that redacts secrets. Do not log message texts. */
interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** A logger that adds these fields to every line. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}
/** One slash command, as menus show it. */
interface HostCommand {
  /** Without a slash. */
  readonly name: string;
  readonly summary: string;
}
/** The gateway's slash commands. */
interface HostCommands {
  list(): readonly HostCommand[];
  onChange(callback: () => void): Disposable;
}
/** The services that a channel gets from the gateway. */
interface ChannelHost {
  /** Key of the account that this instance serves. */
  readonly accountId: string;
  /**
   * Passes one event to the gateway. Resolves once it is committed, together with `progress`: acknowledge it to the platform only then. `duplicate`: the event
   * was committed before, and `progress` is committed now; acknowledge it too. Rejects if the event could not be stored: do not acknowledge. Rejects with a
   * RangeError if `progress` exceeds a limit of the account's state, or an id holds a NUL or half of a surrogate pair: it can never be stored.
   */
  receive(message: MsgContext, progress?: AccountProgress): Promise<"accepted" | "duplicate">;
  /**
   * Whether the configuration admits a message's sender now. An unadmitted sender gets no answer, so a protocol whose requests end can end the request at once. The
   * message is passed to `receive` all the same, which decides again.
   */
  admits(message: MsgContext): boolean;
  /** Commits progress without a message. Rejects if it could not be stored, with a RangeError if it exceeds a limit of the account's state. */
  commit(progress: AccountProgress): Promise<void>;
  /** The last committed cursor. */
  cursor(): Promise<string | undefined>;
  /** State of the account that survives restarts. */
  readonly state: AccountState;
  /** The slash commands that people of this account can use, for the platform's menus. `onChange` calls back when the list has changed. */
  readonly commands: HostCommands;
  /** The public address of this account's webhook, for platforms where it can be registered; `undefined` without `gateway.publicUrl`. */
  readonly webhookUrl: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For the platform's own addresses. */
  readonly fetch: typeof fetch;
  /**
   * Fetches a file from an address that somebody else has named: from public addresses alone, redirects included, without credentials (R22). Rejects with a
   * ChannelError: `forbidden` for another address, `too-long` over the limit, `unreachable` otherwise.
   */
  fetchPublic(url: string, options: CallOptions & {
    readonly maxBytes: number;
  }): Promise<Uint8Array>;
  readonly random: Random;
}
/** One call of `act`. `parameters` match `ACTIONS[name].parameters`. */
interface ChannelAction {
  readonly name: ActionName;
  readonly target: Origin;
  readonly parameters: Readonly<Record<string, unknown>>;
}
/** The result of an action, as JSON that matches `ACTIONS[name].result`. */
interface ActionResult {
  readonly value: unknown;
}
/** One step of a login, to be shown to the owner. */
type LoginStep = {
  readonly type: "text";
  readonly text: string;
} | {
  readonly type: "qr";
  readonly content: string;
  readonly text: string;
} | {
  readonly type: "link";
  readonly url: string;
  readonly text: string;
} | {
  readonly type: "ask";
  readonly text: string;
  readonly isSecret: boolean;
  answer(line: string): void;
} | {
  readonly type: "done";
  readonly text: string;
};
/** The result of a probe: the account as the platform knows it, and the permissions that it lacks. */
interface ProbeResult {
  readonly account: {
    readonly id: string;
    readonly name?: string;
  };
  readonly missingPermissions: readonly string[];
  /** Why messages do not arrive although the credential is right, and what to do; one sentence each. */
  readonly problems?: readonly string[];
  /** Settings of the platform that people should know of, and that may be intended; one sentence each. */
  readonly notes?: readonly string[];
}
/** A person or conversation that can be written to. */
interface DirectoryEntry {
  readonly type: "person" | "group" | "channel";
  readonly id: string;
  readonly name?: string;
}
/** Whether a send whose answer was lost is shown. */
type Reconciliation = {
  readonly type: "shown";
  readonly messageIds: readonly MessageId[];
} | {
  readonly type: "not-shown";
} | {
  readonly type: "unknown";
};
/** The state of the inbound path, by evidence: an answered poll, an acknowledged heartbeat, a verified webhook. */
interface ChannelHealth {
  readonly state: "starting" | "connected" | "degraded" | "disconnected" | "stopped";
  /** Time of the evidence, milliseconds since the epoch. */
  readonly evidenceAtMs?: number;
  /** For users: what is wrong and what to do. No secrets. */
  readonly detail?: string;
}
/** One account of one platform. No state outside the instance; two accounts are two instances. */
interface Channel {
  readonly capabilities: ChannelCapabilities;
  /** Connects. Resolves once inbound events can arrive; rejects with a ChannelError. Idempotent. */
  start(options: CallOptions): Promise<void>;
  /**
   * Handles one webhook request of the platform: verifies the raw bytes, passes the event on, answers after the commit. 404 without a webhook. Never rejects
   * for bad input.
   */
  handleWebhook(request: Request, options: CallOptions): Promise<Response>;
  /** Sends one outbound message and resolves with its receipt. Never rejects. Safe to call concurrently: calls for one conversation are delivered in call order. */
  send(target: Origin, outbound: Outbound, options: SendOptions): Promise<SendReceipt>;
  /** Runs one of `capabilities.actions`; rejects with a ChannelError. */
  act(action: ChannelAction, options: CallOptions): Promise<ActionResult>;
  /** Fetches an attachment, at most `maxBytes`; rejects with a ChannelError (`too-long` over the limit). */
  fetchAttachment(ref: AttachmentRef, options: CallOptions & {
    readonly maxBytes: number;
  }): Promise<Media>;
  /**
   * Fetches what the event of a committed message lacks: the sender's name, the group's subject, the quoted text. Called only if `capabilities.fetchesContext`
   * is true. Never rejects: what cannot be fetched is omitted, and `health().detail` names the missing permission.
   */
  fetchContext(message: MsgContext, options: CallOptions): Promise<MessageContext>;
  /** Resolves `user:…`, `channel:…` or a name to an address; `undefined` if there is none, or more than one. */
  resolveTarget(query: string, options: CallOptions): Promise<Origin | undefined>;
  health(): ChannelHealth;
  /** Logs the account in, step by step, and ends with `done`; rejects with a ChannelError. Not started. Only with `optional: "login"`. */
  login?(options: CallOptions): AsyncIterable<LoginStep>;
  /** Checks credential and permissions by a free call, without starting; rejects with a ChannelError. Only with `optional: "probe"`. */
  probe?(options: CallOptions): Promise<ProbeResult>;
  /** People and conversations whose name or id contains `query`, at most `limit`. Only with `optional: "directory"`. */
  directory?(query: string, options: CallOptions & {
    readonly limit: number;
  }): Promise<readonly DirectoryEntry[]>;
  /**
   * The newest messages of a conversation, oldest first, at most `limit`, those before `before` if given. Only with `optional: "history"`. The gateway calls it at
   * the first message that addresses the bot in a group or thread: without `messageId` it cannot tell what is shown already, without `senderId` who may be shown.
   */
  history?(target: Origin, options: CallOptions & {
    readonly limit: number;
    readonly before?: MessageId;
  }): Promise<readonly HistoryMessage[]>;
  /**
   * Looks for a send whose answer was lost, at the platform's messages since `sentAtMs`: a lower bound, since an earlier attempt may have been refused, or the row
   * may have waited. Never rejects. Only with `optional: "reconcile"`; not called while a repeated send would be recognised (`idempotentSend`).
   */
  reconcile?(target: Origin, outbound: Outbound, options: SendOptions & {
    readonly sentAtMs: number;
  }): Promise<Reconciliation>;
  /** Disconnects and waits for sends in flight, until the signal fires. Idempotent; releases all handles. */
  stop(options: CallOptions): Promise<void>;
}
/**
 * What the composition root needs of an extension. Every extension exports `create<Platform>Channel`, `<Platform>ConfigSchema` and `<platform>Extension`, which
 * has both.
 */
interface ChannelExtension<Config = unknown> {
  /** Id of the channel in configuration and addresses; lower case. */
  readonly id: string;
  /** Version of this contract that the extension was built for. */
  readonly api: 1;
  /** Schema of one account, without the keys that every account has. Secrets are strings by then: the gateway resolves them first. */
  readonly configSchema: z.ZodType<Config>;
  create(config: Config, host: ChannelHost): Channel;
}
export { ACCOUNT_STATE_LIMITS, ACTIONS, type AccountChange, type AccountProgress, type AccountRow, type AccountRowOptions, type AccountState, type AccountValue, type ActionMessage, type ActionName, type ActionResult, type ActionTypes, type AttachmentRef, type Audience, type CallOptions, type Card, type CardButton, type CardInput, CardSchema, type Channel, type ChannelAction, type ChannelCapabilities, ChannelError, type ChannelErrorCode, type ChannelExtension, type ChannelHealth, type ChannelHost, type ChannelLimits, type Clock, type Conversation, type ConversationKind, ConversationSchema, type DirectoryEntry, type EventMember, type EventType, type ForwardedMessage, type HistoryMessage, type HostCommand, type HostCommands, type InboundEvent, type InboundPath, type Logger, type LoginStep, MAX_REPLY_CONTEXT_BYTES, type Markdown, type Media, type MediaKind, type Mention, type MessageContext, type MessageId, type MsgContext, MsgContextSchema, type NativeCommand, type OptionalPart, type Origin, OriginSchema, type Outbound, type Poll, PollSchema, type ProbeResult, type QuotedMessage, type Random, type Reconciliation, type ReplyContext, type Retry, type SendOptions, type SendReceipt, type Sender, type ThreadContext, type UntrustedNote, messageId };