import { messageId } from "@factotum/channel-contract";
import type { CallOptions, InboundEvent, MsgContext } from "@factotum/channel-contract";
import * as z from "zod";
import type { Bot, FeishuBot } from "../api/bot-identity.ts";
import type { MessagePlace } from "../context/lookup-api.ts";
import { emojiOf } from "../outbound/emoji.ts";
import { parseCardAction } from "./card-action.ts";
import type { EventParts } from "./event-parts.ts";
import type { KnownChats } from "./known-chats.ts";

/** Context for parsing events other than messages. */
interface PlatformEventContext {
  readonly eventId: string;
  readonly accountId: string;
  /** Time of the event, milliseconds since the epoch; 0 if the platform does not report it. */
  readonly timestampMs: number;
  readonly bot: FeishuBot;
  readonly chats: KnownChats;
  /** Chat and author of a message; `undefined` if the platform does not report them. */
  readonly placeOf: (messageId: string, options: CallOptions) => Promise<MessagePlace | undefined>;
}

/** The messages to pass on, or why there are none. */
type ReadEvent =
  | { readonly type: "events"; readonly events: readonly MsgContext[] }
  | { readonly type: "ignored"; readonly reason: string };

interface EventReader {
  /** `undefined` for an event without its documented structure. */
  read(event: unknown, context: PlatformEventContext, options: CallOptions): Promise<ReadEvent | undefined>;
}

const id = z.string().min(1);
const person = z.looseObject({ open_id: z.string().min(1) });
const ReactionSchema = z.looseObject({
  message_id: id,
  reaction_type: z.looseObject({ emoji_type: id }),
  operator_type: z.string(),
  user_id: person.nullish(),
});
const RecalledSchema = z.looseObject({ message_id: id, chat_id: id });
const BotMemberSchema = z.looseObject({ chat_id: id, operator_id: person });
const UserMemberSchema = z.looseObject({
  chat_id: id,
  operator_id: person,
  users: z.array(z.looseObject({ name: z.string().optional(), user_id: person })).min(1),
});

const UNKNOWN_CHAT = "nothing was said to the bot in its chat";

/** Events other than messages that the app may subscribe to, by type. */
export const PLATFORM_EVENTS: Readonly<Record<string, EventReader | undefined>> = {
  "im.message.reaction.created_v1": { read: async (...event) => readReaction(...event, { removed: false }) },
  "im.message.reaction.deleted_v1": { read: async (...event) => readReaction(...event, { removed: true }) },
  "im.message.recalled_v1": { read: readRecalled },
  "im.chat.member.bot.added_v1": { read: async (...event) => readBotMember(...event, { change: "joined" }) },
  "im.chat.member.bot.deleted_v1": { read: async (...event) => readBotMember(...event, { change: "left" }) },
  "im.chat.member.user.added_v1": { read: async (...event) => readUserMembers(...event, { change: "joined" }) },
  "im.chat.member.user.deleted_v1": { read: async (...event) => readUserMembers(...event, { change: "left" }) },
  // A callback, which the platform does not repeat: it shows the person an error unless it is answered within 3 seconds, so nothing is requested.
  "card.action.trigger": { read: readCardAction },
};

async function readReaction(
  event: unknown,
  context: PlatformEventContext,
  options: CallOptions,
  { removed }: { readonly removed: boolean },
): Promise<ReadEvent | undefined> {
  const parsed = ReactionSchema.safeParse(event);
  if (!parsed.success) return undefined;
  const { message_id: target, reaction_type: reaction, operator_type: operator, user_id: user } = parsed.data;
  if (operator !== "user" || !user) return { type: "ignored", reason: "it is the reaction of an app" };
  const place = await context.placeOf(target, options);
  if (place === undefined) return { type: "ignored", reason: "the message that it is about cannot be read" };
  const kind = await context.chats.kindOf(place.chatId);
  if (kind === undefined) return { type: "ignored", reason: UNKNOWN_CHAT };
  return one(context, {
    conversation: { kind, id: place.chatId, ...(place.threadRootId !== undefined && { threadId: place.threadRootId }) },
    messageId: target,
    event: { type: "reaction", targetId: messageId(target), emoji: emojiOf(reaction.emoji_type), removed, isOnOwnMessage: place.isSelf },
    senderId: user.open_id,
  });
}

/** The platform does not report who recalled it: its sender, or an administrator of the group. */
async function readRecalled(event: unknown, context: PlatformEventContext, options: CallOptions): Promise<ReadEvent | undefined> {
  const parsed = RecalledSchema.safeParse(event);
  if (!parsed.success) return undefined;
  const { message_id: target, chat_id: chatId } = parsed.data;
  const kind = await context.chats.kindOf(chatId);
  if (kind === undefined) return { type: "ignored", reason: UNKNOWN_CHAT };
  const place = await context.placeOf(target, options);
  if (place === undefined) return { type: "ignored", reason: "the message that it is about cannot be read" };
  if (place.isSelf) return { type: "ignored", reason: "it is the bot's own" };
  const recalled: InboundEvent = { type: "delete", targetId: messageId(target) };
  const threadId = place.threadRootId;
  return one(context, {
    conversation: { kind, id: chatId, ...(threadId !== undefined && { threadId }) },
    messageId: target,
    event: recalled,
    senderId: place.senderId,
  });
}

async function readBotMember(
  event: unknown,
  context: PlatformEventContext,
  options: CallOptions,
  { change }: { readonly change: "joined" | "left" },
): Promise<ReadEvent | undefined> {
  const parsed = BotMemberSchema.safeParse(event);
  if (!parsed.success) return undefined;
  const bot: Bot = await context.bot.getForEvent(options);
  return one(context, {
    conversation: { kind: "group", id: parsed.data.chat_id },
    messageId: context.eventId,
    event: { type: "member", change, member: { id: bot.openId, ...(bot.name !== "" && { name: bot.name }), isSelf: true } },
    senderId: parsed.data.operator_id.open_id,
  });
}

async function readUserMembers(
  event: unknown,
  context: PlatformEventContext,
  _options: CallOptions,
  { change }: { readonly change: "joined" | "left" },
): Promise<ReadEvent | undefined> {
  const parsed = UserMemberSchema.safeParse(event);
  if (!parsed.success) return undefined;
  const { chat_id: chatId, operator_id: operator, users } = parsed.data;
  const events = users.map(({ user_id: user, name }) => {
    const member = { id: user.open_id, ...(name !== undefined && name !== "" && { name }), isSelf: false };
    return toMessage(context, {
      conversation: { kind: "group", id: chatId },
      // One event of the platform names several people, and each becomes an input.
      eventId: `${context.eventId}/${user.open_id}`,
      messageId: context.eventId,
      event: { type: "member", change, member },
      senderId: operator.open_id,
    });
  });
  return { type: "events", events };
}

/**
 * The event does not name the kind of its chat. The card does, but only for the address that it was sent to, so the messages of the chat decide. Without any
 * the chat counts as a group, which needs more to be admitted; a card for a direct chat is then not accepted: it may have been forwarded.
 */
async function readCardAction(event: unknown, context: PlatformEventContext): Promise<ReadEvent | undefined> {
  const parts = parseCardAction(event);
  if (parts === "foreign") return { type: "ignored", reason: "its card was not made by this channel" };
  if (parts === undefined) return undefined;
  const { conversation } = parts;
  const kind = await context.chats.kindOf(conversation.id);
  if (kind === undefined && conversation.kind === "direct") return { type: "ignored", reason: UNKNOWN_CHAT };
  return one(context, { ...parts, conversation: { ...conversation, kind: kind ?? conversation.kind } });
}

function one(context: PlatformEventContext, parts: EventParts): ReadEvent {
  return { type: "events", events: [toMessage(context, parts)] };
}

function toMessage({ eventId, accountId, timestampMs }: PlatformEventContext, parts: EventParts): MsgContext {
  return {
    origin: { channel: "feishu", accountId, conversation: parts.conversation },
    eventId: parts.eventId ?? eventId,
    messageId: messageId(parts.messageId),
    timestampMs,
    event: parts.event,
    sender: { id: parts.senderId, isBot: false },
    text: parts.text ?? "",
    mentionsBot: parts.mentionsBot ?? false,
    attachments: [],
  };
}
