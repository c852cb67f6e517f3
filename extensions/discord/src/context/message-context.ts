import { messageId as toMessageId } from "@factotum/channel-contract";
import type { CallOptions, MessageContext, MsgContext, QuotedMessage, ThreadContext } from "@factotum/channel-contract";
import type { DiscordBot } from "../api/bot-identity.ts";
import type { DiscordApi } from "../api/discord-api.ts";
import { bodyOf, quoteOf } from "../inbound/parse-message.ts";
import { nameOf } from "../inbound/parse-text.ts";
import type { TextContext } from "../inbound/parse-text.ts";
import type { DiscordMessage } from "../inbound/platform-types.ts";
import { readMessage, readMessages, toHistory } from "./history.ts";
import type { Place, Places } from "./places.ts";

/** What the reading of context needs. */
export interface ContextParts {
  readonly api: DiscordApi;
  readonly bot: DiscordBot;
  readonly places: Places;
}

/** Messages of a thread that are shown when the bot is first addressed in it. */
const THREAD_MESSAGES = 20;

/** As `Channel.fetchContext`: what the platform's events lack. Never rejects; without the permission it is nothing. */
export async function fetchMessageContext(parts: ContextParts, message: MsgContext, options: CallOptions): Promise<MessageContext> {
  const { origin, sender } = message;
  const [group, replyTo, thread] = await Promise.all([
    groupOf(parts, origin.conversation, options).catch(() => undefined),
    quoteFor(parts, message, options).catch(() => undefined),
    threadOf(parts, message, options).catch(() => undefined),
  ]);
  if (group === undefined && replyTo === undefined && thread === undefined) return {};
  return {
    ...(sender.name !== undefined && { senderName: sender.name }),
    ...(group !== undefined && { group }),
    ...(replyTo !== undefined && { replyTo }),
    ...(thread !== undefined && { thread }),
  };
}

async function groupOf(
  { places }: ContextParts,
  { kind, id, threadId }: MsgContext["origin"]["conversation"],
  options: CallOptions,
): Promise<MsgContext["group"]> {
  if (kind === "direct") return undefined;
  const [channel, thread] = await Promise.all([
    places.get(id, options),
    threadId === undefined ? undefined : places.get(threadId, options),
  ]);
  const subject = [channel, thread].flatMap((place: Place | undefined) => (place === undefined || place.name === "" ? [] : [place.name]));
  if (subject.length === 0) return undefined;
  return { subject: `#${subject.join(" › ")}`, ...(channel !== undefined && channel.topic !== "" && { topic: channel.topic }) };
}

/** The message that was replied to, if the event had it without its text. */
async function quoteFor(parts: ContextParts, { origin, replyTo }: MsgContext, options: CallOptions): Promise<QuotedMessage | undefined> {
  if (replyTo?.messageId === undefined || replyTo.sender !== undefined) return undefined;
  const { id, threadId } = origin.conversation;
  const [context, quoted] = await Promise.all([
    textContext(parts, options),
    readMessage(parts.api, threadId ?? id, replyTo.messageId, options),
  ]);
  return quoteOf(quoted, context);
}

/** How a thread began, and its newest messages. A thread in which the bot has written is in its session already. */
async function threadOf(parts: ContextParts, { origin, messageId }: MsgContext, options: CallOptions): Promise<ThreadContext | undefined> {
  const { api } = parts;
  const { id: channel, threadId } = origin.conversation;
  if (threadId === undefined) return undefined;
  const context = await textContext(parts, options);
  const earlier = await readMessages(api, { channel: threadId, limit: 100, before: messageId }, options);
  if (earlier.some(({ author }) => author.id === context.bot.id)) return undefined;
  // A thread has the id of the message that it began with, which is in the channel. Posts of a forum have it in themselves.
  const inside = earlier.find(({ id }) => id === threadId);
  const starter = inside ?? (await readMessage(api, channel, threadId, options).catch(() => undefined));
  const history = earlier.filter((message) => message !== inside).slice(-THREAD_MESSAGES);
  if (starter === undefined && history.length === 0) return undefined;
  return {
    ...(starter !== undefined && { starter: starterOf(starter, context) }),
    ...(history.length > 0 && { history: toHistory(history, context) }),
  };
}

function starterOf(message: DiscordMessage, context: TextContext): NonNullable<ThreadContext["starter"]> {
  return { messageId: toMessageId(message.id), sender: nameOf(message.author, message.member), body: bodyOf(message, context) };
}

/** Roles have no names in quotes and history. */
export async function textContext({ bot }: Pick<ContextParts, "bot">, options: CallOptions): Promise<TextContext> {
  return { bot: await bot.get(options), roles: new Map(), botRoles: new Set() };
}
