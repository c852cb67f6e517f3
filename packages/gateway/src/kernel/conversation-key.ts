import type { Origin } from "@factotum/channel-contract";

/** One string per conversation: sends with one key keep their order. */
export function conversationKey(origin: Origin): string {
  const { kind, id, threadId } = origin.conversation;
  return JSON.stringify([origin.channel, origin.accountId, kind, id, threadId ?? null]);
}
