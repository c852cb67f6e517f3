import { messageId } from "@factotum/channel-contract";
import type { CallOptions, Conversation, ConversationKind, InboundEvent, MsgContext } from "@factotum/channel-contract";
import * as z from "zod";
import type { Bot } from "../api/bot-identity.ts";
import type { Lookups } from "../context/lookups.ts";
import { conversationOf } from "../conversation-id.ts";
import { emojiOf } from "../emoji.ts";
import { MessageSchema, timestampMs } from "./event-schema.ts";
import { markedPeople, nameMentions } from "./mention-marks.ts";
import { isOwn, textOf } from "./parse-message.ts";

/** What the readers of events may use. */
interface PlatformEventContext {
  readonly eventId: string;
  readonly accountId: string;
  readonly bot: Bot;
  readonly lookups: Lookups;
  /** The kind of a conversation, also where the event does not name it. */
  readonly kindOf: (id: string, named: { readonly type?: string | undefined }, options: CallOptions) => Promise<ConversationKind>;
}

/** The message for the gateway, or why there is none. `undefined`: the event does not have the documented form. */
type ReadEvent =
  | { readonly type: "event"; readonly message: MsgContext }
  | { readonly type: "ignored"; readonly reason: string }
  | undefined;

type Reader = (event: unknown, context: PlatformEventContext, options: CallOptions) => Promise<ReadEvent>;

const id = z.string().min(1);
const ReactionSchema = z.looseObject({
  user: id,
  reaction: id,
  item: z.looseObject({ type: z.string(), channel: z.string().optional(), ts: z.string().optional() }),
  item_user: z.string().optional(),
  event_ts: id,
});
const MemberSchema = z.looseObject({
  user: id,
  channel: id,
  channel_type: z.string().optional(),
  inviter: z.string().optional(),
  event_ts: id,
});
const ChangeSchema = z.looseObject({
  channel: id,
  channel_type: z.string().optional(),
  message: MessageSchema,
  previous_message: MessageSchema.optional().catch(undefined),
  event_ts: z.string().optional(),
  ts: id,
});
const DeletionSchema = z.looseObject({
  channel: id,
  channel_type: z.string().optional(),
  deleted_ts: id,
  previous_message: MessageSchema.optional().catch(undefined),
  event_ts: z.string().optional(),
  ts: id,
});

/** Events other than new messages that are passed on, by type; changes of messages by their subtype. */
export const PLATFORM_EVENTS: Readonly<Record<string, Reader | undefined>> = {
  reaction_added: async (...event) => readReaction(...event, false),
  reaction_removed: async (...event) => readReaction(...event, true),
  member_joined_channel: async (...event) => readMember(...event, "joined"),
  member_left_channel: async (...event) => readMember(...event, "left"),
  "message/message_changed": readChange,
  "message/message_deleted": readDeletion,
};

async function readReaction(event: unknown, context: PlatformEventContext, options: CallOptions, removed: boolean): Promise<ReadEvent> {
  const parsed = ReactionSchema.safeParse(event);
  if (!parsed.success) return undefined;
  const { user, reaction, item, item_user: author, event_ts: eventTs } = parsed.data;
  const { channel, ts } = item;
  if (item.type !== "message" || channel === undefined || ts === undefined) return { type: "ignored", reason: "it is not about a message" };
  if (user === context.bot.userId) return { type: "ignored", reason: "it is the bot's own" };
  const [kind, threadTs = ""] = await Promise.all([
    context.kindOf(channel, {}, options),
    context.lookups.forEvent(context.lookups.threads, `${channel}/${ts}`, options),
  ]);
  return passOn(context, {
    conversation: conversationOf({ kind, id: channel, ...(threadTs !== "" && { threadTs }) }),
    targetTs: ts,
    event: {
      type: "reaction",
      targetId: messageId(ts),
      emoji: emojiOf(reaction),
      removed,
      ...(author !== undefined && { isOnOwnMessage: author === context.bot.userId }),
    },
    senderId: user,
    eventTs,
  });
}

async function readMember(
  event: unknown,
  context: PlatformEventContext,
  options: CallOptions,
  change: "joined" | "left",
): Promise<ReadEvent> {
  const parsed = MemberSchema.safeParse(event);
  if (!parsed.success) return undefined;
  const { user, channel, channel_type: type, inviter, event_ts: eventTs } = parsed.data;
  const isSelf = user === context.bot.userId;
  const [kind, name] = await Promise.all([
    // `C` is a public channel; `G` may be a private one or a group.
    context.kindOf(channel, { type: type === "C" ? "channel" : undefined }, options),
    isSelf ? context.bot.name : context.lookups.forEvent(context.lookups.people, user, options),
  ]);
  return passOn(context, {
    conversation: { kind, id: channel },
    targetTs: eventTs,
    event: { type: "member", change, member: { id: user, ...(name ? { name } : {}), isSelf } },
    senderId: inviter ?? user,
    eventTs,
  });
}

async function readChange(event: unknown, context: PlatformEventContext, options: CallOptions): Promise<ReadEvent> {
  const parsed = ChangeSchema.safeParse(event);
  if (!parsed.success) return undefined;
  const { channel, channel_type: type, message, previous_message: previous, ts, event_ts: eventTs = ts } = parsed.data;
  if (isOwn(message, context.bot)) return { type: "ignored", reason: "it is the bot's own" };
  // The platform reports previews of links and new replies of a thread as changes, too.
  const isEdited = message.edited !== undefined && message.edited !== null && message.edited.ts !== previous?.edited?.ts;
  if (!isEdited) return { type: "ignored", reason: "nobody edited it" };
  const senderId = message.edited?.user ?? message.user ?? message.bot_id;
  if (typeof senderId !== "string") return { type: "ignored", reason: "it has no author" };
  const marked = textOf(message);
  const [kind, names] = await Promise.all([
    context.kindOf(channel, { type }, options),
    context.lookups.namesForEvent(markedPeople(marked), options),
  ]);
  const { text, mentions } = nameMentions(marked, { botId: context.bot.userId, botName: context.bot.name, names });
  return passOn(context, {
    conversation: conversationOf({ kind, id: channel, ts: message.ts, threadTs: message.thread_ts }),
    targetTs: message.ts,
    event: { type: "edit", targetId: messageId(message.ts) },
    senderId,
    eventTs,
    text,
    ...(mentions.length > 0 && { mentions }),
  });
}

async function readDeletion(event: unknown, context: PlatformEventContext, options: CallOptions): Promise<ReadEvent> {
  const parsed = DeletionSchema.safeParse(event);
  if (!parsed.success) return undefined;
  const { channel, channel_type: type, deleted_ts: deletedTs, previous_message: previous, ts, event_ts: eventTs = ts } = parsed.data;
  if (previous === undefined) return { type: "ignored", reason: "it does not say whose message it was" };
  if (isOwn(previous, context.bot)) return { type: "ignored", reason: "it is the bot's own" };
  const senderId = previous.user ?? previous.bot_id;
  if (typeof senderId !== "string") return { type: "ignored", reason: "it has no author" };
  const kind = await context.kindOf(channel, { type }, options);
  return passOn(context, {
    conversation: conversationOf({ kind, id: channel, ts: deletedTs, threadTs: previous.thread_ts }),
    targetTs: deletedTs,
    event: { type: "delete", targetId: messageId(deletedTs) },
    senderId,
    eventTs,
  });
}

interface EventParts extends Pick<Partial<MsgContext>, "text" | "mentions"> {
  readonly conversation: Conversation;
  readonly targetTs: string;
  readonly event: InboundEvent;
  readonly senderId: string;
  readonly eventTs: string;
}

function passOn({ eventId, accountId }: PlatformEventContext, parts: EventParts): ReadEvent {
  const { conversation, targetTs, event, senderId, eventTs, text = "", mentions } = parts;
  return {
    type: "event",
    message: {
      origin: { channel: "slack", accountId, conversation },
      eventId,
      messageId: messageId(targetTs),
      timestampMs: timestampMs(eventTs),
      event,
      sender: { id: senderId, isBot: senderId.startsWith("B") },
      text,
      mentionsBot: false,
      ...(mentions !== undefined && { mentions }),
      attachments: [],
    },
  };
}
