import { chatIdOf } from "./app.ts";
import type { FakeFeishuApp } from "./app.ts";
import type { InboundMessage, SentMessage } from "./message-store.ts";

/** A message of the bot in an API answer. */
export function asItem(message: SentMessage, app: FakeFeishuApp): object {
  return {
    message_id: message.messageId,
    msg_type: message.messageType,
    chat_id: chatIdOf(message.receiveId),
    ...(message.threadId !== undefined && { thread_id: message.threadId }),
    create_time: String(message.atMs),
    deleted: message.deleted,
    sender: { id: app.appId, id_type: "app_id", sender_type: "app", tenant_key: app.tenantKey },
    body: { content: JSON.stringify(message.content) },
    ...(message.parentId !== undefined && { parent_id: message.parentId, root_id: message.parentId }),
  };
}

/** A message of a person in an API answer. */
export function inboundItem(message: InboundMessage | undefined, app: FakeFeishuApp): object {
  const { messageId, chatId, senderOpenId = "ou_alice", messageType = "text", content = { text: "" }, mentions = [] } = message ?? {};
  return {
    message_id: messageId,
    msg_type: messageType,
    chat_id: chatId,
    create_time: String(message?.atMs ?? app.now()),
    deleted: false,
    ...(message?.threadId !== undefined && { thread_id: message.threadId }),
    ...(message?.rootId !== undefined && { root_id: message.rootId, parent_id: message.rootId }),
    ...(message?.upperMessageId !== undefined && { upper_message_id: message.upperMessageId }),
    updated: false,
    sender: { id: senderOpenId, id_type: "open_id", sender_type: "user", tenant_key: app.tenantKey },
    body: { content: JSON.stringify(content) },
    ...(mentions.length > 0 && {
      mentions: mentions.map(({ key, openId, name }) => ({ key, id: openId, id_type: "open_id", name, tenant_key: app.tenantKey })),
    }),
  };
}
