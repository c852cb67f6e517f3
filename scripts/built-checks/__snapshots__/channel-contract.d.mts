import * as z from "zod";
/**
 * Where a message came from and where its reply goes. Immutable: a turn carries it to the end, and nothing is delivered anywhere else (R4).
 * All ids are the platform's own, unchanged.
 */
interface Origin {
  /** Id of the channel, such as `feishu`. Lower case. */
  readonly channel: string;
  /** Key of the account in the configuration; `default` for the short form. */
  readonly accountId: string;
  readonly conversation: Conversation;
}
/** The platform's conversation that an origin names. */
interface Conversation {
  readonly kind: ConversationKind;
  readonly id: string;
  /** Thread or forum topic inside the conversation. */
  readonly threadId?: string;
  /** The conversation that a thread belongs to, where the platform gives threads ids of their own. */
  readonly parentId?: string;
  /** Guild, team or workspace. */
  readonly spaceId?: string;
}
/** `direct`: one person and the bot; `group`: a closed circle; `channel`: a room of a guild, team or workspace. */
type ConversationKind = "direct" | "group" | "channel";
/** Parses a stored origin. */
declare const OriginSchema: z.ZodType<Origin>;
declare const messageIdBrand: unique symbol;
/** The platform's id of one message. */
type MessageId = string & {
  readonly [messageIdBrand]: "message";
};
/** Marks a string from the platform as a message id. */
declare function messageId(id: string): MessageId;
/** CommonMark with GitHub's tables, task lists and strikethrough. A mention is `@name`; ids of mentioned people are kept by the adapter. */
type Markdown = string;
/** What happened. Everything but `message` becomes a system event of the session. */
type InboundEvent = {
  readonly type: "message";
} | {
  readonly type: "edit" | "delete";
  readonly targetId: MessageId;
} | {
  readonly type: "reaction";
  readonly targetId: MessageId;
  readonly emoji: string;
  readonly removed: boolean;
} | {
  readonly type: "action";
  readonly actionId: string;
  readonly value?: string;
} | {
  readonly type: "member";
  readonly change: "joined" | "left";
};
/** Who sent a message. Only `id` is ever compared with a list; the rest is for display and can be changed by anybody. */
interface Sender {
  readonly id: string;
  readonly name?: string;
  readonly handle?: string;
  readonly isBot: boolean;
  readonly roles?: readonly string[];
}
/** The message that was answered. */
interface QuotedMessage {
  readonly messageId?: MessageId;
  readonly sender?: {
    readonly id?: string;
    readonly name?: string;
    readonly isSelf?: boolean;
  };
  readonly body: Markdown;
  /** Whose names stand in the body. */
  readonly mentions?: readonly Mention[];
  /** True when the person marked a part of it, false when the whole message was answered. */
  readonly isQuote: boolean;
}
/** What a thread began with and what was said in it. */
interface ThreadContext {
  readonly starter?: {
    readonly sender?: string;
    readonly body: Markdown;
  };
  readonly history?: readonly HistoryMessage[];
}
/** One earlier message, for context. */
interface HistoryMessage {
  readonly sender: string;
  readonly timestampMs: number;
  readonly body: Markdown;
}
/** A message that was passed on. */
interface ForwardedMessage {
  readonly from?: string;
  readonly title?: string;
  readonly body: Markdown;
}
/** Media kinds that platforms tell apart. */
type MediaKind = "image" | "audio" | "video" | "file";
/** An attachment that has not been fetched. `ref` is the adapter's own: JSON, no secret, no URL with a token in it. */
interface AttachmentRef {
  readonly kind: MediaKind;
  readonly ref: string;
  /** As the platform says; checked against the bytes later. */
  readonly mimeType?: string;
  readonly fileName?: string;
  readonly sizeBytes?: number;
  /** A recorded voice message. */
  readonly voice?: boolean;
}
/** A command that the platform itself recognised (a slash command, a menu entry). */
interface NativeCommand {
  /** Without a slash. */
  readonly name: string;
  readonly argumentsText: string;
}
/** Text that came with a message and is neither its body nor a quote. Shown to the model as untrusted. */
interface UntrustedNote {
  readonly source: string;
  readonly text: string;
}
/** Somebody other than the bot whose name stands in a text. The name is that person's choice, so the sender's text holds words of another. */
interface Mention {
  /** As in `Sender.id`; without one it may be anybody. */
  readonly id?: string;
  readonly name: string;
}
/** What a platform event becomes. Immutable and JSON-serialisable: it is stored before anything else happens. */
interface MsgContext {
  readonly origin: Origin;
  /** The platform's id of the event, the key of deduplication (R2). Equal for every redelivery of the same event. */
  readonly eventId: string;
  /** With an event of the type `message`, the second key of deduplication: equal under whatever event id the platform delivers the message again. */
  readonly messageId: MessageId;
  /** When the platform says that it was sent, milliseconds since the epoch; 0 when it does not say. */
  readonly timestampMs: number;
  readonly event: InboundEvent;
  readonly sender: Sender;
  /** Empty when there is none. */
  readonly text: Markdown;
  readonly mentionsBot: boolean;
  /** Whose names stand in the text. */
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
  readonly untrusted?: readonly UntrustedNote[];
}
/** What surrounds a message and is not in its event. All of it is other people's text, for display only. */
interface MessageContext {
  readonly senderName?: string;
  readonly group?: NonNullable<MsgContext["group"]>;
  /** The answered message with its text and sender. */
  readonly replyTo?: QuotedMessage;
}
/** Parses a stored or foreign message. Unknown keys are an error: an adapter that sends one has misread the contract. */
declare const MsgContextSchema: z.ZodType<MsgContext>;
/** When the same call may be tried again. Decided by the adapter, which alone knows the platform. */
type Retry = {
  readonly type: "never";
} | {
  readonly type: "after";
  readonly delayMs: number;
} | {
  readonly type: "backoff";
};
/**
 * - `unauthorized`: the platform refuses the account, and with it everything that the account sends: its credential is wrong, revoked or expired, or the
 *   account is suspended. The gateway keeps the account's messages and probes with one of them, whatever `retry` says.
 * - `forbidden`: the bot may not do this here.
 * - `not-found`: the conversation, message or person does not exist (any more).
 * - `rate-limited`: later; `retry` holds the platform's own delay if it gave one.
 * - `too-long`: over a size limit of the platform.
 * - `rejected`: any other no of the platform.
 * - `unreachable`: no connection; the request did not leave.
 */
type ChannelErrorCode = "unauthorized" | "forbidden" | "not-found" | "rate-limited" | "too-long" | "rejected" | "unreachable";
/** What `start`, `act`, `fetchAttachment` and `resolveTarget` reject with. `send` never rejects: it answers with a receipt. */
declare class ChannelError extends Error {
  readonly code: ChannelErrorCode;
  readonly retry: Retry;
  constructor(code: ChannelErrorCode, message: string, options: ErrorOptions & {
    readonly retry: Retry;
  });
  /** True for every ChannelError, also one of another copy of this package. */
  static isInstance(value: unknown): value is ChannelError;
}
/** Bytes with a name and a kind. */
interface Media {
  readonly kind: MediaKind;
  readonly mimeType: string;
  readonly fileName?: string;
  readonly bytes: Uint8Array;
  /** Send as a voice message where the platform has them. */
  readonly voice?: boolean;
}
/** A question with fixed answers. */
interface Poll {
  readonly question: string;
  readonly options: readonly string[];
  readonly multiple: boolean;
  /** The platform's longest when left out. */
  readonly durationMs?: number;
}
/** A button of a card. `actionId` comes back as the event `action`. */
interface CardButton {
  readonly actionId: string;
  readonly label: string;
  readonly value?: string;
  readonly style: "default" | "primary" | "danger";
}
/** A message with structure. What a platform cannot show is degraded to text by the gateway before it is sent. */
interface Card {
  readonly title?: string;
  readonly body: Markdown;
  readonly fields?: readonly {
    readonly label: string;
    readonly value: string;
  }[];
  readonly buttons?: readonly CardButton[];
}
/** One thing to send. The gateway sends only what the channel's capabilities declare, and no text over its limit. */
type Outbound = {
  readonly type: "text";
  readonly text: Markdown;
  readonly replyTo?: MessageId;
} | {
  readonly type: "media";
  readonly media: Media;
  readonly caption?: Markdown;
  readonly replyTo?: MessageId;
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
} | {
  readonly type: "card";
  readonly card: Card;
} | {
  readonly type: "typing";
};
/** What became of a send. */
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
/** Parses a stored text part of the outbox. */
declare const TextOutboundSchema: z.ZodType<Extract<Outbound, {
  type: "text";
}>>;
/** Things a channel can do beyond sending. A channel's `act` takes exactly the declared ones. */
type ActionName = "pin" | "unpin" | "pins-list" | "read" | "search" | "reactions-list" | "thread-create" | "thread-list" | "thread-reply" | "member-info" | "channel-info" | "emoji-list" | "permissions";
/** What a channel can do, as data. The gateway reads it and degrades before it sends; no method is probed for. */
interface ChannelCapabilities {
  /**
   * `platform`: conversation ids are the platform's. `session-key`: they are the gateway's own session keys, and only people whom the gateway has
   * authenticated can write there (WebChat).
   */
  readonly addressing: "platform" | "session-key";
  readonly text: {
    /** Longest text of one message, counted in `unit`, after rendering. */
    readonly maxLength: number;
    readonly unit: "utf16" | "code-points" | "bytes";
    /** Longest message in lines, where the platform folds or cuts longer ones. */
    readonly maxLines?: number;
    /** How much of Markdown is shown: all of the contract's dialect, a part, or nothing. */
    readonly markdown: "full" | "subset" | "none";
    /** Name of the platform's markup for the prompt, such as `slack-mrkdwn`. */
    readonly dialect: string;
  };
  /** `native`: threads are addresses of their own; `flat`: there are none. */
  readonly threads: "native" | "flat";
  readonly edit: boolean;
  /** Bounds of editing, where the platform has them: changes of one message, and milliseconds between two. */
  readonly edits?: {
    readonly maxPerMessage?: number;
    readonly minIntervalMs?: number;
  };
  readonly delete: boolean;
  readonly reactions: boolean;
  readonly polls: boolean;
  readonly typing: boolean;
  /** Kinds that can be sent, each with its largest size in bytes; empty for a text-only channel. */
  readonly media: readonly {
    readonly kind: MediaKind;
    readonly maxBytes: number;
  }[];
  readonly nativeCommands: boolean;
  readonly buttons: boolean;
  readonly cards: boolean;
  /** How a growing answer can be shown: not at all, by editing a message, or by the platform's own means. */
  readonly streaming: "none" | "edit" | "native";
  /** True where block streaming needs no consent of the account (`blockStreaming`): the platform's people are used to several messages. */
  readonly blocksByDefault?: boolean;
  /**
   * True where a message of any age wants an answer, as in mail. Elsewhere a message that the platform delivers more than `messages.inbound.maxAgeHours`
   * after it was sent becomes a dead letter.
   */
  readonly acceptsOldMessages?: boolean;
  /**
   * How repeated sends under one idempotency key are recognised by the platform: within `windowMs`, for keys of at most `maxKeyLength` characters.
   * Absent when they are not: then an ambiguous send is not repeated without saying so (R3).
   */
  readonly idempotentSend?: {
    readonly windowMs: number;
    readonly maxKeyLength: number;
  };
  /** True when two ids that differ only in case are two ids. */
  readonly caseSensitiveIds: boolean;
  /** True where `fetchContext` can add names, subjects or quoted texts that the platform's events lack. */
  readonly fetchesContext?: boolean;
  readonly actions: readonly ActionName[];
}
/** Every call into a channel can be ended. */
interface CallOptions {
  readonly signal: AbortSignal;
}
/** Options of a send. */
interface SendOptions extends CallOptions {
  /** The same for every try of one logical send; passed on where the platform can use it. */
  readonly idempotencyKey: string;
}
/** The time, injected. The same as in `agent-contract`, as are `Random` and `Logger`: a contract depends on no other. */
interface Clock {
  /** Wall clock, milliseconds since the epoch. For display and schedules; it can jump. */
  now(): number;
  /** Milliseconds that only go forward. For deadlines. */
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
/** A structured log that redacts secrets. Message texts do not belong into it. */
interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** A log whose every line carries these fields too. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}
/** All that a channel gets from the gateway. */
interface ChannelHost {
  /** Key of the account that this instance serves. */
  readonly accountId: string;
  /**
   * Hands over one event. Resolves once it is committed, together with `cursor`: only then may the platform be told that it arrived.
   * `duplicate`: it was committed before; acknowledge it too. Rejects when it could not be stored: do not acknowledge.
   */
  receive(message: MsgContext, options?: {
    readonly cursor?: string;
  }): Promise<"accepted" | "duplicate">;
  /** The cursor that was committed last. */
  cursor(): Promise<string | undefined>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fetch: typeof fetch;
  readonly random: Random;
}
/** One call of `act`; the parameters of each action are documented by the channel that declares it. */
interface ChannelAction {
  readonly name: ActionName;
  readonly target: Origin;
  readonly parameters: Readonly<Record<string, unknown>>;
}
/** What an action brought, as JSON. */
interface ActionResult {
  readonly value: unknown;
}
/** How the inbound path is, by evidence: an answered poll, an acknowledged heartbeat, a verified webhook. */
interface ChannelHealth {
  readonly state: "starting" | "connected" | "degraded" | "disconnected" | "stopped";
  /** When the evidence was seen, milliseconds since the epoch. */
  readonly evidenceAtMs?: number;
  /** For people: what is wrong and what to do. No secrets. */
  readonly detail?: string;
}
/** One account of one platform. No state outside the instance; two accounts are two instances. */
interface Channel {
  readonly capabilities: ChannelCapabilities;
  /** Connects. Resolves when inbound events can arrive; rejects with a ChannelError. Twice is once. */
  start(options: CallOptions): Promise<void>;
  /** Answers one webhook request of the platform: verifies the raw bytes, hands over, answers after the commit. 404 where there is no webhook. Never rejects for bad input. */
  handleWebhook(request: Request, options: CallOptions): Promise<Response>;
  /**
   * Sends one outbound message and resolves with what became of it. Never rejects.
   * Safe to call concurrently: calls for one conversation are delivered in call order.
   */
  send(target: Origin, outbound: Outbound, options: SendOptions): Promise<SendReceipt>;
  /** Runs one of `capabilities.actions`; rejects with a ChannelError. */
  act(action: ChannelAction, options: CallOptions): Promise<ActionResult>;
  /** Fetches an attachment, at most `maxBytes`; rejects with a ChannelError (`too-long` over the limit). */
  fetchAttachment(ref: AttachmentRef, options: CallOptions & {
    readonly maxBytes: number;
  }): Promise<Media>;
  /**
   * Asks the platform for what the event of a committed message lacks: the sender's name, the group's subject, the quoted text. Called only where
   * `capabilities.fetchesContext` is true. Never rejects: what cannot be fetched is left out, and `health().detail` says which permission is missing.
   */
  fetchContext(message: MsgContext, options: CallOptions): Promise<MessageContext>;
  /** Finds the address for `user:…`, `channel:…` or a name; `undefined` if there is none, or more than one. */
  resolveTarget(query: string, options: CallOptions): Promise<Origin | undefined>;
  health(): ChannelHealth;
  /** Disconnects and waits for sends that are on the wire, until the signal fires. Twice is once; no handle is left. */
  stop(options: CallOptions): Promise<void>;
}
/**
 * What the composition root needs to know of an extension. Every extension exports `create<Platform>Channel`, `<Platform>ConfigSchema` and
 * `<platform>Extension`, which holds both.
 */
interface ChannelExtension<Config = unknown> {
  /** Id of the channel in configuration and addresses; lower case. */
  readonly id: string;
  /** Version of this contract that the extension was made for. */
  readonly api: 1;
  /** Schema of one account, without the keys that every account has. Secrets are strings when it is applied: the gateway resolves them before. */
  readonly configSchema: z.ZodType<Config>;
  create(config: Config, host: ChannelHost): Channel;
}
export { type ActionName, type ActionResult, type AttachmentRef, type CallOptions, type Card, type CardButton, type Channel, type ChannelAction, type ChannelCapabilities, ChannelError, type ChannelErrorCode, type ChannelExtension, type ChannelHealth, type ChannelHost, type Clock, type Conversation, type ConversationKind, type ForwardedMessage, type HistoryMessage, type InboundEvent, type Logger, type Markdown, type Media, type MediaKind, type Mention, type MessageContext, type MessageId, type MsgContext, MsgContextSchema, type NativeCommand, type Origin, OriginSchema, type Outbound, type Poll, type QuotedMessage, type Random, type Retry, type SendOptions, type SendReceipt, type Sender, TextOutboundSchema, type ThreadContext, type UntrustedNote, messageId };