import type { ChannelCapabilities, MessageId, Origin } from "@factotum/channel-contract";
import { chunkMarkdown } from "@factotum/channel-kit";
import type { NewOutbound, OutboxRecord } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { isSessionKey } from "../routing/session-key.ts";
import { sendKey } from "../kernel/idempotency-key.ts";
import { OUTBOX_TTL_MS } from "./retry-policy.ts";

/** One logical message. */
export interface PlannedMessage {
  readonly sessionKey: string;
  readonly target: Origin;
  readonly text: string;
  readonly purpose: OutboxRecord["purpose"];
  /** What its parts are answers to: one message or none for the first part, or for each. */
  readonly replyTo?: MessageId | ((part: number) => MessageId | undefined);
  /** How much of the text is sent already. */
  readonly from?: number;
  /** Where it is cut, for a channel that could take more at once. */
  readonly chunk?: { readonly minLength: number; readonly maxLength: number };
  /** When the next part leaves; at once when left out. */
  readonly nextDueMs?: () => number;
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
      outbound: { type: "text", text, ...withoutUndefined({ replyTo }) },
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
 * The same for a message of the gateway or of a turn. None for what reads the transcript: addresses that name a session and have no account, which are
 * the gateway's own clients, and session-key addresses, which are the conversation itself. An account that is configured no more, since whenever, keeps
 * what it still has to say for as long as any message waits: it may come back.
 */
export function planChatMessage(message: PlannedMessage, channels: ChatAddresses): readonly NewOutbound[] {
  return isOwnAddress(message.target, channels) ? [] : planMessage(message, channels);
}

/** True for the gateway's own clients, who read the transcript: nothing is sent to them. */
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
