import type { FakeFeishuApp } from "./app.ts";
import { invalid } from "./message-rules.ts";
import type { MessageStore } from "./message-store.ts";
import { FeishuRefusal } from "./refusal.ts";
import type { Route } from "./route.ts";

/** Pinned messages, and what the app is granted. `pins` are the times of pinning by message id. */
export function pinRoutes(app: FakeFeishuApp, messages: MessageStore, pins: Map<string, number>): Route[] {
  const pinOf = (id: string): object => ({
    message_id: id,
    chat_id: messages.chatOf(id),
    operator_id: app.appId,
    operator_id_type: "app_id",
    create_time: String(pins.get(id) ?? 0),
  });
  return [
    [
      "POST",
      /^\/open-apis\/im\/v1\/pins$/,
      ({ body }) => {
        const { message_id: id } = (body ?? {}) as { readonly message_id?: unknown };
        if (typeof id !== "string" || messages.chatOf(id) === undefined) throw invalid("invalid message_id");
        pins.set(id, app.now());
        return { data: { pin: pinOf(id) } };
      },
    ],
    [
      "DELETE",
      /^\/open-apis\/im\/v1\/pins\/([^/]+)$/,
      (_, [id = ""]) => {
        pins.delete(id);
        return { data: {} };
      },
    ],
    [
      "GET",
      /^\/open-apis\/im\/v1\/pins$/,
      ({ query }) => {
        const chatId = query.get("chat_id") ?? "";
        if (!app.chats.has(chatId)) throw new FeishuRefusal(230002, "The bot can not be outside the group.");
        const items = [...pins.keys()].filter((id) => messages.chatOf(id) === chatId).toReversed();
        return { data: { items: items.map((id) => pinOf(id)), has_more: false } };
      },
    ],
    [
      "GET",
      /^\/open-apis\/application\/v6\/scopes$/,
      () => ({ data: { scopes: [...app.scopes].map((scope) => ({ scope_name: scope, grant_status: 1, scope_type: "tenant" })) } }),
    ],
  ];
}
