import { messageId, type MsgContext } from "@factotum/channel-contract";
import type { SampleChatMessageEvent } from "./event-schema.ts";

/** Turns a message of the platform into the gateway's own form; `undefined` for the bot's own. */
export function parseMessage(
  event: SampleChatMessageEvent,
  facts: { readonly accountId: string; readonly botId: string },
): MsgContext | undefined {
  const { message } = event;
  if (message.sender.id === facts.botId) return undefined;
  return {
    origin: { channel: "sample-chat", accountId: facts.accountId, conversation: { kind: message.chat.kind, id: message.chat.id } },
    eventId: event.event_id,
    messageId: messageId(message.id),
    timestampMs: event.sent_at_ms,
    event: { type: "message" },
    sender: {
      id: message.sender.id,
      isBot: message.sender.is_bot,
      ...(message.sender.name !== undefined && { name: message.sender.name }),
    },
    text: message.text,
    mentionsBot: message.mentions.some(({ id }) => id === facts.botId),
    // Their names are in the text, and are not the sender's own text.
    mentions: message.mentions.filter(({ id }) => id !== facts.botId),
    attachments: [],
    // The platform sends the id of the answered message, not its text.
    ...(message.reply_to === undefined ? {} : { replyTo: { messageId: messageId(message.reply_to), body: "", isQuote: false } }),
  };
}
