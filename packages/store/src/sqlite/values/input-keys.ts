import { hash } from "node:crypto";
import type { MsgContext } from "@factotum/channel-contract";

/** The same for every redelivery of one event (R2). */
export function eventKeyOf({ origin, eventId }: MsgContext): string {
  const { channel, accountId, conversation } = origin;
  return digest([channel, accountId, conversation.id, eventId]);
}

/**
 * The same for one message under whatever event id the platform delivers it again. `undefined` for other events, which name the message that they are
 * about and happen to it more than once, for a message without an id, and for one whose id is its event's: the key of the event says as much then.
 */
export function messageKeyOf({ origin, eventId, messageId, event }: MsgContext): string | undefined {
  if (event.type !== "message" || messageId === "" || messageId === eventId) return undefined;
  const { channel, accountId, conversation } = origin;
  return digest([channel, accountId, conversation.id, messageId]);
}

/** 128 bits, so that two keys never meet by chance. */
function digest(parts: readonly string[]): string {
  return hash("sha256", JSON.stringify(parts), "base64url").slice(0, 22);
}
