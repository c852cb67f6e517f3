import { messageId } from "@factotum/channel-contract";
import type { ConversationKind, ForwardedMessage, MsgContext, UntrustedNote } from "@factotum/channel-contract";
import type { Bot } from "../api/bot-identity.ts";
import { conversationOf } from "../conversation-id.ts";
import { attachmentsOf } from "./attachment-ref.ts";
import { timestampMs } from "./event-schema.ts";
import type { MessageEvent, SlackAttachment, SlackMessage } from "./event-schema.ts";
import { nameMentions } from "./mention-marks.ts";
import { hasRichText, parseBlocks } from "./parse-blocks.ts";
import { parseMrkdwn } from "./parse-mrkdwn.ts";
import { replyContext } from "./reply-context.ts";

/** Subtypes of messages that people and integrations write; the others report changes of the conversation. */
const WRITTEN: ReadonlySet<string> = new Set(["file_share", "thread_broadcast", "bot_message", "me_message"]);

/** True for a message that somebody wrote. */
export function isWritten({ subtype }: Pick<SlackMessage, "subtype">): boolean {
  return subtype === undefined || WRITTEN.has(subtype);
}

/** True for the bot's own messages. */
export function isOwn(message: Pick<SlackMessage, "user" | "bot_id">, bot: Bot): boolean {
  return message.user === bot.userId || (message.bot_id !== undefined && message.bot_id !== null && message.bot_id === bot.botId);
}

/** The text of a message as Markdown, with people marked: what was typed, or what an integration shows. */
export function textOf(message: SlackMessage): string {
  const { blocks, text, attachments } = message;
  const typed = hasRichText(blocks) || text === "" ? parseBlocks(blocks) : undefined;
  if (typed !== undefined) return typed;
  if (text !== "") return parseMrkdwn(text);
  const shown = attachments.filter((attachment) => !isShared(attachment) && attachment.is_msg_unfurl !== true);
  return shown
    .map((attachment) => parseMrkdwn(attachment.text || attachment.fallback || attachment.title || ""))
    .filter(Boolean)
    .join("\n\n");
}

/** What is needed to parse a message. */
export interface ParseContext {
  readonly eventId: string;
  readonly accountId: string;
  readonly bot: Bot;
  readonly kind: ConversationKind;
  readonly nowMs: number;
  /** Names of people, by id. */
  readonly names: ReadonlyMap<string, string>;
}

/** Parses a message that somebody else wrote; `undefined` without an author. Pure. */
export function parseMessage(event: MessageEvent, context: ParseContext): MsgContext | undefined {
  const { bot, names } = context;
  const senderId = event.user ?? event.bot_id;
  if (typeof senderId !== "string" || senderId === "") return undefined;
  const isBot = typeof event.bot_id === "string" && event.bot_id !== "";
  const named = nameMentions(textOf(event), { botId: bot.userId, botName: bot.name, names });
  const forwarded = forwardedOf(event.attachments, context);
  const untrusted = notesOf(event.attachments, context);
  return {
    origin: {
      channel: "slack",
      accountId: context.accountId,
      conversation: conversationOf({ kind: context.kind, id: event.channel, ts: event.ts, threadTs: event.thread_ts }),
    },
    eventId: context.eventId,
    messageId: messageId(event.ts),
    timestampMs: timestampMs(event.ts),
    event: { type: "message" },
    sender: { id: senderId, ...(isBot && event.username ? { name: event.username } : {}), isBot },
    text: event.subtype === "me_message" ? `_${named.text}_` : named.text,
    mentionsBot: named.mentionsBot,
    ...(named.mentions.length > 0 && { mentions: named.mentions }),
    attachments: attachmentsOf(event.files),
    ...(forwarded !== undefined && { forwarded }),
    ...(untrusted.length > 0 && { untrusted }),
    replyContext: replyContext({ user: senderId, team: bot.teamId }, context.nowMs),
  };
}

function isShared({ is_share: isShare }: SlackAttachment): boolean {
  return isShare === true;
}

function bodyOf(attachment: SlackAttachment, { bot, names }: ParseContext): string {
  const text = parseMrkdwn(attachment.text || attachment.fallback || "");
  return nameMentions(text, { botId: "", botName: bot.name, names: new Map([...names, [bot.userId, bot.name]]) }).text;
}

/** The message that was forwarded; the platform forwards one at a time. */
function forwardedOf(attachments: readonly SlackAttachment[], context: ParseContext): ForwardedMessage | undefined {
  const shared = attachments.find(isShared);
  if (shared === undefined) return undefined;
  const { author_name: from, channel_name: title } = shared;
  return { ...(from ? { from } : {}), ...(title ? { title: `#${title}` } : {}), body: bodyOf(shared, context) };
}

/** Messages whose address was pasted: the platform shows their text below. */
function notesOf(attachments: readonly SlackAttachment[], context: ParseContext): readonly UntrustedNote[] {
  return attachments
    .filter((attachment) => attachment.is_msg_unfurl === true && !isShared(attachment))
    .map((attachment) => ({ source: `linked message of ${attachment.author_name ?? "somebody"}`, text: bodyOf(attachment, context) }));
}
