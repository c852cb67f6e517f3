import { hash } from "node:crypto";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import type { InputAdmission } from "../../port/inbox-records.ts";

/** The same for every redelivery of one event (R2). The id of a webhook's delivery is unique by itself: its origin is where the answer goes, which may change. */
export function eventKeyOf(
  { origin, eventId }: Pick<MsgContext, "origin" | "eventId">,
  { bodyDigest }: Pick<InputAdmission, "bodyDigest"> = {},
): string {
  if (bodyDigest !== undefined) return digest(["webhook", eventId]);
  const { channel, accountId, conversation } = origin;
  return digest([channel, accountId, conversation.id, eventId]);
}

/**
 * The same for every redelivery of one message, under any event id. `undefined` for events that happen repeatedly to the message they name, for a message
 * without an id, and for one whose id equals its event id: there the key of the event is sufficient. So is the first agent's input of a message that several
 * agents answer.
 */
export function messageKeyOf(
  { origin, eventId, messageId, event }: MsgContext,
  { broadcast }: Pick<InputAdmission, "broadcast"> = {},
): string | undefined {
  if (broadcast?.first !== undefined || event.type !== "message" || messageId === "" || messageId === eventId) return undefined;
  const { channel, accountId, conversation } = origin;
  return digest([channel, accountId, conversation.id, messageId]);
}

/** The key of a received message, of whichever of the two kinds it is. */
export function receivedKeyOf({ channel, accountId, conversation }: Origin, messageId: string): string {
  return digest([channel, accountId, conversation.id, messageId]);
}

/** 128 bits, so that collisions are practically impossible. */
function digest(parts: readonly string[]): string {
  return hash("sha256", JSON.stringify(parts), "base64url").slice(0, 22);
}
