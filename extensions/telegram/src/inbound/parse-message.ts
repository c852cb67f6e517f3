import { messageId } from "@factotum/channel-contract";
import type { ForwardedMessage, HostCommand, MsgContext, QuotedMessage, Sender } from "@factotum/channel-contract";
import type { Bot } from "../api/bot-identity.ts";
import { conversationOf, nameOf, senderOf } from "../conversation-id.ts";
import { parseCommand } from "./parse-command.ts";
import { labelOf, parseContent } from "./parse-content.ts";
import type { ParsedContent } from "./parse-content.ts";
import { parseText, textOf } from "./parse-text.ts";
import type { ForwardOrigin, MessagePart, TelegramMessage } from "./update-types.ts";

/** What is needed to parse messages. */
export interface ParseContext {
  readonly accountId: string;
  readonly bot: Bot;
  readonly commands: readonly HostCommand[];
}

/** Parses a message that somebody else wrote; `undefined` if it shows nothing or has no author. Pure. */
export function parseMessage(message: TelegramMessage, updateId: number, context: ParseContext): MsgContext | undefined {
  const { accountId, bot, commands } = context;
  const content = parseContent(message, bot);
  const sender = senderOf(message.from, message.sender_chat);
  if (content === undefined || sender === undefined) return undefined;
  const conversation = conversationOf(message.chat, message);
  const isDirect = conversation.kind === "direct";
  const forwarded = forwardedOf(message, content);
  const command = forwarded === undefined ? parseCommand(textOf(message), { bot, isDirect, commands }) : undefined;
  const replyTo = quotedOf(message, bot);
  const group = groupOf(message);
  return {
    origin: { channel: "telegram", accountId, conversation },
    eventId: String(updateId),
    messageId: messageId(String(message.message_id)),
    timestampMs: message.date * 1_000,
    event: { type: "message" },
    sender,
    text: forwarded === undefined ? content.text : "",
    mentionsBot: content.mentionsBot || command?.isAddressed === true,
    ...(content.mentions.length > 0 && forwarded === undefined && { mentions: content.mentions }),
    ...(replyTo !== undefined && { replyTo }),
    ...(forwarded !== undefined && { forwarded }),
    ...(group !== undefined && { group }),
    attachments: content.attachments,
    ...(command !== undefined && { command: command.command }),
    ...(content.untrusted.length > 0 && { untrusted: content.untrusted }),
  };
}

/** Joins the messages of one album: the platform shows them as one, with the caption of any of them. */
export function joinAlbum(parts: readonly MsgContext[]): MsgContext | undefined {
  const [first] = parts;
  if (first === undefined || parts.length === 1) return first;
  const forwarded = parts.find(({ forwarded: one }) => one !== undefined && one.body !== "")?.forwarded ?? first.forwarded;
  const mentions = parts.flatMap((part) => part.mentions ?? []);
  return {
    ...first,
    text: parts
      .map(({ text }) => text)
      .filter((text) => text !== "")
      .join("\n\n"),
    mentionsBot: parts.some(({ mentionsBot }) => mentionsBot),
    ...(mentions.length > 0 && { mentions }),
    ...(forwarded !== undefined && { forwarded }),
    attachments: parts.flatMap(({ attachments }) => attachments),
  };
}

/** The text of an edited message. */
export function parseEdit(message: TelegramMessage, updateId: number, context: ParseContext): MsgContext | undefined {
  const parsed = parseMessage(message, updateId, context);
  if (parsed === undefined) return undefined;
  const { origin, eventId, sender, text, mentions } = parsed;
  return {
    origin,
    eventId,
    messageId: parsed.messageId,
    timestampMs: (message.edit_date ?? message.date) * 1_000,
    event: { type: "edit", targetId: parsed.messageId },
    sender,
    text,
    mentionsBot: false,
    ...(mentions !== undefined && { mentions }),
    attachments: [],
  };
}

/** What was forwarded is not the sender's own text. A post that the platform copies into the discussion group of its channel is its author's. */
function forwardedOf(
  { forward_origin: origin, is_automatic_forward: isCopy }: TelegramMessage,
  { text }: ParsedContent,
): ForwardedMessage | undefined {
  if (origin === undefined || isCopy === true) return undefined;
  const from = nameOfOrigin(origin);
  const title = origin.chat?.title;
  return { ...(from !== undefined && { from }), ...(title !== undefined && { title }), body: text };
}

function nameOfOrigin({ sender_user: user, sender_user_name: name, sender_chat: chat, chat: channel }: ForwardOrigin): string | undefined {
  return (user === undefined ? undefined : nameOf(user)) ?? name ?? chat?.title ?? channel?.title;
}

/** In a topic every message answers the one that began it, unless it answers another. */
function isTopicStart({ forum_topic_created: created }: MessagePart): boolean {
  return created !== undefined;
}

function quotedOf({ reply_to_message: answered, external_reply: external, quote }: TelegramMessage, bot: Bot): QuotedMessage | undefined {
  const isQuote = quote?.is_manual === true;
  const quoted = quote === undefined ? undefined : parseText(quote, bot);
  if (answered !== undefined && !isTopicStart(answered)) {
    const parsed = quoted ?? parseText(textOf(answered), bot);
    const sender = senderOf(answered.from, answered.sender_chat);
    return {
      messageId: messageId(String(answered.message_id)),
      ...(sender !== undefined && { sender: quotedSender(sender, bot) }),
      body: parsed.text || labelOf(answered),
      ...(parsed.mentions.length > 0 && { mentions: parsed.mentions }),
      isQuote,
    };
  }
  if (external === undefined) return undefined;
  const name = external.origin === undefined ? undefined : nameOfOrigin(external.origin);
  return { ...(name !== undefined && { sender: { name } }), body: quoted?.text ?? "", isQuote };
}

function quotedSender({ id, name }: Sender, bot: Bot): NonNullable<QuotedMessage["sender"]> {
  return { id, ...(name !== undefined && { name }), ...(id === bot.id && { isSelf: true }) };
}

function groupOf({ chat, reply_to_message: answered }: TelegramMessage): MsgContext["group"] {
  if (chat.type === "private") return undefined;
  const topic = answered?.forum_topic_created?.name;
  if (chat.title === undefined && topic === undefined) return undefined;
  return { ...(chat.title !== undefined && { subject: chat.title }), ...(topic !== undefined && { topic }) };
}
