import { withoutUndefined } from "@factotum/agent-contract";
import type { MessageOperation, MessengerRequest } from "@factotum/agent-contract";
import { messageId } from "@factotum/channel-contract";
import type { Audience, Channel, Origin, Poll } from "@factotum/channel-contract";
import { measure } from "@factotum/channel-kit";
import type { NewOutbound, OutboxStore, StoredOutbound } from "@factotum/store";
import type { ChannelRegistry } from "../../channels/channel-registry.ts";
import { isSameChat } from "../../kernel/conversation-key.ts";
import { sendKey } from "../../kernel/idempotency-key.ts";
import { asSpoken, asSpokenCard } from "../as-spoken.ts";
import { planMessage } from "../plan-message.ts";
import { OUTBOX_TTL_MS } from "../retry-policy.ts";
import { cardText, pollText } from "./card-text.ts";
import { cardExcess, pollExcess } from "./rich-limits.ts";
import { toCard } from "./to-card.ts";

/** Rows, or the reason for the model why there are none. */
export type PlannedOperation = { readonly rows: readonly NewOutbound[] } | { readonly refusal: string };

/** An operation with its address. */
export interface RichRequest {
  readonly operation: Exclude<MessageOperation, { type: "send" | "act" }>;
  readonly request: Pick<MessengerRequest, "replyTo" | "silent" | "onlyFor">;
  readonly target: Origin;
  readonly channel: Channel;
  readonly sessionKey: string;
  readonly identity: readonly (string | number)[];
  readonly nowMs: number;
}

/** Dependencies of planning. */
interface PlanParts {
  readonly store: Pick<OutboxStore, "readOutbound">;
  readonly channels: ChannelRegistry;
  /** True for a button's value that the gateway would run as a command. */
  readonly isCommand: (value: string) => boolean;
}

/** The audience of a send, as far as the channel supports it; a message for one person is never sent to all. */
export function audienceOf(
  { silent, onlyFor }: Pick<MessengerRequest, "silent" | "onlyFor">,
  { capabilities }: Pick<Channel, "capabilities">,
): Audience | { readonly refusal: string } {
  if (onlyFor !== undefined && capabilities.ephemeral !== true)
    return { refusal: "this chat cannot show a message to one person alone (onlyFor)." };
  return { ...(silent === true && capabilities.silent === true ? { silent } : {}), ...withoutUndefined({ onlyFor }) };
}

/** Plans the rows of an operation: as the channel shows it, or as text. */
export async function planOperation(rich: RichRequest, parts: PlanParts): Promise<PlannedOperation> {
  const { operation, channel } = rich;
  const { capabilities } = channel;
  switch (operation.type) {
    case "card":
      return planCard(rich, operation, parts);
    case "poll":
      return planPoll(rich, operation, parts);
    case "react": {
      if (!capabilities.reactions) return { refusal: "this chat has no reactions." };
      const { emoji, removed } = operation;
      return one(rich, { type: "reaction", targetId: messageId(operation.messageId), emoji, removed, text: "" });
    }
    case "edit":
    case "delete":
      return planChange(rich, operation, parts);
  }
}

function planCard(
  rich: RichRequest,
  operation: Extract<MessageOperation, { type: "card" }>,
  { channels, isCommand }: PlanParts,
): PlannedOperation {
  const { capabilities } = rich.channel;
  const audience = audienceOf(rich.request, rich.channel);
  if ("refusal" in audience) return audience;
  const asked = toCard(operation.card, isCommand);
  if ("refusal" in asked) return asked;
  const text = cardText(asked);
  const card = asSpokenCard(asked, rich.target);
  const replyTo = rich.request.replyTo === undefined ? undefined : messageId(rich.request.replyTo);
  const isShown =
    capabilities.cards &&
    (card.buttons === undefined || capabilities.buttons) &&
    (card.inputs === undefined || capabilities.forms === true);
  if (!isShown) return { rows: planMessage({ ...messageOf(rich), text, audience, ...withoutUndefined({ replyTo }) }, channels) };
  const excess = cardExcess(card, capabilities);
  return excess === undefined
    ? one(rich, { type: "card", card, text, ...audience, ...withoutUndefined({ replyTo }) })
    : { refusal: excess };
}

function planPoll(
  rich: RichRequest,
  { question, options, multiple, durationMs }: Extract<MessageOperation, { type: "poll" }>,
  { channels }: PlanParts,
): PlannedOperation {
  const { capabilities } = rich.channel;
  const poll: Poll = { question, options, multiple, ...withoutUndefined({ durationMs }) };
  const text = pollText(poll);
  if (!capabilities.polls) return { rows: planMessage({ ...messageOf(rich), text }, channels) };
  const excess = pollExcess(poll, capabilities);
  return excess === undefined ? one(rich, { type: "poll", poll, text }) : { refusal: excess };
}

/** Edits or deletes a message that this tool sent in the same session, in the conversation that the call addresses. */
async function planChange(
  rich: RichRequest,
  operation: Extract<MessageOperation, { type: "edit" | "delete" }>,
  { store, isCommand }: PlanParts,
): Promise<PlannedOperation> {
  const { capabilities } = rich.channel;
  // The platform's ids are not those of rows.
  const row = await store.readOutbound(operation.messageId);
  if (row === undefined || row.sessionKey !== rich.sessionKey || row.purpose !== "tool")
    return { refusal: `"${operation.messageId}" is no message that you sent. Use the id that an earlier call returned.` };
  if (!isSameChat(row.target, rich.target))
    return { refusal: `that message is in another conversation. Name it as target: ${row.target.conversation.id}.` };
  // In the order of the message's own thread.
  const there = { ...rich, target: row.target };
  if (operation.type === "delete") {
    if (!capabilities.delete) return { refusal: "messages cannot be deleted in this chat." };
    return one(there, { type: "delete", of: row.id, text: "" });
  }
  if (operation.card !== undefined) {
    if (capabilities.cardEdits !== true || row.outbound.type !== "card") return { refusal: "that message cannot become another card." };
    const asked = toCard(operation.card, isCommand);
    if ("refusal" in asked) return asked;
    const card = asSpokenCard(asked, row.target);
    const excess = cardExcess(card, capabilities);
    return excess === undefined ? one(there, { type: "edit-card", of: row.id, card, text: cardText(card) }) : { refusal: excess };
  }
  if (!capabilities.edit || row.outbound.type !== "text") return { refusal: "that message cannot be edited with a text." };
  const { maxLength, unit } = capabilities.text;
  const text = asSpoken(operation.text, row.target);
  if (measure(text, unit) > maxLength) return { refusal: `a message has at most ${maxLength} characters here.` };
  return one(there, { type: "edit", of: row.id, shown: 0, text });
}

function one(rich: RichRequest, outbound: StoredOutbound): PlannedOperation {
  const { sessionKey, target, purpose, nowMs, identity } = messageOf(rich);
  return {
    rows: [
      {
        sessionKey,
        target,
        outbound,
        purpose,
        idempotencyKey: sendKey(...identity, 0),
        dueAtMs: nowMs,
        expiresAtMs: nowMs + OUTBOX_TTL_MS,
        state: "waiting",
      },
    ],
  };
}

function messageOf({ sessionKey, target, identity, nowMs }: RichRequest): {
  readonly sessionKey: string;
  readonly target: Origin;
  readonly purpose: "tool";
  readonly identity: readonly (string | number)[];
  readonly nowMs: number;
  readonly suppressed: false;
} {
  return { sessionKey, target, purpose: "tool", identity, nowMs, suppressed: false };
}
