import type { Conversation } from "@factotum/channel-contract";
import type { Adapter } from "chat";

/**
 * The conversation of a thread id of the adapter. Ids are the adapter's: the channel's, and within it the thread's where it differs. Whether it is a direct chat is
 * for the adapter to say; what it does not call one is a group, which only a policy for groups admits.
 */
export function toConversation(adapter: Adapter, threadId: string): Conversation {
  const id = adapter.channelIdFromThreadId(threadId);
  return { kind: adapter.isDM?.(threadId) === true ? "direct" : "group", id, ...(threadId !== id && { threadId }) };
}

/** The thread id by which the adapter addresses a conversation. */
export function toThreadId({ id, threadId }: Conversation): string {
  return threadId ?? id;
}
