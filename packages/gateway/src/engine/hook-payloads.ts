import type { HookPayloads } from "@factotum/plugin";
import type { InputRecord, OutboxRecord } from "@factotum/store";
import type { Route } from "../routing/route.ts";

/** A message that was admitted, for handlers of hooks. */
export function receivedPayload({ agentId, sessionKey }: Route, { message, admission }: InputRecord): HookPayloads["message_received"] {
  const { channel, accountId, conversation } = message.origin;
  const { text, sender } = message;
  return {
    agentId,
    sessionKey,
    owner: admission.owner,
    message: { channel, accountId, conversation: conversation.id, senderId: sender.id, text },
  };
}

/** A message that was sent, or will not be, for handlers of hooks. */
export function sentPayload({ sessionKey, target, state }: OutboxRecord): HookPayloads["message_sent"] {
  const outcome = state.type === "accepted" || state.type === "ambiguous" ? state.type : "rejected";
  return { sessionKey, channel: target.channel, conversation: target.conversation.id, outcome };
}
