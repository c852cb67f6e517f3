import { messageId } from "@factotum/channel-contract";
import type { CardButton, Conversation, InboundEvent, MsgContext, Sender } from "@factotum/channel-contract";
import type { Bot } from "../api/bot-identity.ts";
import { conversationOf, nameOf, senderOf } from "../conversation-id.ts";
import type { StoredPoll } from "../state/stored-rows.ts";
import type { OwnMemberUpdate, ReactionUpdate, TelegramMessage, TelegramPress, TelegramReaction, VoteUpdate } from "./update-types.ts";

/** What all events of an update share. */
export interface EventContext {
  readonly accountId: string;
  readonly updateId: number;
  readonly bot: Bot;
  /** The topic of a message, if it is known: some updates do not name it. */
  readonly threadOf: (chatId: number, messageId: number) => string | undefined;
}

/** Members who came or left, and where a group has gone; several for one message. `undefined` for a message of another kind. */
export function parseServiceMessage(message: TelegramMessage, context: EventContext): readonly MsgContext[] | undefined {
  const { chat, from, sender_chat: senderChat, date, new_chat_members: joined, left_chat_member: left } = message;
  const conversation = conversationOf(chat, message);
  const sender = senderOf(from, senderChat);
  const base = { conversation, target: message.message_id, date, sender: sender ?? { id: String(chat.id), isBot: false } };
  const { migrate_to_chat_id: to, migrate_from_chat_id: since } = message;
  // Both messages say the same, one in the old group and one in the new.
  if (to !== undefined) return [eventOf(context, { ...base, event: { type: "moved", to: { kind: "group", id: String(to) } } })];
  if (since !== undefined) {
    const old: Conversation = { kind: "group", id: String(since) };
    return [eventOf(context, { ...base, conversation: old, event: { type: "moved", to: { kind: "group", id: String(chat.id) } } })];
  }
  const members = joined ?? (left === undefined ? undefined : [left]);
  // That the bot itself came or left is an update of its own.
  return members
    ?.filter(({ id }) => String(id) !== context.bot.id)
    .map((user, index) => {
      const name = nameOf(user);
      const member = { id: String(user.id), ...(name !== "" && { name }), isSelf: false };
      return eventOf(context, { ...base, index, event: { type: "member", change: joined === undefined ? "left" : "joined", member } });
    });
}

/** That the bot itself was added to a group or channel, or removed. */
export function parseOwnMember(update: OwnMemberUpdate, context: EventContext): readonly MsgContext[] {
  const { chat, from, date, old_chat_member: before, new_chat_member: after } = update;
  const [was, is] = [isMember(before), isMember(after)];
  const conversation = conversationOf(chat);
  const sender = senderOf(from, undefined);
  // In a direct chat it says that a person has blocked the bot, or writes to it again.
  if (was === is || conversation.kind === "direct" || sender === undefined) return [];
  const member = { id: context.bot.id, name: context.bot.name, isSelf: true };
  return [
    eventOf(context, {
      conversation,
      target: context.updateId,
      date,
      sender,
      event: { type: "member", change: is ? "joined" : "left", member },
    }),
  ];
}

/** Reactions that were added or taken back: a change of one is both. */
export function parseReactions(update: ReactionUpdate, context: EventContext): readonly MsgContext[] {
  const { chat, message_id: target, user, actor_chat: actor, date, old_reaction: before, new_reaction: after } = update;
  const sender = senderOf(user, actor);
  if (sender === undefined) return [];
  const [old, now] = [before.map(emojiOf), after.map(emojiOf)];
  const changes = [
    ...old.filter((emoji) => !now.includes(emoji)).map((emoji) => ({ emoji, removed: true })),
    ...now.filter((emoji) => !old.includes(emoji)).map((emoji) => ({ emoji, removed: false })),
  ];
  const threadId = context.threadOf(chat.id, target);
  const conversation = { ...conversationOf(chat), ...(threadId !== undefined && { threadId }) };
  return changes.map((change, index) =>
    eventOf(context, {
      conversation,
      target,
      date,
      sender,
      index,
      event: { type: "reaction", targetId: messageId(String(target)), ...change },
    }),
  );
}

/** A pressed button; `text` is what is on it. */
export function parsePress(press: TelegramPress, button: CardButton, context: EventContext): MsgContext | undefined {
  const { message, from } = press;
  const sender = senderOf(from, undefined);
  if (message === undefined || sender === undefined) return undefined;
  const { actionId, value, label } = button;
  const targetId = messageId(String(message.message_id));
  const event: InboundEvent = { type: "action", actionId, ...(value !== undefined && { value }), targetId };
  const parsed = eventOf(context, {
    conversation: conversationOf(message.chat, message),
    target: message.message_id,
    date: 0,
    sender,
    event,
  });
  return { ...parsed, messageId: messageId(`press/${press.id}`), text: label, mentionsBot: true };
}

/** An answer in a poll of the bot. */
export function parseVote(
  { user, voter_chat: chat, option_ids: ids }: VoteUpdate,
  poll: StoredPoll,
  context: EventContext,
): MsgContext | undefined {
  const sender = senderOf(user, chat);
  if (sender === undefined) return undefined;
  const options = ids.flatMap((id) => poll.options[id] ?? []);
  const event: InboundEvent = { type: "vote", targetId: messageId(poll.messageId), options };
  return eventOf(context, { conversation: poll.conversation, target: Number(poll.messageId), date: 0, sender, event });
}

interface EventParts {
  readonly conversation: Conversation;
  readonly target: number;
  /** Seconds since the epoch; 0 if the platform does not say. */
  readonly date: number;
  readonly sender: Sender;
  readonly event: InboundEvent;
  /** Number of the event in its update. */
  readonly index?: number;
}

function eventOf({ accountId, updateId }: EventContext, { conversation, target, date, sender, event, index = 0 }: EventParts): MsgContext {
  return {
    origin: { channel: "telegram", accountId, conversation },
    eventId: index === 0 ? String(updateId) : `${updateId}/${index}`,
    messageId: messageId(String(target)),
    timestampMs: date * 1_000,
    event,
    sender,
    text: "",
    mentionsBot: false,
    attachments: [],
  };
}

function isMember({ status, is_member: isRestrictedMember }: OwnMemberUpdate["new_chat_member"]): boolean {
  return ["creator", "administrator", "member"].includes(status) || (status === "restricted" && isRestrictedMember === true);
}

function emojiOf({ type, emoji, custom_emoji_id: custom }: TelegramReaction): string {
  return emoji ?? (custom === undefined ? type : `custom:${custom}`);
}
