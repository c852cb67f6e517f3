import { messageId } from "@factotum/channel-contract";
import type { AttachmentRef, Conversation, MsgContext, QuotedMessage, Sender } from "@factotum/channel-contract";
import type { Bot } from "../api/bot-identity.ts";
import { attachmentOf, hasCaption, isFile } from "./attachment-ref.ts";
import { newContentOf, POLL_START, relationOf, textIn } from "./event-schema.ts";
import type { MatrixEvent } from "./event-schema.ts";
import { parseText } from "./parse-text.ts";
import type { ParsedText } from "./parse-text.ts";
import { pollText } from "./poll.ts";

/** What is needed to parse events of a room. */
export interface ParseContext {
  readonly accountId: string;
  readonly bot: Bot;
  readonly conversation: Conversation;
  /** The room's name, for groups. */
  readonly subject?: string | undefined;
  readonly nameOf: (userId: string) => string | undefined;
}

/** What a content shows. */
export interface ParsedContent extends ParsedText {
  readonly attachments: readonly AttachmentRef[];
}

const NOTHING: ParsedText = { text: "", mentions: [], mentionsBot: false };
const ENCRYPTED_FILE = "[an encrypted file, which cannot be read]";

/** Parses what a message shows; `undefined` for types that people do not write, such as the notices of other bots. */
export function parseContent(
  { type, content, sender }: Pick<MatrixEvent, "type" | "content" | "sender">,
  { bot, nameOf }: Pick<ParseContext, "bot" | "nameOf">,
): ParsedContent | undefined {
  if (type === "m.sticker") {
    const sticker = attachmentOf(content, "image");
    return sticker === undefined ? undefined : { ...NOTHING, text: textIn(content, "body"), attachments: [sticker] };
  }
  if (POLL_START.includes(type)) return { ...NOTHING, text: pollText(content), attachments: [] };
  const { inReplyTo, isFallback } = relationOf(content);
  const text = (): ParsedText => parseText(content, { bot, nameOf, isReply: inReplyTo !== undefined && !isFallback });
  const kind = textIn(content, "msgtype");
  if (isFile(content)) {
    const attachment = attachmentOf(content);
    if (attachment === undefined) return { ...NOTHING, text: ENCRYPTED_FILE, attachments: [] };
    const named = text();
    return { ...(hasCaption(content) ? named : { ...named, text: "", mentions: [] }), attachments: [attachment] };
  }
  switch (kind) {
    case "m.text":
      return { ...text(), attachments: [] };
    case "m.emote": {
      const parsed = text();
      return { ...parsed, text: `*${nameOf(sender) ?? sender} ${parsed.text}*`, attachments: [] };
    }
    case "m.location": {
      const place = textIn(content, "geo_uri").slice(0, 200);
      return { ...NOTHING, text: [textIn(content, "body"), place].filter((part) => part !== "").join("\n"), attachments: [] };
    }
    default:
      return undefined;
  }
}

/** Parses a message that somebody else wrote; `undefined` if it shows nothing for people. Pure. */
export function parseMessage(event: MatrixEvent, context: ParseContext): MsgContext | undefined {
  const parsed = parseContent(event, context);
  if (parsed === undefined || (parsed.text.trim() === "" && parsed.attachments.length === 0)) return undefined;
  return baseOf(event, context, parsed);
}

/** Parses an edit of a message; `undefined` if the text after it shows nothing. */
export function parseEdit(event: MatrixEvent, context: ParseContext): MsgContext | undefined {
  const { eventId } = relationOf(event.content);
  const content = newContentOf(event.content);
  const parsed = content === undefined ? undefined : parseContent({ ...event, content }, context);
  if (eventId === undefined || parsed === undefined) return undefined;
  return {
    ...baseOf(event, context, parsed),
    event: { type: "edit", targetId: messageId(eventId) },
    messageId: messageId(eventId),
    mentionsBot: false,
    attachments: [],
  };
}

function baseOf(event: MatrixEvent, { accountId, conversation, subject, nameOf }: ParseContext, parsed: ParsedContent): MsgContext {
  const quoted = quoteOf(event);
  return {
    origin: { channel: "matrix", accountId, conversation },
    eventId: event.event_id,
    messageId: messageId(event.event_id),
    timestampMs: event.origin_server_ts,
    event: { type: "message" },
    sender: senderOf(event.sender, nameOf),
    text: parsed.text,
    mentionsBot: parsed.mentionsBot,
    ...(parsed.mentions.length > 0 && { mentions: parsed.mentions }),
    ...(quoted !== undefined && { replyTo: quoted }),
    ...(conversation.kind !== "direct" && subject !== undefined && { group: { subject } }),
    attachments: parsed.attachments,
  };
}

/** The answered message, whose text is fetched later. */
function quoteOf({ content }: MatrixEvent): QuotedMessage | undefined {
  const { inReplyTo, isFallback } = relationOf(content);
  if (inReplyTo === undefined || isFallback) return undefined;
  return { messageId: messageId(inReplyTo), body: "", isQuote: false };
}

/** A person; the platform marks no bots. */
export function senderOf(userId: string, nameOf: ParseContext["nameOf"]): Sender {
  const name = nameOf(userId);
  return { id: userId, ...(name !== undefined && { name }), handle: userId, isBot: false };
}
