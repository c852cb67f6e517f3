import { messageId } from "@factotum/channel-contract";
import type { ActionMessage, CallOptions, HistoryMessage } from "@factotum/channel-contract";
import * as z from "zod";
import type { DiscordApi } from "../api/discord-api.ts";
import { MessageSchema } from "../inbound/event-schema.ts";
import { bodyOf, isWritten } from "../inbound/parse-message.ts";
import { nameOf } from "../inbound/parse-text.ts";
import type { TextContext } from "../inbound/parse-text.ts";
import type { DiscordMessage } from "../inbound/platform-types.ts";
import { isSnowflake, requireMessageId } from "../snowflake.ts";

const MAX_LIMIT = 100;

/** The newest messages of a place that people and bots wrote, oldest first. Rejects with a PlatformFailure. */
export async function readMessages(
  api: DiscordApi,
  { channel, limit, before }: { readonly channel: string; readonly limit: number; readonly before?: string | undefined },
  options: CallOptions,
): Promise<readonly DiscordMessage[]> {
  // An answer to an interaction has no place among the messages: then the newest are read.
  const query = { limit: Math.min(limit, MAX_LIMIT), ...(before !== undefined && isSnowflake(before) && { before }) };
  const answer: unknown = await api.call("the messages", (sdk, given) => sdk.channels.getMessages(channel, query, given), options);
  return parseMessages(answer).toReversed();
}

/** Messages of an answer; what is no message, or is one of the platform's notes, is left out. */
export function parseMessages(answer: unknown): readonly DiscordMessage[] {
  return z
    .array(z.unknown())
    .parse(answer)
    .flatMap((value) => {
      const message = MessageSchema.safeParse(value).data;
      return message !== undefined && isWritten(message) ? [message] : [];
    });
}

/** One message. Rejects with a PlatformFailure. */
export async function readMessage(api: DiscordApi, channel: string, id: string, options: CallOptions): Promise<DiscordMessage> {
  const target = requireMessageId(id);
  return MessageSchema.parse(await api.call("the message", (sdk, given) => sdk.channels.getMessage(channel, target, given), options));
}

/** Messages as history. */
export function toHistory(messages: readonly DiscordMessage[], context: TextContext): readonly HistoryMessage[] {
  return messages.map((message) => {
    const { id, author, member, timestamp, webhook_id: webhook } = message;
    return {
      messageId: messageId(id),
      sender: nameOf(author, member),
      senderId: author.id,
      ...((author.bot === true || webhook !== undefined) && { isBot: true }),
      ...(author.id === context.bot.id && { isSelf: true }),
      timestampMs: Date.parse(timestamp) || 0,
      body: bodyOf(message, context),
    };
  });
}

/** Messages as actions report them. */
export function toActionMessages(messages: readonly DiscordMessage[], context: TextContext): ActionMessage[] {
  return toHistory(messages, context).map(({ messageId: id, sender, timestampMs, body: text }) => ({
    messageId: id ?? messageId(""),
    sender,
    timestampMs,
    text,
  }));
}
