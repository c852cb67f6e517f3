import type { MsgContext } from "@factotum/channel-contract";
import type { OutboxStore } from "@factotum/store";

/**
 * A reaction with whether it is on a message of the assistant. Where the platform does not say so, what was sent does: an older message than the outbox keeps is
 * somebody else's.
 */
export async function withReactionTarget(message: MsgContext, store: Pick<OutboxStore, "listSentMessage">): Promise<MsgContext> {
  const { event, origin } = message;
  if (event.type !== "reaction" || event.isOnOwnMessage !== undefined) return message;
  const rows = await store.listSentMessage(origin, event.targetId);
  return { ...message, event: { ...event, isOnOwnMessage: rows.length > 0 } };
}
