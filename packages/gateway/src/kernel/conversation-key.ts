import type { Origin } from "@factotum/channel-contract";

/** One string per conversation: what is sent under one key keeps its order. */
export function conversationKey(origin: Origin): string {
  const { kind, id, threadId } = origin.conversation;
  return JSON.stringify([origin.channel, origin.accountId, kind, id, threadId ?? null]);
}
