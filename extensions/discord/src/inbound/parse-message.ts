import { messageId } from "@factotum/channel-contract";
import type { Conversation, ForwardedMessage, MsgContext, QuotedMessage, Sender, UntrustedNote } from "@factotum/channel-contract";
import { attachmentsOf } from "./attachment-ref.ts";
import { nameOf, parseText } from "./parse-text.ts";
import type { TextContext } from "./parse-text.ts";
import type { DiscordContent, DiscordMember, DiscordMessage, DiscordUser } from "./platform-types.ts";
import { replyContext } from "./reply-context.ts";

/** What is needed to parse messages. */
export interface ParseContext extends TextContext {
  readonly accountId: string;
  readonly conversation: Conversation;
}

/** Messages that people and bots write; all others are notes of the platform, such as a pin or a new member. */
const WRITTEN: readonly number[] = [0, 19, 20, 23];
const FORWARD = 1;

/** True for a message that somebody wrote. */
export function isWritten({ type }: Pick<DiscordMessage, "type">): boolean {
  return WRITTEN.includes(type);
}

/** The sender of a message or an event. A webhook is known by its own id, and counts as a bot. */
export function senderOf(
  user: DiscordUser,
  { member, isWebhook = false }: { readonly member?: DiscordMember | undefined; readonly isWebhook?: boolean } = {},
): Sender {
  return {
    id: user.id,
    name: nameOf(user, member),
    ...(user.username !== "" && { handle: user.username }),
    isBot: isWebhook || user.bot === true,
    ...(member?.roles !== undefined && member.roles.length > 0 && { roles: member.roles }),
  };
}

/** Parses a message; `undefined` if it shows nothing, as all do in channels without the intent Message Content. Pure. */
export function parseMessage(message: DiscordMessage, context: ParseContext): MsgContext | undefined {
  const { accountId, conversation } = context;
  const { id, channel_id: channel, author, member, timestamp, webhook_id: webhook } = message;
  const body = parseText(message, context);
  const forwarded = forwardedOf(message, context);
  const snapshots = message.message_snapshots?.map((snapshot) => snapshot.message) ?? [];
  const attachments = attachmentsOf(
    [message, ...snapshots].flatMap((one) => one.attachments),
    { channel, message: id },
  );
  const text = [body.text, ...notesOf(message)].filter((part) => part !== "").join("\n");
  const replyTo = quotedOf(message, context);
  const untrusted = embedsOf(message);
  const isEmpty = text === "" && attachments.length === 0 && forwarded === undefined && untrusted.length === 0;
  if (isEmpty && !body.mentionsBot) return undefined;
  return {
    origin: { channel: "discord", accountId, conversation },
    eventId: id,
    messageId: messageId(id),
    timestampMs: Date.parse(timestamp) || 0,
    event: { type: "message" },
    sender: senderOf(author, { member, isWebhook: webhook !== undefined }),
    text,
    mentionsBot: body.mentionsBot,
    ...(body.mentions.length > 0 && { mentions: body.mentions }),
    ...(replyTo !== undefined && { replyTo }),
    ...(forwarded !== undefined && { forwarded }),
    attachments,
    replyContext: replyContext({ user: author.id }),
    ...(untrusted.length > 0 && { untrusted }),
  };
}

/** The text of an edited message. */
export function parseEdit(message: DiscordMessage, context: ParseContext): MsgContext {
  const { text, mentions } = parseText(message, context);
  const { id, author, member, webhook_id: webhook, edited_timestamp: edited } = message;
  return {
    origin: { channel: "discord", accountId: context.accountId, conversation: context.conversation },
    eventId: `edit/${id}/${edited ?? ""}`,
    messageId: messageId(id),
    timestampMs: Date.parse(edited ?? "") || 0,
    event: { type: "edit", targetId: messageId(id) },
    sender: senderOf(author, { member, isWebhook: webhook !== undefined }),
    text,
    mentionsBot: false,
    ...(mentions.length > 0 && { mentions }),
    attachments: [],
  };
}

/** What a message says in one line, with its files: for quotes and history. */
export function bodyOf(message: DiscordMessage, context: TextContext): string {
  const forwarded = message.message_snapshots?.[0]?.message;
  const parts = [message, ...(forwarded === undefined ? [] : [forwarded])].flatMap((one) => [
    parseText(one, context).text,
    ...filesOf(one),
  ]);
  return [...parts, ...notesOf(message)].filter((part) => part !== "").join("\n");
}

/** The message that was replied to. */
function quotedOf(message: DiscordMessage, context: TextContext): QuotedMessage | undefined {
  const { message_reference: reference, referenced_message: answered } = message;
  if (reference?.message_id === undefined || reference.type === FORWARD) return undefined;
  const id = messageId(reference.message_id);
  // Deleted, or not part of the event.
  if (answered === undefined || answered === null) return { messageId: id, body: "", isQuote: false };
  return quoteOf(answered, context);
}

/** A message as a quote. */
export function quoteOf(message: DiscordMessage, context: TextContext): QuotedMessage {
  const { author, member } = message;
  const { mentions } = parseText(message, context);
  return {
    messageId: messageId(message.id),
    sender: { id: author.id, name: nameOf(author, member), ...(author.id === context.bot.id && { isSelf: true }) },
    body: bodyOf(message, context),
    ...(mentions.length > 0 && { mentions }),
    isQuote: false,
  };
}

/** What was forwarded is not the sender's own text. The platform does not say who wrote it. */
function forwardedOf(
  { message_reference: reference, message_snapshots: snapshots }: DiscordMessage,
  context: TextContext,
): ForwardedMessage | undefined {
  const [snapshot] = snapshots ?? [];
  if (reference?.type !== FORWARD || snapshot === undefined) return undefined;
  const { text } = parseText(snapshot.message, context);
  return { body: [text, ...notesOf(snapshot.message)].filter((part) => part !== "").join("\n") };
}

/** What a message shows besides text and files. */
function notesOf({ sticker_items: stickers = [], ...rest }: DiscordContent & Pick<Partial<DiscordMessage>, "poll">): readonly string[] {
  const answers = rest.poll?.answers.map(({ poll_media: { text = "" } }) => text).join(", ");
  return [
    ...stickers.map(({ name }) => `[sticker: ${name}]`),
    ...(rest.poll === undefined ? [] : [`[poll: ${rest.poll.question.text ?? ""} (${answers ?? ""})]`]),
  ];
}

/** Only bots and webhooks can write such texts. */
function embedsOf({ embeds }: DiscordContent): readonly UntrustedNote[] {
  return embeds
    .filter(({ type = "rich" }) => type === "rich")
    .map(({ title, description, fields = [] }) => ({
      source: "embed",
      text: [title, description, ...fields.map(({ name, value }) => `${name}: ${value}`)].filter(Boolean).join("\n"),
    }))
    .filter(({ text }) => text !== "");
}

function filesOf({ attachments }: DiscordContent): readonly string[] {
  // A name without characters that end the note or give orders.
  return attachments.map(({ filename }) => `[file: ${filename.replaceAll(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 80)}]`);
}
