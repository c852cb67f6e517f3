import { createHash } from "node:crypto";
import { messageId } from "@factotum/channel-contract";
import type { MsgContext, QuotedMessage, Sender } from "@factotum/channel-contract";
import type { Adapter, Author, Message } from "chat";
import type { ChatSdk } from "../adapter/load-sdk.ts";
import type { ParsedEvent } from "../chat/inbox.ts";
import { toConversation } from "../conversation-id.ts";
import { toAttachmentRef } from "./attachment-ref.ts";
import { parseText, withoutAddress } from "./parse-text.ts";

/** What events do not have. */
export interface EventFacts {
  readonly accountId: string;
  readonly sdk: ChatSdk;
}

/** A message of the adapter. The bot's own and those of the platform itself are ignored. */
export function parseMessage(adapter: Adapter, threadId: string, message: Message, facts: EventFacts): ParsedEvent {
  const { author, attachments, id, isMention, metadata, replyTo } = message;
  const unwanted = unwantedAuthor(author);
  if (unwanted !== undefined) return unwanted;
  return {
    ...commonParts(adapter, threadId, facts),
    eventId: id,
    messageId: messageId(id),
    timestampMs: toTimestamp(metadata.dateSent),
    event: { type: "message" },
    sender: parseSender(author),
    text: isMention === true ? withoutAddress(parseText(message, facts.sdk), adapter) : parseText(message, facts.sdk),
    mentionsBot: isMention === true,
    ...(replyTo !== undefined && hasContent(replyTo) && { replyTo: parseQuoted(replyTo, facts.sdk) }),
    attachments: attachments.flatMap((attachment) => toAttachmentRef(attachment) ?? []),
  };
}

/** An edited message. Two edits of the same second differ in their content. */
export function parseEdit(adapter: Adapter, threadId: string, message: Message, facts: EventFacts): ParsedEvent {
  const { author, id, metadata, raw } = message;
  const unwanted = unwantedAuthor(author);
  if (unwanted !== undefined) return unwanted;
  return {
    ...commonParts(adapter, threadId, facts),
    eventId: `edit:${id}:${hashOf(raw)}`,
    messageId: messageId(id),
    timestampMs: toTimestamp(metadata.editedAt ?? metadata.dateSent),
    event: { type: "edit", targetId: messageId(id) },
    sender: parseSender(author),
    text: parseText(message, facts.sdk),
  };
}

/** What all events of a thread have. */
export function commonParts(
  adapter: Adapter,
  threadId: string,
  { accountId }: Pick<EventFacts, "accountId">,
): Pick<MsgContext, "origin" | "text" | "mentionsBot" | "attachments"> {
  const origin = { channel: "chat-sdk", accountId, conversation: toConversation(adapter, threadId) };
  return { origin, text: "", mentionsBot: false, attachments: [] };
}

/** The author by the platform's id. One of whom the adapter does not know whether it is a person can be a chat, in whose name several people write. */
export function parseSender({ userId, fullName, userName, isBot }: Author): Sender {
  return { id: userId, name: fullName, handle: userName, isBot: isBot === true, ...(isBot === "unknown" && { isUnverified: true }) };
}

/** Why nothing of this author is passed on. */
export function unwantedAuthor({ isMe, isSystem }: Author): ParsedEvent | undefined {
  if (isMe) return { type: "ignored", reason: "the bot's own message" };
  return isSystem === true ? { type: "ignored", reason: "a message of the platform itself" } : undefined;
}

/** A short name of an event's content, the same for every delivery: the SDK has no ids of events. */
export function hashOf(raw: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(raw) ?? "")
    .digest("base64url")
    .slice(0, 22);
}

function toTimestamp(date: Date): number {
  const ms = date.getTime();
  return Number.isFinite(ms) && ms > 0 ? Math.trunc(ms) : 0;
}

function hasContent({ text, attachments }: Message): boolean {
  return text !== "" || attachments.length > 0;
}

function parseQuoted(message: Message, sdk: ChatSdk): QuotedMessage {
  const { userId, fullName, isMe } = message.author;
  return {
    messageId: messageId(message.id),
    sender: { id: userId, name: fullName, isSelf: isMe },
    body: parseText(message, sdk),
    isQuote: false,
  };
}
