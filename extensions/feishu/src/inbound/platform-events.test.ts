import { TestHost } from "@factotum/channel-conformance";
import type { Channel, MsgContext } from "@factotum/channel-contract";
import { FakeFeishu, feishuEnvelope, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFeishuChannel } from "../index.ts";

const signal = new AbortController().signal;
const OLGA = { open_id: "ou_olga", union_id: "on_olga", user_id: null };
let feishu: FakeFeishu;
let host: TestHost;
let channel: Channel;
/** Time of the event delivered last. */
let eventTimeMs = 0;

const make = (): Channel => {
  const { appId, appSecret, encryptKey, verificationToken } = feishu.app;
  const transport = { type: "webhook", encryptKey, verificationToken } as const;
  return createFeishuChannel({ appId, appSecret, domain: "feishu", baseUrl: feishu.baseUrl, transport }, host);
};
beforeEach(async () => {
  feishu = await FakeFeishu.start();
  host = new TestHost();
  channel = make();
});
afterEach(async () => {
  await channel.stop({ signal: AbortSignal.abort() });
  await feishu[Symbol.asyncDispose]();
});

/** Delivers an event, which the platform gets acknowledged, and returns the messages that the channel passed on. */
async function deliver(eventType: string, event: unknown, eventId = "e-1"): Promise<readonly MsgContext[]> {
  const before = host.received.length;
  const payload = feishuEnvelope(feishu.app, { eventType, event, eventId });
  eventTimeMs = Number(payload.header.create_time);
  const response = await channel.handleWebhook(feishuWebhookRequest(feishu.app, "http://127.0.0.1/", payload), { signal });
  expect(response.status).toBe(200);
  return host.received.slice(before);
}

async function say(chat: "oc_dm" | "oc_group", messageId: string): Promise<void> {
  feishu.addInbound({ messageId, chatId: chat, senderOpenId: "ou_olga" });
  const chatType = chat === "oc_dm" ? "p2p" : "group";
  const message = feishuMessageEvent(feishu.app, { chatId: chat, chatType, messageType: "text", content: { text: "hi" }, messageId });
  const response = await channel.handleWebhook(feishuWebhookRequest(feishu.app, "http://127.0.0.1/", message), { signal });
  expect(response.status).toBe(200);
}

const reaction = (messageId: string, type = "THUMBSUP"): unknown => ({
  message_id: messageId,
  reaction_type: { emoji_type: type },
  operator_type: "user",
  user_id: OLGA,
  action_time: "1767225600000",
});

test.each([
  ["created", false],
  ["deleted", true],
])("a reaction that was %s is passed on with its chat, its emoji and the author of its message", async (what, removed) => {
  await say("oc_dm", "om_1");
  const received = await deliver(`im.message.reaction.${what}_v1`, reaction("om_1"));
  expect(received).toEqual([
    {
      origin: { channel: "feishu", accountId: "second", conversation: { kind: "direct", id: "oc_dm" } },
      eventId: "e-1",
      messageId: "om_1",
      timestampMs: eventTimeMs,
      event: { type: "reaction", targetId: "om_1", emoji: "👍", removed, isOnOwnMessage: false },
      sender: { id: "ou_olga", isBot: false },
      text: "",
      mentionsBot: false,
      attachments: [],
    },
  ]);
});

test("a reaction to the bot's own message is marked as one, and an emoji without a Unicode form keeps the platform's name", async () => {
  await say("oc_group", "om_1");
  const target = { channel: "feishu", accountId: "second", conversation: { kind: "group", id: "oc_group" } } as const;
  const receipt = await channel.send(target, { type: "text", text: "Hello" }, { idempotencyKey: "k", signal });
  const [id = ""] = receipt.type === "accepted" ? receipt.messageIds : [];
  const [received] = await deliver("im.message.reaction.created_v1", reaction(id, "Shrug"));
  expect(received).toMatchObject({
    origin: target,
    event: { type: "reaction", targetId: id, emoji: "Shrug", isOnOwnMessage: true },
  });
});

test.each([
  [
    "of an app",
    async () => deliver("im.message.reaction.created_v1", { ...(reaction("om_1") as object), operator_type: "app", user_id: null }),
  ],
  ["to a message that is not there", async () => deliver("im.message.reaction.created_v1", reaction("om_none"))],
  ["without its message", async () => deliver("im.message.reaction.created_v1", { reaction_type: { emoji_type: "OK" } })],
])("a reaction %s is acknowledged and not passed on", async (_what, deliverIt) => {
  await say("oc_dm", "om_1");
  expect(await deliverIt()).toEqual([]);
});

test("a reaction is not passed on without the permission to read messages, and the health names the permission", async () => {
  await channel.start({ signal });
  await say("oc_dm", "om_1");
  feishu.app.scopes.clear();
  expect(await deliver("im.message.reaction.created_v1", reaction("om_1"))).toEqual([]);
  expect(channel.health().detail).toContain("im:message:readonly");
});

test("an event of a chat without messages is not passed on; the known direct chats survive a restart", async () => {
  feishu.addInbound({ messageId: "om_other", chatId: "oc_group", senderOpenId: "ou_olga" });
  expect(await deliver("im.message.reaction.created_v1", reaction("om_other"))).toEqual([]);
  await say("oc_dm", "om_1");
  await channel.stop({ signal: AbortSignal.abort() });
  channel = make();
  const [received] = await deliver("im.message.reaction.created_v1", reaction("om_1"), "e-2");
  expect(received?.origin.conversation).toEqual({ kind: "direct", id: "oc_dm" });
});

test("a recalled message is passed on as deleted, regardless of its author", async () => {
  await say("oc_group", "om_1");
  const recalled = { message_id: "om_1", chat_id: "oc_group", recall_time: "1767225600", recall_type: "message_owner" };
  expect(await deliver("im.message.recalled_v1", recalled)).toMatchObject([
    { origin: { conversation: { kind: "group", id: "oc_group" } }, event: { type: "delete", targetId: "om_1" }, sender: { id: "ou_olga" } },
  ]);
});

test("when the bot joins a group the event names the person who added it", async () => {
  const added = { chat_id: "oc_new", operator_id: OLGA, external: false, name: "The new group" };
  expect(await deliver("im.chat.member.bot.added_v1", added)).toMatchObject([
    {
      origin: { conversation: { kind: "group", id: "oc_new" } },
      event: { type: "member", change: "joined", member: { id: feishu.app.bot.openId, isSelf: true } },
      sender: { id: "ou_olga" },
    },
  ]);
});

test.each([
  ["added", "joined"],
  ["deleted", "left"],
])("people who were %s are one event each, with the same ids for every delivery", async (what, change) => {
  const users = ["bob", "carol"].map((name) => ({ name, tenant_key: "t", user_id: { open_id: `ou_${name}` } }));
  const event = { chat_id: "oc_group", operator_id: OLGA, external: false, name: "The group", users };
  const first = await deliver(`im.chat.member.user.${what}_v1`, event);
  expect(first.map(({ event: { type, ...about }, sender }) => [type, about, sender.id])).toEqual([
    ["member", { change, member: { id: "ou_bob", name: "bob", isSelf: false } }, "ou_olga"],
    ["member", { change, member: { id: "ou_carol", name: "carol", isSelf: false } }, "ou_olga"],
  ]);
  await deliver(`im.chat.member.user.${what}_v1`, event);
  expect(host.stored).toHaveLength(2);
});

test("an event that could not be stored is redelivered", async () => {
  await say("oc_dm", "om_1");
  host.failNext();
  const payload = feishuEnvelope(feishu.app, { eventType: "im.message.reaction.created_v1", event: reaction("om_1"), eventId: "e-1" });
  const request = (): Request => feishuWebhookRequest(feishu.app, "http://127.0.0.1/", payload);
  expect((await channel.handleWebhook(request(), { signal })).status).toBe(503);
  expect((await channel.handleWebhook(request(), { signal })).status).toBe(200);
  expect(host.stored.map(({ event }) => event.type)).toEqual(["message", "reaction"]);
});
