import { messageId } from "@factotum/channel-contract";
import type { Conversation, InboundEvent, MsgContext, Sender } from "@factotum/channel-contract";
import { senderOf } from "./parse-message.ts";
import type { DiscordEmoji, DiscordReaction } from "./platform-types.ts";

/** What all events share. */
export interface EventContext {
  readonly accountId: string;
  readonly conversation: Conversation;
  /** The same for every delivery of one event. */
  readonly eventId: string;
}

/** A deleted message; the platform says neither who deleted it nor when, so `sender` is its author. */
export function parseDelete(id: string, sender: Sender, context: EventContext): MsgContext {
  return eventOf({ ...context, eventId: `delete/${id}` }, { target: id, sender, event: { type: "delete", targetId: messageId(id) } });
}

/** A reaction that was added or taken back. */
export function parseReaction(
  data: DiscordReaction,
  { botId, removed, ...context }: EventContext & { readonly botId: string; readonly removed: boolean },
): MsgContext {
  const { user_id: user, message_id: target, member, message_author_id: author, emoji } = data;
  const sender = member?.user === undefined ? { id: user, isBot: false } : senderOf(member.user, { member });
  const event: InboundEvent = {
    type: "reaction",
    targetId: messageId(target),
    emoji: emojiOf(emoji),
    removed,
    ...(author !== undefined && { isOnOwnMessage: author === botId }),
  };
  return eventOf(context, { target, sender, event });
}

/** The answers of a person in a poll of the bot, after this vote. */
export function parseVote(
  { userId, target, options }: { readonly userId: string; readonly target: string; readonly options: readonly string[] },
  context: EventContext,
): MsgContext {
  return eventOf(context, { target, sender: { id: userId, isBot: false }, event: { type: "vote", targetId: messageId(target), options } });
}

function eventOf(
  { accountId, conversation, eventId }: EventContext,
  { target, sender, event }: { readonly target: string; readonly sender: Sender; readonly event: InboundEvent },
): MsgContext {
  return {
    origin: { channel: "discord", accountId, conversation },
    eventId,
    messageId: messageId(target),
    timestampMs: 0,
    event,
    sender,
    text: "",
    mentionsBot: false,
    attachments: [],
  };
}

/** A server's own emoji is written as a reaction of the bot takes it. */
export function emojiOf({ id, name }: DiscordEmoji): string {
  if (id === undefined || id === null) return name ?? "";
  return `${name ?? "emoji"}:${id}`;
}
