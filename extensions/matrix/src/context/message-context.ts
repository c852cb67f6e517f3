import type { CallOptions, HistoryMessage, MessageContext, MsgContext, QuotedMessage, ThreadContext } from "@factotum/channel-contract";
import type { MatrixBot } from "../api/bot-identity.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import type { RoomBook } from "../rooms/room-book.ts";
import { readMessages, toHistory } from "./history.ts";
import type { HistoryParts } from "./history.ts";
import { readEvent } from "./known-events.ts";

/** What the reading of context needs. */
export interface ContextParts {
  readonly api: MatrixApi;
  readonly bot: MatrixBot;
  readonly book: RoomBook;
}

/** Messages of a thread that are shown when the bot is first addressed in it. */
const THREAD_MESSAGES = 20;

/** As `Channel.fetchContext`: what the platform's events lack. Never rejects; what the homeserver refuses is absent. */
export async function fetchMessageContext(parts: ContextParts, message: MsgContext, options: CallOptions): Promise<MessageContext> {
  const { conversation } = message.origin;
  const bot = await parts.bot.get(options).catch(() => undefined);
  if (bot === undefined) return {};
  const history: HistoryParts = { ...parts, bot };
  const [senderName, facts, replyTo, thread] = await Promise.all([
    parts.book.fetchName(conversation.id, message.sender.id, options).catch(() => undefined),
    parts.book.get(conversation.id, options).catch(() => undefined),
    quoteFor(history, message, options).catch(() => undefined),
    threadFor(history, message, options).catch(() => undefined),
  ]);
  const group =
    conversation.kind === "direct" || facts?.name === undefined
      ? undefined
      : { subject: facts.name, ...(facts.topic !== undefined && { topic: facts.topic }) };
  return {
    ...(senderName !== undefined && { senderName }),
    ...(group !== undefined && { group }),
    ...(replyTo !== undefined && { replyTo }),
    ...(thread !== undefined && { thread }),
  };
}

async function quoteFor(parts: HistoryParts, { origin, replyTo }: MsgContext, options: CallOptions): Promise<QuotedMessage | undefined> {
  const quoted =
    replyTo?.messageId === undefined ? undefined : await earlierMessage(parts, origin.conversation.id, replyTo.messageId, options);
  if (replyTo?.messageId === undefined || quoted === undefined) return undefined;
  const { sender, senderId, isSelf, body } = quoted;
  return {
    messageId: replyTo.messageId,
    sender: { ...(senderId !== undefined && { id: senderId }), name: sender, ...(isSelf === true && { isSelf }) },
    body,
    isQuote: false,
  };
}

async function earlierMessage(
  parts: HistoryParts,
  roomId: string,
  eventId: string,
  options: CallOptions,
): Promise<HistoryMessage | undefined> {
  const event = await readEvent(parts.api, roomId, eventId, options);
  return event === undefined ? undefined : toHistory(parts, roomId, event, options);
}

/** How a thread began, and its newest messages. A thread in which the bot has written is in its session already. */
async function threadFor(parts: HistoryParts, { origin, messageId }: MsgContext, options: CallOptions): Promise<ThreadContext | undefined> {
  const { conversation } = origin;
  const { id, threadId } = conversation;
  if (threadId === undefined) return undefined;
  const earlier = await readMessages(parts, { conversation, limit: 100, before: messageId }, options);
  if (earlier.some(({ isSelf, messageId: one }) => isSelf === true && one !== threadId)) return undefined;
  const starter = earlier.find((message) => message.messageId === threadId) ?? (await earlierMessage(parts, id, threadId, options));
  const history = earlier.filter((message) => message.messageId !== threadId).slice(-THREAD_MESSAGES);
  if (starter === undefined && history.length === 0) return undefined;
  return {
    ...(starter?.messageId !== undefined && { starter: { messageId: starter.messageId, sender: starter.sender, body: starter.body } }),
    ...(history.length > 0 && { history }),
  };
}
