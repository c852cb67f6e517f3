import type { Conversation } from "@factotum/channel-contract";

/** The platform's name for the kind of a recipient id. */
export type ReceiveIdType = "chat_id" | "open_id" | "union_id";

/** The kind of a conversation's id, by its prefix: `oc_` a chat, `ou_` a person, `on_` a person across apps. `undefined` for anything else. */
export function receiveIdType(id: string): ReceiveIdType | undefined {
  if (id.startsWith("oc_")) return "chat_id";
  if (id.startsWith("ou_")) return "open_id";
  return id.startsWith("on_") ? "union_id" : undefined;
}

/**
 * The conversation of a message. A thread is identified by its first message, because replies need that; the platform's own thread id (`omt_…`) cannot be
 * written to.
 */
export function conversationOf(message: {
  readonly chatId: string;
  readonly chatType: string;
  readonly messageId: string;
  readonly rootId?: string | undefined;
  readonly threadId?: string | undefined;
}): Conversation {
  const inThread = message.threadId !== undefined && message.threadId !== "";
  return {
    kind: message.chatType === "p2p" ? "direct" : "group",
    id: message.chatId,
    ...(inThread && { threadId: message.rootId !== undefined && message.rootId !== "" ? message.rootId : message.messageId }),
  };
}
