import * as z from "zod";
import { ConversationSchema, OriginSchema } from "./origin.ts";
import type { Conversation, Origin } from "./origin.ts";

declare const messageIdBrand: unique symbol;

/** The platform's id of one message. */
export type MessageId = string & { readonly [messageIdBrand]: "message" };

/** Marks a string from the platform as a message id. */
export function messageId(id: string): MessageId {
  return id as MessageId;
}

/** CommonMark with GitHub's tables, task lists and strikethrough. A mention is `@name`; the adapter keeps the ids of mentioned people. */
export type Markdown = string;

/**
 * The type of event; `sender` is the person who caused it. Messages and pressed buttons are answered. Other events wait for the next turn of their session and
 * are shown to its model once, as system events.
 */
export type InboundEvent =
  | { readonly type: "message" }
  /** `text` is the text after the edit, empty for a deletion. */
  | { readonly type: "edit" | "delete"; readonly targetId: MessageId }
  | {
      readonly type: "reaction";
      readonly targetId: MessageId;
      /** A Unicode emoji if there is one, otherwise the platform's name. */
      readonly emoji: string;
      readonly removed: boolean;
      /** Whether the bot wrote the target; absent if the platform does not say. */
      readonly isOnOwnMessage?: boolean;
    }
  /** A pressed button. `value` is defined by the card; a slash command in it is run. `text` is the label, or empty. `inputs` are the values of a form by id. */
  | {
      readonly type: "action";
      readonly actionId: string;
      readonly value?: string;
      readonly targetId?: MessageId;
      readonly inputs?: Readonly<Record<string, string | readonly string[]>>;
    }
  /** The sender caused `member` to join or leave: the member itself, or another person. */
  | { readonly type: "member"; readonly change: "joined" | "left"; readonly member: EventMember }
  /**
   * The conversation continues under another id of the same account, by a decision of the platform: `origin` is the old address, without or within a thread, and
   * threads keep their ids. The session, its settings and the access rules of the old id apply to the new one from the next message on, and what still waits for
   * the old address is sent to the new one. If the new conversation already has a session, that one stays. Report it once or again, never for two conversations
   * that merely belong together.
   */
  | { readonly type: "moved"; readonly to: Conversation }
  /** The sender's answers in a poll; empty if the vote was withdrawn. */
  | { readonly type: "vote"; readonly targetId: MessageId; readonly options: readonly string[] }
  /** The sender has received or read the target and everything before it. */
  | { readonly type: "receipt"; readonly targetId: MessageId; readonly state: "delivered" | "read" };

/** The type of an event. Lists of them are keyed by it, so that a new one does not compile until each list has it. */
export type EventType = InboundEvent["type"];

/** The member of a membership change. */
export interface EventMember {
  readonly id: string;
  readonly name?: string;
  /** True for the bot itself. */
  readonly isSelf: boolean;
}

/** Who sent a message. Only `id` is ever compared with a list; the rest is for display and can be changed by anyone. */
export interface Sender {
  readonly id: string;
  readonly name?: string;
  readonly handle?: string;
  readonly isBot: boolean;
  /** True if others can take this id, such as an IRC nickname without an account. Such a sender is offered no pairing code; lists still name them. */
  readonly isUnverified?: boolean;
  readonly roles?: readonly string[];
}

/** The message that was replied to. */
export interface QuotedMessage {
  readonly messageId?: MessageId;
  readonly sender?: { readonly id?: string; readonly name?: string; readonly isSelf?: boolean };
  readonly body: Markdown;
  /** People named in the body. */
  readonly mentions?: readonly Mention[];
  /** True if the person quoted a part of it, false if they replied to the whole message. */
  readonly isQuote: boolean;
}

/** The first message of a thread and the messages since. */
export interface ThreadContext {
  readonly starter?: { readonly messageId?: MessageId; readonly sender?: string; readonly body: Markdown };
  readonly history?: readonly HistoryMessage[];
}

/** One earlier message, for context. */
export interface HistoryMessage {
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
export interface ForwardedMessage {
  readonly from?: string;
  readonly title?: string;
  readonly body: Markdown;
}

/** Media kinds that platforms tell apart. */
export type MediaKind = "image" | "audio" | "video" | "file";

/** An attachment that is not fetched yet. `ref` is the adapter's own: JSON, no secret, no URL with a token in it. */
export interface AttachmentRef {
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
export interface NativeCommand {
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
export interface UntrustedNote {
  readonly source: string;
  readonly text: string;
}

/** A person other than the bot who is named in a text. People choose their names, so the sender's text contains words of another. */
export interface Mention {
  /** As in `Sender.id`; if absent it may be anyone. */
  readonly id?: string;
  readonly name: string;
}

/**
 * Data of the platform for answering a message: an interaction token, a response address, the references of a mail. Opaque to the gateway, which stores it with
 * the message and passes it with sends that the message causes in the same conversation, also after a restart.
 */
export interface ReplyContext {
  /** At most `MAX_REPLY_CONTEXT_BYTES` as UTF-8. */
  readonly data: string;
  /** Milliseconds since the epoch at which it expires. Absent if it does not expire. */
  readonly expiresAtMs?: number;
}

/** Maximum bytes of `ReplyContext.data` as UTF-8; `receive` rejects more with a RangeError. */
export const MAX_REPLY_CONTEXT_BYTES = 4096;

/** A parsed platform event. Immutable and JSON-serialisable: it is stored before anything else happens. */
export interface MsgContext {
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
  readonly group?: { readonly subject?: string; readonly topic?: string; readonly participants?: readonly string[] };
  /** In the order of sending. */
  readonly attachments: readonly AttachmentRef[];
  readonly command?: NativeCommand;
  /** For channels with the capability `replyContext`. */
  readonly replyContext?: ReplyContext;
  readonly untrusted?: readonly UntrustedNote[];
}

/** The context of a message that is not in its event. All of it is other people's text, for display only. */
export interface MessageContext {
  readonly senderName?: string;
  readonly group?: NonNullable<MsgContext["group"]>;
  /** The message that was replied to, with its text and sender. */
  readonly replyTo?: QuotedMessage;
  /** For the first message of a thread that addresses the bot: how the thread began, and its newest messages before this one. */
  readonly thread?: ThreadContext;
  /** The texts of messages that were forwarded as one. */
  readonly forwarded?: ForwardedMessage;
}

const id = z.string().min(1);
const anyMessageId = id.transform(messageId);
const mentions = z.array(z.strictObject({ id: z.string().exactOptional(), name: z.string() })).exactOptional();
const history = z.lazy(() =>
  z.strictObject({
    messageId: anyMessageId.exactOptional(),
    sender: z.string(),
    senderId: z.string().exactOptional(),
    isBot: z.boolean().exactOptional(),
    isSelf: z.boolean().exactOptional(),
    timestampMs: z.number(),
    body: z.string(),
  }),
);

/** The schemas of all types of events, by type. */
const createEvents = () =>
  ({
    message: z.strictObject({ type: z.literal("message") }),
    edit: z.strictObject({ type: z.literal("edit"), targetId: anyMessageId }),
    delete: z.strictObject({ type: z.literal("delete"), targetId: anyMessageId }),
    reaction: z.strictObject({
      type: z.literal("reaction"),
      targetId: anyMessageId,
      emoji: z.string(),
      removed: z.boolean(),
      isOnOwnMessage: z.boolean().exactOptional(),
    }),
    action: z.strictObject({
      type: z.literal("action"),
      actionId: z.string(),
      value: z.string().exactOptional(),
      targetId: anyMessageId.exactOptional(),
      inputs: z.record(z.string(), z.union([z.string(), z.array(z.string())])).exactOptional(),
    }),
    member: z.strictObject({
      type: z.literal("member"),
      change: z.enum(["joined", "left"]),
      member: z.strictObject({ id, name: z.string().exactOptional(), isSelf: z.boolean() }),
    }),
    moved: z.strictObject({ type: z.literal("moved"), to: ConversationSchema }),
    vote: z.strictObject({ type: z.literal("vote"), targetId: anyMessageId, options: z.array(z.string()) }),
    receipt: z.strictObject({ type: z.literal("receipt"), targetId: anyMessageId, state: z.enum(["delivered", "read"]) }),
  }) satisfies { readonly [Type in EventType]: z.ZodType<InboundEvent & { readonly type: Type }> };

const event = z.lazy(() => {
  const { message, ...others } = createEvents();
  return z.discriminatedUnion("type", [message, ...Object.values(others)]);
});

/**
 * Parses a stored or foreign message. Unknown keys are an error: an adapter that sends one misreads the contract. So are keys that are `undefined`, which would be
 * absent after the message was stored.
 */
export const MsgContextSchema: z.ZodType<MsgContext> = z.lazy(() =>
  z.strictObject({
    origin: OriginSchema,
    eventId: id,
    messageId: anyMessageId,
    timestampMs: z.number().int().nonnegative(),
    event,
    sender: z.strictObject({
      id,
      name: z.string().exactOptional(),
      handle: z.string().exactOptional(),
      isBot: z.boolean(),
      isUnverified: z.boolean().exactOptional(),
      roles: z.array(z.string()).exactOptional(),
    }),
    text: z.string(),
    mentionsBot: z.boolean(),
    mentions,
    replyTo: z
      .strictObject({
        messageId: anyMessageId.exactOptional(),
        sender: z
          .strictObject({ id: z.string().exactOptional(), name: z.string().exactOptional(), isSelf: z.boolean().exactOptional() })
          .exactOptional(),
        body: z.string(),
        mentions,
        isQuote: z.boolean(),
      })
      .exactOptional(),
    thread: z
      .strictObject({
        starter: z
          .strictObject({ messageId: anyMessageId.exactOptional(), sender: z.string().exactOptional(), body: z.string() })
          .exactOptional(),
        history: z.array(history).exactOptional(),
      })
      .exactOptional(),
    forwarded: z.strictObject({ from: z.string().exactOptional(), title: z.string().exactOptional(), body: z.string() }).exactOptional(),
    group: z
      .strictObject({
        subject: z.string().exactOptional(),
        topic: z.string().exactOptional(),
        participants: z.array(z.string()).exactOptional(),
      })
      .exactOptional(),
    attachments: z.array(
      z.strictObject({
        kind: z.enum(["image", "audio", "video", "file"]),
        ref: z.string(),
        mimeType: z.string().exactOptional(),
        fileName: z.string().exactOptional(),
        sizeBytes: z.number().nonnegative().exactOptional(),
        voice: z.boolean().exactOptional(),
      }),
    ),
    command: z
      .strictObject({
        name: z.string(),
        argumentsText: z.string(),
        options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).exactOptional(),
        mayBeText: z.literal(true).exactOptional(),
      })
      .exactOptional(),
    replyContext: z.strictObject({ data: z.string(), expiresAtMs: z.number().int().nonnegative().exactOptional() }).exactOptional(),
    untrusted: z.array(z.strictObject({ source: z.string(), text: z.string() })).exactOptional(),
  }),
);
