import { messageId } from "@factotum/channel-contract";
import type { AttachmentRef, MediaKind, Mention as NamedPerson, MsgContext, UntrustedNote } from "@factotum/channel-contract";
import { parseJson } from "@factotum/channel-kit";
import * as z from "zod";
import type { Bot } from "../api/bot-identity.ts";
import { conversationOf } from "../conversation-id.ts";
import { attachmentRef } from "./attachment-ref.ts";
import type { Mention, MessageEvent } from "./event-schema.ts";
import { noteOf } from "./parse-note.ts";
import { parsePost } from "./parse-post.ts";

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

/** The content of a message. */
export interface ParsedContent {
  readonly text: string;
  readonly attachments: readonly AttachmentRef[];
  /** Text that the sender selected without writing it: the name of a place on the platform's map, the text of a shared card. */
  readonly untrusted?: readonly UntrustedNote[];
}

const FieldsSchema = z.looseObject({
  text: z.string().optional(),
  image_key: z.string().optional(),
  file_key: z.string().optional(),
  file_name: z.string().optional(),
});
type Fields = z.infer<typeof FieldsSchema>;

/** Message types of files, with the kind of file. */
const FILES: Readonly<Record<string, MediaKind>> = { image: "image", file: "file", audio: "audio", media: "video", video: "video" };

/**
 * Parses the content of a message by its type. Content without text and without downloadable bytes (a sticker, a place, a card, a task) becomes a note in
 * brackets, so that it gets an answer.
 */
export function parseContent(message: { readonly messageId: string; readonly type: string; readonly content: string }): ParsedContent {
  const { messageId, type } = message;
  const content = parseJson(message.content);
  if (type === "post") {
    const post = parsePost(content);
    if (post === undefined) return noteOf(type, content);
    return {
      text: post.text,
      attachments: post.media.map(({ kind, key }) => ({
        kind,
        ref: attachmentRef({ messageId, key, type: kind === "image" ? "image" : "file" }),
      })),
    };
  }
  const parsed = FieldsSchema.safeParse(content);
  if (!parsed.success) return noteOf(type, content);
  const fields = parsed.data;
  if (type === "text" && fields.text !== undefined) return { text: fields.text, attachments: [] };
  const kind = FILES[type];
  const key = type === "image" ? fields.image_key : fields.file_key;
  if (kind !== undefined && key !== undefined) return { text: "", attachments: [fileOf({ messageId, kind, key, fields })] };
  return noteOf(type, content);
}

function fileOf(file: { messageId: string; kind: MediaKind; key: string; fields: Fields }): AttachmentRef {
  const { messageId, kind, key, fields } = file;
  return {
    kind,
    ref: attachmentRef({ messageId, key, type: kind === "image" ? "image" : "file" }),
    ...(fields.file_name !== undefined && { fileName: fields.file_name }),
    // The platform records voice messages as Opus, and sends no other audio as `audio`.
    ...(kind === "audio" && { mimeType: "audio/ogg", voice: true }),
  };
}
