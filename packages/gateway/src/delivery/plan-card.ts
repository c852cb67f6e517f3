import type { Card } from "@factotum/channel-contract";
import { measure } from "@factotum/channel-kit";
import type { NewOutbound } from "@factotum/store";
import { sendKey } from "../kernel/idempotency-key.ts";
import { asSpokenCard } from "./as-spoken.ts";
import { isOwnAddress, planChatMessage } from "./plan-message.ts";
import type { ChatAddresses, PlannedMessage } from "./plan-message.ts";
import { cardExcess } from "./rich/rich-limits.ts";
import { OUTBOX_TTL_MS } from "./retry-policy.ts";

/** Plans a card of the gateway's own; its text where the chat cannot show it, or not whole. */
export function planChatCard(message: PlannedMessage, shown: Card, channels: ChatAddresses): readonly NewOutbound[] {
  const card = asSpokenCard(shown, message.target);
  const { sessionKey, target, text, purpose, identity, nowMs, suppressed } = message;
  const capabilities = channels.channelFor(target)?.capabilities;
  const isShown =
    capabilities?.cards === true &&
    capabilities.buttons &&
    cardExcess(card, capabilities) === undefined &&
    measure(card.body, capabilities.text.unit) <= capabilities.text.maxLength;
  if (!isShown || isOwnAddress(target, channels)) return planChatMessage(message, channels);
  return [
    {
      sessionKey,
      target,
      outbound: { type: "card", card, text },
      purpose,
      idempotencyKey: sendKey(...identity, 0),
      dueAtMs: nowMs,
      expiresAtMs: nowMs + OUTBOX_TTL_MS,
      state: suppressed ? "suppressed" : "waiting",
    },
  ];
}
