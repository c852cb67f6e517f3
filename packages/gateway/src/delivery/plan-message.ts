import type { Audience, ChannelCapabilities, Mention, MessageId, Origin } from "@factotum/channel-contract";
import { chunkMarkdown } from "@factotum/channel-kit";
import type { NewOutbound, OutboxRecord } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { isSessionKey } from "../routing/session-key.ts";
import { sendKey } from "../kernel/idempotency-key.ts";
import { asSpoken } from "./as-spoken.ts";
import { OUTBOX_TTL_MS } from "./retry-policy.ts";

/** One logical message. */
export interface PlannedMessage {
  readonly sessionKey: string;
  readonly target: Origin;
  readonly text: string;
  readonly purpose: OutboxRecord["purpose"];
  /** The message that its parts reply to: for the first part, or chosen per part. */
  readonly replyTo?: MessageId | ((part: number) => MessageId | undefined);
  /** Who is notified, and who sees it. */
  readonly audience?: Audience;
  /** People whose `@name` in the text notifies them. */
  readonly mentions?: readonly Mention[];
  /** Files follow it: the name of one of several agents is sent even if the text is empty. */
  readonly hasFiles?: boolean;
  /** Characters of the text that were sent already. */
  readonly from?: number;
  /** Where it is split, for a channel that could take more at once. */
  readonly chunk?: { readonly minLength: number; readonly maxLength: number };
  /** Due time of the next part; immediately if omitted. */
  readonly nextDueMs?: () => number;
  /** Identifies the message: the same identity gives the same idempotency keys. */
  readonly identity: readonly (string | number)[];
  readonly nowMs: number;
  readonly suppressed: boolean;
}

/** What is known of the addresses that messages are sent to. */
export type ChatAddresses = Pick<ChannelRegistry, "accountFor" | "channelFor">;

/**
 * Splits a message into parts that its channel and account allow, one row each. A part is claimed at its commit (`sending`) only if the channel recognises
 * repeated sends: otherwise a crash between commit and request would count as ambiguous although nothing was sent. Where several agents answer, the text begins
 * with the name of the one that says it; nothing was sent of such a text before.
 */
export function planMessage(planned: PlannedMessage, channels: ChatAddresses): readonly NewOutbound[] {
  const isEmpty = planned.text === "" && planned.hasFiles !== true;
  const message = isEmpty ? planned : { ...planned, text: asSpoken(planned.text, planned.target) };
  const capabilities = channels.channelFor(message.target)?.capabilities;
  const limit = channels.accountFor(message.target)?.textChunkLimit;
  const whole = message.text.slice(message.from ?? 0);
  const texts = capabilities === undefined ? [whole].filter((text) => text !== "") : chunks(message, capabilities, limit);
  const inCustody = capabilities?.idempotentSend !== undefined;
  return texts.map((text, part) => {
    const replyTo = replyToOfPart(message, part);
    const dueAtMs = message.nextDueMs?.() ?? message.nowMs;
    const leavesNow = part === 0 && inCustody && dueAtMs <= message.nowMs;
    return {
      sessionKey: message.sessionKey,
      target: message.target,
      outbound: { type: "text", text, ...message.audience, ...withoutUndefined({ mentions: message.mentions, replyTo }) },
      purpose: message.purpose,
      idempotencyKey: sendKey(...message.identity, part),
      dueAtMs,
      expiresAtMs: message.nowMs + OUTBOX_TTL_MS,
      state: message.suppressed ? "suppressed" : leavesNow ? "sending" : "waiting",
    };
  });
}

function replyToOfPart({ replyTo }: PlannedMessage, part: number): MessageId | undefined {
  if (typeof replyTo === "function") return replyTo(part);
  return part === 0 ? replyTo : undefined;
}

/**
 * The same for a message of the gateway or of a turn. Plans nothing for addresses whose clients read the transcript: the gateway's own clients, which name a
 * session and have no account, and session-key addresses. An account that disappears from the configuration keeps its messages as long as any message waits,
 * because it may be configured again; `Dispatcher.discard` is for one that was removed on purpose.
 */
export function planChatMessage(message: PlannedMessage, channels: ChatAddresses): readonly NewOutbound[] {
  return isOwnAddress(message.target, channels) ? [] : planMessage(message, channels);
}

/** True for the gateway's own clients, which read the transcript: nothing is sent to them. */
export function isOwnAddress(target: Origin, channels: ChatAddresses): boolean {
  const hasAccount = channels.accountFor(target) !== undefined;
  return hasAccount ? channels.channelFor(target)?.capabilities.addressing === "session-key" : isSessionKey(target.conversation.id);
}

function chunks(
  { text, from = 0, chunk }: PlannedMessage,
  capabilities: ChannelCapabilities,
  limit: number | undefined,
): readonly string[] {
  const { maxLength, unit, maxLines } = capabilities.text;
  const longest = Math.max(32, Math.min(maxLength, limit ?? maxLength, chunk?.maxLength ?? maxLength));
  const pieces = chunkMarkdown(text, {
    maxLength: longest,
    unit,
    from,
    ...(chunk === undefined ? {} : { minLength: Math.min(chunk.minLength, longest) }),
    ...withoutUndefined({ maxLines }),
  });
  return pieces.map((piece) => piece.text);
}
