import { TestHost } from "@factotum/channel-conformance";
import type { Channel, MsgContext } from "@factotum/channel-contract";
import { FakeFeishu, ManualClock, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import type { FeishuMessageInput } from "@factotum/testing-channels";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFeishuChannel } from "../index.ts";

const signal = new AbortController().signal;
const ROOT = "om_root";
const THREAD = "omt_thread";
let clock: ManualClock;
let feishu: FakeFeishu;
let host: TestHost;
let channel: Channel;

const make = (): Channel => {
  const { appId, appSecret, encryptKey, verificationToken } = feishu.app;
  const transport = { type: "webhook", encryptKey, verificationToken } as const;
  return createFeishuChannel({ appId, appSecret, domain: "feishu", baseUrl: feishu.baseUrl, transport }, host);
};
beforeEach(async () => {
  clock = new ManualClock();
  feishu = await FakeFeishu.start({
    now: () => clock.now(),
    chatInfo: { oc_group: { name: "The group", members: [{ openId: "ou_alice", name: "Alice" }] } },
  });
  host = new TestHost({ clock });
  channel = make();
});
afterEach(async () => {
  await channel.stop({ signal: AbortSignal.abort() });
  await feishu[Symbol.asyncDispose]();
});

/** A message of the thread that the bot does not receive. */
function earlier(messageId: string, text: string, senderOpenId = "ou_alice"): void {
  clock.advance(1_000);
  const rootId = messageId === ROOT ? {} : { rootId: ROOT };
  feishu.addInbound({ messageId, chatId: "oc_group", threadId: THREAD, senderOpenId, content: { text }, ...rootId });
}

/** Delivers a message and returns it as it was passed on. */
async function receive(messageId: string, given: Partial<FeishuMessageInput> = {}): Promise<MsgContext> {
  clock.advance(1_000);
  const message = { chatId: "oc_group", chatType: "group" as const, messageType: "text", content: { text: "@_user_1 go on" }, ...given };
  const { threadId, rootId, content } = message;
  feishu.addInbound({
    messageId,
    chatId: message.chatId,
    content,
    ...(threadId !== undefined && { threadId }),
    ...(rootId !== undefined && { rootId }),
  });
  const mentions = [{ key: "@_user_1", openId: feishu.app.bot.openId, name: "Factotum" }];
  const payload = feishuMessageEvent(feishu.app, { mentions, messageId, ...message });
  const response = await channel.handleWebhook(feishuWebhookRequest(feishu.app, "http://127.0.0.1/", payload), { signal });
  expect(response.status).toBe(200);
  const received = host.received.at(-1);
  if (received === undefined) throw new Error("nothing was passed on");
  return received;
}
const inThread = { threadId: THREAD, rootId: ROOT, parentId: ROOT };
const contextOf = async (message: MsgContext) => channel.fetchContext(message, { signal });

test("the first message of a thread shows how it began and what was said since, in order", async () => {
  earlier(ROOT, "The build is red");
  earlier("om_a", "Since when?", "ou_unknown");
  earlier("om_b", "Since noon");
  const { thread } = await contextOf(await receive("om_1", inThread));
  expect(thread).toMatchObject({
    starter: { messageId: "om_root", sender: "Alice", body: "The build is red" },
    history: [
      { sender: "ou_unknown", timestampMs: expect.any(Number) as number, body: "Since when?" },
      { sender: "Alice", timestampMs: expect.any(Number) as number, body: "Since noon" },
    ],
  });
});

test("later messages of the thread do not show it again, also after a restart; the first one does when its turn is repeated", async () => {
  earlier(ROOT, "The build is red");
  const first = await receive("om_1", inThread);
  await channel.stop({ signal });
  channel = make();
  expect((await contextOf(await receive("om_2", inThread))).thread).toBeUndefined();
  expect((await contextOf(first)).thread?.starter?.body).toBe("The build is red");
});

test("a message that does not address the bot leaves the thread to the one that does", async () => {
  earlier(ROOT, "The build is red");
  const overheard = await receive("om_1", { ...inThread, content: { text: "hm" }, mentions: [] });
  expect((await contextOf(overheard)).thread).toBeUndefined();
  expect((await contextOf(await receive("om_2", inThread))).thread?.history).toMatchObject([{ body: "hm" }]);
});

test("the newest 20 messages of a long thread are shown", async () => {
  earlier(ROOT, "The build is red");
  for (let index = 0; index < 130; index += 1) earlier(`om_n${index}`, `message ${index}`);
  const { thread } = await contextOf(await receive("om_1", inThread));
  expect(thread?.history?.map(({ body }) => body)).toEqual(Array.from({ length: 20 }, (_, index) => `message ${index + 110}`));
});

test("the bot's own first message of a thread is known as its own", async () => {
  const target = { channel: "feishu", accountId: "second", conversation: { kind: "group", id: "oc_group" } } as const;
  const sent = await channel.send(target, { type: "text", text: "Shall I deploy?" }, { signal, idempotencyKey: "key" });
  const own = sent.type === "accepted" ? (sent.messageIds[0] ?? "") : "";
  const message = await receive("om_1", { threadId: THREAD, rootId: own, parentId: own });
  expect((await contextOf(message)).thread?.starter).toMatchObject({ sender: "Factotum", body: "Shall I deploy?" });
});

test("a message outside a thread and one that begins a thread have no thread to show", async () => {
  expect((await contextOf(await receive("om_1"))).thread).toBeUndefined();
  expect((await contextOf(await receive("om_2", { threadId: "omt_2" }))).thread).toBeUndefined();
});

test("without the permission the message is complete but for its thread, and the status names the scope", async () => {
  feishu.app.scopes.delete("im:message.group_msg");
  earlier(ROOT, "The build is red");
  earlier("om_a", "Since noon");
  const { thread, senderName } = await contextOf(await receive("om_1", inThread));
  expect([senderName, thread]).toMatchObject(["Alice", { starter: { sender: "Alice", body: "The build is red" } }]);
  expect(channel.health().detail).toContain("im:message.group_msg");
});

test("forwarded messages are shown with their authors", async () => {
  feishu.addInbound({ messageId: "om_f1", chatId: "oc_group", upperMessageId: "om_1", content: { text: "One" } });
  feishu.addInbound({
    messageId: "om_f2",
    chatId: "oc_group",
    upperMessageId: "om_1",
    senderOpenId: "ou_x",
    messageType: "image",
    content: { image_key: "k" },
  });
  const message = await receive("om_1", {
    messageType: "merge_forward",
    content: { content: "Merged and Forwarded Message" },
    mentions: [],
  });
  expect((await contextOf(message)).forwarded).toEqual({ body: "Alice: One\nou_x: [image]" });
});

test("a text that looks like the note of forwarded messages forwards nothing", async () => {
  const message = await receive("om_1", { content: { text: "[forwarded messages]" }, mentions: [] });
  expect((await contextOf(message)).forwarded).toBeUndefined();
});
