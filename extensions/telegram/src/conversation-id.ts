import type { Conversation, ConversationKind, Sender } from "@factotum/channel-contract";
import type { TelegramChat, TelegramUser } from "./inbound/update-types.ts";

const KINDS: Readonly<Record<TelegramChat["type"], ConversationKind>> = {
  private: "direct",
  group: "group",
  supergroup: "group",
  channel: "channel",
};

/** The conversation of a chat, and of a topic in it. Replies of other groups form threads too, which have no address. */
export function conversationOf(
  chat: Pick<TelegramChat, "id" | "type">,
  topic: { readonly message_thread_id?: number | undefined; readonly is_topic_message?: boolean | undefined } = {},
): Conversation {
  const { message_thread_id: threadId, is_topic_message: isTopic } = topic;
  return { kind: KINDS[chat.type], id: String(chat.id), ...(isTopic === true && threadId !== undefined && { threadId: String(threadId) }) };
}

/** The name of a person for display. */
export function nameOf({ first_name: first, last_name: last, username }: TelegramUser): string {
  return [first, last].filter(Boolean).join(" ").trim() || username || "";
}

/** The sender of a message or an event. Who writes in the name of a chat (an anonymous administrator, a channel) is known by that chat, in whose name others can write, too. */
export function senderOf(user: TelegramUser | undefined, chat: TelegramChat | undefined): Sender | undefined {
  if (chat !== undefined)
    return {
      id: String(chat.id),
      ...(chat.title !== undefined && { name: chat.title }),
      ...(chat.username !== undefined && { handle: chat.username }),
      isBot: false,
      isUnverified: true,
    };
  if (user === undefined) return undefined;
  const name = nameOf(user);
  return {
    id: String(user.id),
    ...(name !== "" && { name }),
    ...(user.username !== undefined && { handle: user.username }),
    isBot: user.is_bot,
  };
}
