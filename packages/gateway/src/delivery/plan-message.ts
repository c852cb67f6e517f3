import type { ChannelCapabilities, MessageId, Origin } from "@factotum/channel-contract";
import { chunkMarkdown } from "@factotum/channel-kit";
import type { NewOutbound, OutboxRecord } from "@factotum/store";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { sendKey } from "./idempotency-key.ts";

/** How long a message may wait before it is too late to send. */
export const OUTBOX_TTL_MS: number = 24 * 60 * 60 * 1000;

/** One logical message. */
export interface PlannedMessage {
  readonly sessionKey: string;
  readonly target: Origin;
  readonly text: string;
  readonly purpose: OutboxRecord["purpose"];
  readonly replyTo?: MessageId;
  /** What makes the message this one and no other: the same parts give the same idempotency keys. */
  readonly identity: readonly (string | number)[];
  readonly nowMs: number;
  readonly suppressed: boolean;
}

/** What is known of the places that messages go to. */
export type ChatAddresses = Pick<ChannelRegistry, "accountFor" | "channelFor">;

/**
 * Cuts a message into the parts that its channel can take and its account allows, one row each. A part starts in custody (`sending`) only where the
 * channel recognises a repeated send: elsewhere a crash between the commit and the request would count as ambiguous though nothing had left.
 */
export function planMessage(message: PlannedMessage, channels: ChatAddresses): readonly NewOutbound[] {
  const capabilities = channels.channelFor(message.target)?.capabilities;
  const limit = channels.accountFor(message.target)?.textChunkLimit;
  const texts = capabilities === undefined ? [message.text] : chunks(message.text, capabilities, limit);
  const inCustody = capabilities?.idempotentSend !== undefined;
  return texts.map((text, part) => ({
    sessionKey: message.sessionKey,
    target: message.target,
    outbound: { type: "text", text, ...(part === 0 && message.replyTo !== undefined ? { replyTo: message.replyTo } : {}) },
    purpose: message.purpose,
    idempotencyKey: sendKey(...message.identity, part),
    dueAtMs: message.nowMs,
    expiresAtMs: message.nowMs + OUTBOX_TTL_MS,
    state: message.suppressed ? "suppressed" : part === 0 && inCustody ? "sending" : "waiting",
  }));
}

/** The same for a message of the gateway or of a turn. None for the gateway's own clients, which show it from the conversation. */
export function planChatMessage(message: PlannedMessage, channels: ChatAddresses): readonly NewOutbound[] {
  // Addresses without an account are the gateway's own clients, and session-key addresses are the conversation itself: both read the transcript.
  const isOwn =
    channels.accountFor(message.target) === undefined || channels.channelFor(message.target)?.capabilities.addressing === "session-key";
  return isOwn ? [] : planMessage(message, channels);
}

function chunks(text: string, capabilities: ChannelCapabilities, limit: number | undefined): readonly string[] {
  const { maxLength, unit, maxLines } = capabilities.text;
  const pieces = chunkMarkdown(text, {
    maxLength: Math.max(32, Math.min(maxLength, limit ?? maxLength)),
    unit,
    ...(maxLines === undefined ? {} : { maxLines }),
  });
  return pieces.map((piece) => piece.text);
}
