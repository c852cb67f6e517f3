import { messageId } from "@factotum/channel-contract";
import type { CallOptions, HistoryMessage } from "@factotum/channel-contract";
import type { Bot } from "../api/bot-identity.ts";
import { attachmentsOf } from "../inbound/attachment-ref.ts";
import { timestampMs } from "../inbound/event-schema.ts";
import type { SlackMessage } from "../inbound/event-schema.ts";
import { markedPeople, nameMentions } from "../inbound/mention-marks.ts";
import { isOwn, textOf } from "../inbound/parse-message.ts";
import type { Lookups } from "./lookups.ts";

/** A message's text with names and files. */
export function bodyOf(message: SlackMessage, options: { readonly bot: Bot; readonly names: ReadonlyMap<string, string> }): string {
  const { bot, names } = options;
  const { text } = nameMentions(textOf(message), { botId: "", botName: "", names: new Map([...names, [bot.userId, bot.name]]) });
  const files = attachmentsOf(message.files).map(({ kind, fileName }) =>
    fileName === undefined ? `[${kind}]` : `[${kind}: ${shownName(fileName)}]`,
  );
  return [...(text === "" ? [] : [text]), ...files].join("\n");
}

/** The names of everybody who wrote a message or is named in one. Never rejects. */
export async function namesIn(
  messages: readonly SlackMessage[],
  lookups: Lookups,
  options: CallOptions,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(messages.flatMap((message) => [...(message.user ? [message.user] : []), ...markedPeople(textOf(message))]));
  const names = await Promise.all([...ids].map(async (id) => [id, await lookups.people.get(id, options)] as const));
  return new Map(names.flatMap(([id, name]) => (name === undefined ? [] : [[id, name] as const])));
}

/** Messages as history. */
export function toHistory(
  messages: readonly SlackMessage[],
  options: { readonly bot: Bot; readonly names: ReadonlyMap<string, string> },
): readonly HistoryMessage[] {
  return messages.map((message) => ({
    messageId: messageId(message.ts),
    sender: options.names.get(message.user ?? "") ?? message.username ?? message.user ?? message.bot_id ?? "unknown",
    ...senderOf(message),
    ...(message.bot_id && { isBot: true }),
    ...(isOwn(message, options.bot) && { isSelf: true }),
    timestampMs: timestampMs(message.ts),
    body: bodyOf(message, options),
  }));
}

/** The author's id, as in events. */
function senderOf({ user, bot_id: botId }: SlackMessage): Pick<HistoryMessage, "senderId"> {
  const senderId = user ?? botId;
  return senderId ? { senderId } : {};
}

/** A file's name without characters that end the note or give orders. */
function shownName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 80);
}
