import { randomBytes } from "node:crypto";
import type { FakeFeishuApp } from "./app.ts";

/** An event of schema 2.0, as it is inside a webhook or a frame. */
export interface FeishuEnvelope {
  readonly schema: "2.0";
  readonly header: {
    readonly event_id: string;
    readonly token: string;
    readonly create_time: string;
    readonly event_type: string;
    readonly tenant_key: string;
    readonly app_id: string;
  };
  readonly event: unknown;
}

/** A person or an app mentioned in a text. */
export interface FeishuMention {
  readonly key: string;
  readonly openId: string;
  readonly name: string;
}

/** A message of a chat, in simplified form. */
export interface FeishuMessageInput {
  readonly chatId: string;
  readonly chatType: "p2p" | "group" | "topic_group";
  readonly messageType: string;
  /** The platform's content object, before it is serialised. */
  readonly content: unknown;
  readonly senderOpenId?: string;
  readonly senderType?: "user" | "app";
  readonly mentions?: readonly FeishuMention[];
  readonly messageId?: string;
  readonly eventId?: string;
  readonly rootId?: string;
  readonly parentId?: string;
  readonly threadId?: string;
  readonly createTimeMs?: number;
}

/** Wraps any event. */
export function envelope(
  app: FakeFeishuApp,
  input: { readonly eventType: string; readonly event: unknown; readonly eventId?: string },
): FeishuEnvelope {
  return {
    schema: "2.0",
    header: {
      event_id: input.eventId ?? randomBytes(16).toString("hex"),
      token: app.verificationToken,
      create_time: String(app.now()),
      event_type: input.eventType,
      tenant_key: app.tenantKey,
      app_id: app.appId,
    },
    event: input.event,
  };
}

/** The event of a received message. */
export function messageEvent(app: FakeFeishuApp, input: FeishuMessageInput): FeishuEnvelope {
  const message = {
    message_id: input.messageId ?? `om_${randomBytes(16).toString("hex")}`,
    ...(input.rootId !== undefined && { root_id: input.rootId }),
    ...(input.parentId !== undefined && { parent_id: input.parentId }),
    ...(input.threadId !== undefined && { thread_id: input.threadId }),
    create_time: String(input.createTimeMs ?? app.now()),
    update_time: String(input.createTimeMs ?? app.now()),
    chat_id: input.chatId,
    chat_type: input.chatType,
    message_type: input.messageType,
    content: JSON.stringify(input.content),
    ...(input.mentions !== undefined && { mentions: input.mentions.map((mention) => asMention(app, mention)) }),
  };
  const openId = input.senderOpenId ?? "ou_alice";
  const sender = {
    sender_id: { open_id: openId, union_id: openId.replace(/^ou_/, "on_"), user_id: null },
    sender_type: input.senderType ?? "user",
    tenant_key: app.tenantKey,
  };
  return envelope(app, {
    eventType: "im.message.receive_v1",
    event: { sender, message },
    ...(input.eventId !== undefined && { eventId: input.eventId }),
  });
}

function asMention(app: FakeFeishuApp, mention: FeishuMention): object {
  return {
    key: mention.key,
    id: { open_id: mention.openId, union_id: mention.openId.replace(/^ou_/, "on_"), user_id: null },
    name: mention.name,
    tenant_key: app.tenantKey,
  };
}
