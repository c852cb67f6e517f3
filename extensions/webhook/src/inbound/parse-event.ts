import { messageId } from "@factotum/channel-contract";
import type { InboundEvent, Mention, MsgContext, QuotedMessage } from "@factotum/channel-contract";
import { attachmentOf } from "./attachment-ref.ts";
import type { ServiceEvent, ServiceMessageEvent, ServicePerson } from "./event-schema.ts";

/** What an event's body does not have. */
export interface EventFacts {
  readonly accountId: string;
  /** The header `webhook-id`. */
  readonly eventId: string;
  /** Time of the signature, milliseconds since the epoch. */
  readonly signedAtMs: number;
}

/** Turns an event into the gateway's own form; `undefined` for the assistant's own. */
export function parseEvent(event: ServiceEvent, { accountId, eventId, signedAtMs }: EventFacts): MsgContext | undefined {
  if (event.sender.self) return undefined;
  const { conversation, sender } = event;
  const { id, kind, thread, name: subject, topic } = conversation;
  const isMessage = event.type === "message";
  return {
    origin: { channel: "webhook", accountId, conversation: { kind, id, ...(thread !== undefined && { threadId: thread }) } },
    eventId,
    messageId: messageId(isMessage ? event.id : eventId),
    timestampMs: event.timestampMs ?? signedAtMs,
    event: inboundEvent(event),
    sender: { id: sender.id, isBot: sender.bot, ...(sender.name !== undefined && { name: sender.name }) },
    text: event.type === "message" || event.type === "edit" ? event.text : "",
    mentionsBot: isMessage && event.mentionsBot,
    ...(isMessage && { mentions: event.mentions.map(withoutMissingId) }),
    attachments: isMessage ? event.attachments.map(attachmentOf) : [],
    ...(isMessage && event.replyTo !== undefined && { replyTo: quoted(event.replyTo) }),
    ...((subject !== undefined || topic !== undefined) && {
      group: { ...(subject !== undefined && { subject }), ...(topic !== undefined && { topic }) },
    }),
  };
}

function inboundEvent(event: ServiceEvent): InboundEvent {
  if (event.type === "message") return { type: "message" };
  const targetId = messageId(event.targetId);
  if (event.type !== "reaction") return { type: event.type, targetId };
  return { type: "reaction", targetId, emoji: event.emoji, removed: event.removed };
}

function quoted(replyTo: NonNullable<ServiceMessageEvent["replyTo"]>): QuotedMessage {
  const { id, text, sender } = replyTo;
  return {
    ...(id !== undefined && { messageId: messageId(id) }),
    ...(sender !== undefined && { sender: { ...withoutMissingId(sender), isSelf: sender.self } }),
    body: text,
    isQuote: false,
  };
}

function withoutMissingId({ id, name }: ServicePerson): Mention {
  return { name, ...(id !== undefined && { id }) };
}
