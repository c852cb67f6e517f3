import type { FakeFeishuApp } from "./app.ts";
import { asItem, inboundItem } from "./items.ts";
import { invalid } from "./message-rules.ts";
import type { MessageStore } from "./message-store.ts";
import { FeishuRefusal } from "./refusal.ts";
import type { Reply, Route } from "./route.ts";

/** Any one of them is enough. */
const CHAT_SCOPES = ["im:chat:readonly", "im:chat:read", "im:chat"];
const MEMBER_SCOPES = ["im:chat.members:read", "im:chat:readonly", "im:chat"];
const MESSAGE_SCOPES = ["im:message:readonly", "im:message"];
const MAX_PAGE_SIZE = 100;

/** Requests about chats, their members and single messages. */
export function readRoutes(app: FakeFeishuApp, messages: MessageStore): Route[] {
  const chatOf = (id: string): NonNullable<ReturnType<FakeFeishuApp["chatInfo"]["get"]>> => {
    const isIn = app.chats.has(id);
    if (!isIn) throw new FeishuRefusal(232011, "Operator can NOT be out of the chat.");
    return app.chatInfo.get(id) ?? { name: "", members: [] };
  };
  return [
    [
      "GET",
      /^\/open-apis\/im\/v1\/chats$/,
      ({ query }) => {
        needScope(app, CHAT_SCOPES);
        const size = Number(query.get("page_size") ?? 20);
        if (!(size >= 1 && size <= MAX_PAGE_SIZE)) throw new FeishuRefusal(99992402, "field validation failed");
        // Direct chats are not listed.
        const groups = [...app.chats].filter((id) => !app.directChats.has(id));
        const start = Number(query.get("page_token") ?? 0);
        const isMore = start + size < groups.length;
        const items = groups
          .slice(start, start + size)
          .map((id) => ({ chat_id: id, name: app.chatInfo.get(id)?.name ?? "", tenant_key: app.tenantKey }));
        return { data: { items, has_more: isMore, page_token: isMore ? String(start + size) : "" } };
      },
    ],
    [
      "GET",
      /^\/open-apis\/im\/v1\/chats\/([^/]+)$/,
      (_, [id = ""]) => {
        needScope(app, CHAT_SCOPES);
        const { name, members, description = "", ownerOpenId: owner } = chatOf(id);
        return {
          data: {
            name,
            description,
            ...(owner !== undefined && { owner_id: owner, owner_id_type: "open_id" }),
            chat_mode: app.directChats.has(id) ? "p2p" : "group",
            chat_type: "private",
            user_count: String(members.length),
          },
        };
      },
    ],
    [
      "GET",
      /^\/open-apis\/im\/v1\/chats\/([^/]+)\/members$/,
      ({ query }, [id = ""]) => {
        needScope(app, MEMBER_SCOPES);
        const { members } = chatOf(id);
        const size = Number(query.get("page_size") ?? 20);
        if (!(size >= 1 && size <= MAX_PAGE_SIZE)) throw new FeishuRefusal(99992402, "field validation failed");
        const start = Number(query.get("page_token") ?? 0);
        const end = start + size;
        const items = members.slice(start, end).map(({ openId, name }) => ({
          member_id_type: query.get("member_id_type") ?? "open_id",
          member_id: openId,
          name,
          tenant_key: app.tenantKey,
        }));
        const isMore = end < members.length;
        return { data: { items, has_more: isMore, page_token: isMore ? String(end) : "", member_total: members.length } };
      },
    ],
    [
      "GET",
      /^\/open-apis\/im\/v1\/messages\/([^/]+)$/,
      (_, [id = ""]) => {
        needScope(app, MESSAGE_SCOPES);
        const [sent, inbound] = [messages.find(id), messages.inbound(id)];
        if (sent === undefined && inbound === undefined) throw invalid("invalid message_id");
        if (!app.chats.has(messages.chatOf(id) ?? "")) throw new FeishuRefusal(230002, "The bot can not be outside the group.");
        const inside = messages.inbounds.filter(({ upperMessageId }) => upperMessageId === id);
        return {
          data: {
            items: [sent === undefined ? inboundItem(inbound, app) : asItem(sent, app), ...inside.map((one) => inboundItem(one, app))],
          },
        };
      },
    ],
    ["GET", /^\/open-apis\/im\/v1\/messages$/, ({ query }) => listMessages(query, app, messages)],
  ];
}

/** The messages of a chat without those in its threads, or the messages of a thread. */
function listMessages(query: URLSearchParams, app: FakeFeishuApp, messages: MessageStore): Reply {
  needScope(app, MESSAGE_SCOPES);
  const [type, container] = [query.get("container_id_type"), query.get("container_id") ?? ""];
  const size = Number(query.get("page_size") ?? 20);
  if ((type !== "chat" && type !== "thread") || container === "" || !(size >= 1 && size <= 50)) throw invalid("container_id_type");
  const all = [
    ...messages.inbounds
      .filter(({ upperMessageId, isUnlisted }) => upperMessageId === undefined && isUnlisted !== true)
      .map((one) => ({
        chatId: one.chatId,
        threadId: one.threadId,
        isRoot: one.rootId === undefined,
        atMs: one.atMs,
        item: inboundItem(one, app),
      })),
    ...messages.all.map((one) => ({
      chatId: one.receiveId,
      threadId: one.threadId,
      isRoot: one.parentId === undefined,
      atMs: one.atMs,
      item: asItem(one, app),
    })),
  ];
  const inside = all.filter((one) =>
    type === "thread" ? one.threadId === container : one.chatId === container && (one.threadId === undefined || one.isRoot),
  );
  const chatId = type === "chat" ? container : (inside[0]?.chatId ?? "");
  if (!app.chats.has(chatId)) throw new FeishuRefusal(230002, "The bot can not be outside the group.");
  if (!app.directChats.has(chatId) && !app.scopes.has("im:message.group_msg"))
    throw new FeishuRefusal(230027, "Lack of necessary permissions, ext=need scope: im:message.group_msg");
  const sorted = inside.toSorted((left, right) => left.atMs - right.atMs);
  if (query.get("sort_type") === "ByCreateTimeDesc") sorted.reverse();
  const start = Number(query.get("page_token") ?? 0);
  const isMore = start + size < sorted.length;
  return {
    data: {
      items: sorted.slice(start, start + size).map(({ item }) => item),
      has_more: isMore,
      ...(isMore && { page_token: String(start + size) }),
    },
  };
}

function needScope(app: FakeFeishuApp, scopes: readonly string[]): void {
  if (scopes.some((scope) => app.scopes.has(scope))) return;
  const list = scopes.join(", ");
  const address = `https://open.feishu.cn/app/${app.appId}/auth?q=${scopes.join(",")}&op_from=openapi&token_type=tenant`;
  throw new FeishuRefusal(
    99991672,
    `Access denied. One of the following scopes is required: [${list}].应用尚未开通所需的应用身份权限：[${list}]，点击链接申请并开通任一权限即可：${address}`,
    400,
    scopes,
  );
}
