import { messageId } from "@factotum/channel-contract";
import type { Mention as NamedPerson, MsgContext } from "@factotum/channel-contract";
import type { Bot } from "../api/bot-identity.ts";
import { conversationOf } from "../conversation-id.ts";
import type { Mention, MessageEvent } from "./event-schema.ts";
import { parseContent } from "./parse-content.ts";

/** The context in which an event is parsed. */
export interface ParseContext {
  readonly eventId: string;
  readonly accountId: string;
  /** May be missing if `needsBot` is false. */
  readonly bot: Bot | undefined;
}

/** A message, or why there is none. */
export type ParsedMessage =
  | { readonly type: "message"; readonly message: MsgContext }
  | { readonly type: "ignored"; readonly reason: string };

/** True if the bot's own id matters: whether a group's message mentions it, or whether it is the sender. A direct message needs no mention. */
export function needsBot({ sender, message }: MessageEvent): boolean {
  return sender.sender_type !== "user" || (message.chat_type !== "p2p" && (message.mentions ?? []).length > 0);
}

/** Reads `im.message.receive_v1`. Pure. */
export function parseMessage(event: MessageEvent, context: ParseContext): ParsedMessage {
  const { message, sender } = event;
  // The only id that an app gets for everyone and that identifies one person; lists are compared with this one only.
  const senderId = sender.sender_id?.open_id;
  if (typeof senderId !== "string" || senderId === "") return { type: "ignored", reason: "its sender has no open_id" };
  const isBot = sender.sender_type !== "user";
  if (isBot && senderId === context.bot?.openId) return { type: "ignored", reason: "it is the bot's own" };

  const mentions = message.mentions ?? [];
  const { text, attachments, untrusted } = parseContent({
    messageId: message.message_id,
    type: message.message_type,
    content: message.content,
  });
  const named = nameMentions(text, mentions, context.bot);
  return {
    type: "message",
    message: {
      origin: {
        channel: "feishu",
        accountId: context.accountId,
        conversation: conversationOf({
          chatId: message.chat_id,
          chatType: message.chat_type,
          messageId: message.message_id,
          rootId: message.root_id,
          threadId: message.thread_id,
        }),
      },
      eventId: context.eventId,
      messageId: messageId(message.message_id),
      timestampMs: message.create_time,
      event: { type: "message" },
      sender: { id: senderId, isBot },
      text: named.text,
      mentionsBot: context.bot !== undefined && mentions.some((mention) => mention.id?.open_id === context.bot?.openId),
      ...(named.mentions.length > 0 && { mentions: named.mentions }),
      ...(untrusted !== undefined && { untrusted }),
      ...replyOf(message),
      attachments,
    },
  };
}

/** The message that was replied to. In a thread the platform names its first message with every message: that says where it is, not what it answers. */
function replyOf({ parent_id: parent, root_id: root, thread_id: thread }: MessageEvent["message"]): Pick<MsgContext, "replyTo"> {
  const isPlaceInThread = thread !== undefined && thread !== "" && parent === root;
  if (parent === undefined || parent === "" || isPlaceInThread) return {};
  return { replyTo: { messageId: messageId(parent), body: "", isQuote: false } };
}

/** Longest name that is put into a text, in characters. */
const MAX_NAME_CHARS = 100;

/**
 * Replaces the platform's keys (`@_user_1`) by names, and lists the mentioned people except the bot. The bot's name at the very beginning only addresses the
 * message and is removed.
 */
export function nameMentions(
  text: string,
  mentions: readonly Mention[],
  bot: Bot | undefined,
): { readonly text: string; readonly mentions: readonly NamedPerson[] } {
  const byKey = new Map(mentions.map((mention) => [mention.key, mention]));
  const addressed = /^\s*(@_user_\d+)\s*/.exec(text);
  const first = addressed === null ? undefined : byKey.get(addressed[1] ?? "");
  const isBot = ({ id }: Mention): boolean => bot !== undefined && id?.open_id === bot.openId;
  const named = new Map<string, NamedPerson>();
  const words = first !== undefined && addressed !== null && isBot(first) ? text.slice(addressed[0].length) : text;
  const withNames = words.replace(/@_(?:user_\d+|all)/g, (key) => {
    if (key === "@_all") return "@all";
    const mention = byKey.get(key);
    const name = mention?.name.replace(/\s+/g, " ").trim().slice(0, MAX_NAME_CHARS).toWellFormed() ?? "";
    if (mention === undefined || name === "") return key;
    if (!isBot(mention)) named.set(key, { ...(typeof mention.id?.open_id === "string" && { id: mention.id.open_id }), name });
    return `@${name}`;
  });
  return { text: withNames, mentions: [...named.values()] };
}
