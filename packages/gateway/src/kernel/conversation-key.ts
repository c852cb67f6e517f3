import type { Origin } from "@factotum/channel-contract";

/** One string per conversation: sends with one key keep their order. */
export function conversationKey(origin: Origin): string {
  const { kind, id, threadId } = origin.conversation;
  return JSON.stringify([origin.channel, origin.accountId, kind, id, threadId ?? null]);
}

/** True for one conversation of the platform, whatever the thread in it. */
export function isSameChat(one: Origin, other: Origin): boolean {
  return one.channel === other.channel && one.accountId === other.accountId && one.conversation.id === other.conversation.id;
}
