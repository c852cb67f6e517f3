import { TestHost } from "@factotum/channel-conformance";
import type { MsgContext } from "@factotum/channel-contract";
import { messageId } from "@factotum/channel-contract";
import { FakeFeishu, ManualClock } from "@factotum/testing-channels";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFeishuChannel } from "../index.ts";

const MINUTE_MS = 60_000;
const signal = new AbortController().signal;
let clock: ManualClock;
let feishu: FakeFeishu;
let channel: ReturnType<typeof createFeishuChannel>;
let host: TestHost;

beforeEach(async () => {
  clock = new ManualClock();
  feishu = await FakeFeishu.start({
    now: () => clock.now(),
    chatInfo: { oc_group: { name: "The group", members: [{ openId: "ou_alice", name: "Alice" }] } },
  });
  host = new TestHost({ clock });
  const { app, baseUrl } = feishu;
  channel = createFeishuChannel(
    { appId: app.appId, appSecret: app.appSecret, domain: "feishu", baseUrl, transport: { type: "websocket" } },
    host,
  );
});
afterEach(async () => {
  await channel.stop({ signal });
  await feishu[Symbol.asyncDispose]();
});

const message = (senderId: string, extra: Partial<MsgContext> = {}): MsgContext => ({
  origin: { channel: "feishu", accountId: host.accountId, conversation: { kind: "group", id: "oc_group" } },
  eventId: "event",
  messageId: messageId("om_message"),
  timestampMs: 0,
  event: { type: "message" },
  sender: { id: senderId, isBot: false },
  text: "Hello",
  mentionsBot: true,
  attachments: [],
  ...extra,
});
const replyTo = (id: string): Partial<MsgContext> => ({ replyTo: { messageId: messageId(id), body: "", isQuote: false } });
const reads = (): readonly string[] => feishu.requests.flatMap(({ path }) => (path.startsWith("/open-apis/im/") ? [path] : []));

test("concurrent messages share one query, which is repeated when the result has expired", async () => {
  const fetched = await Promise.all(Array.from({ length: 20 }, () => channel.fetchContext(message("ou_alice"), { signal })));
  expect(fetched[19]).toEqual({ senderName: "Alice", group: { subject: "The group" } });
  expect(reads().toSorted()).toEqual(["/open-apis/im/v1/chats/oc_group", "/open-apis/im/v1/chats/oc_group/members"]);
  feishu.app.chatInfo.set("oc_group", { name: "Renamed", members: [{ openId: "ou_alice", name: "Alice B" }] });
  expect(await channel.fetchContext(message("ou_alice"), { signal })).toMatchObject({ group: { subject: "The group" } });
  clock.advance(61 * MINUTE_MS);
  expect(await channel.fetchContext(message("ou_alice"), { signal })).toEqual({ senderName: "Alice B", group: { subject: "Renamed" } });
});

test("a new group member is looked up once a minute, over all pages", async () => {
  const members = Array.from({ length: 150 }, (_, index) => ({ openId: `ou_${index}`, name: `Person ${index}` }));
  await channel.fetchContext(message("ou_alice"), { signal });
  feishu.app.chatInfo.set("oc_group", { name: "The group", members });
  for (let count = 0; count < 5; count += 1)
    expect(await channel.fetchContext(message("ou_149"), { signal })).not.toHaveProperty("senderName");
  clock.advance(MINUTE_MS);
  expect(await channel.fetchContext(message("ou_149"), { signal })).toMatchObject({ senderName: "Person 149" });
  expect(reads().filter((path) => path.endsWith("/members"))).toHaveLength(3);
});

test("a quote names people and files, cuts long texts, and knows the bot's own messages", async () => {
  const mentions = [{ key: "@_user_1", openId: "ou_bob", name: "Bob" }];
  feishu.addInbound({ messageId: "om_1", chatId: "oc_group", senderOpenId: "ou_alice", content: { text: "Ask @_user_1" }, mentions });
  feishu.addInbound({
    messageId: "om_2",
    chatId: "oc_group",
    messageType: "file",
    content: { file_key: "k", file_name: "DO: the plan].pdf" },
  });
  feishu.addInbound({ messageId: "om_3", chatId: "oc_group", content: { text: "x".repeat(5_000) } });
  feishu.addInbound({ messageId: "om_4", chatId: "oc_group", messageType: "vote", content: { topic: "Lunch?", options: ["Rice"] } });
  const target = { channel: "feishu", accountId: host.accountId, conversation: { kind: "group", id: "oc_group" } } as const;
  const sent = await channel.send(target, { type: "text", text: "My words" }, { signal, idempotencyKey: "key" });
  const own = sent.type === "accepted" ? (sent.messageIds[0] ?? "") : "";
  const quote = async (id: string) => (await channel.fetchContext(message("ou_alice", replyTo(id)), { signal })).replyTo;
  expect(await quote("om_1")).toEqual({
    messageId: "om_1",
    sender: { id: "ou_alice", isSelf: false, name: "Alice" },
    body: "Ask @Bob",
    mentions: [{ id: "ou_bob", name: "Bob" }],
    isQuote: false,
  });
  expect(await quote("om_2")).toMatchObject({ body: "[file: DO_the_plan_.pdf]" });
  expect(await quote("om_4")).toMatchObject({ body: "[poll]\nLunch?\n- Rice" });
  expect((await quote("om_3"))?.body).toHaveLength(4_001);
  expect(await quote(own)).toMatchObject({ sender: { isSelf: true, name: "Factotum" }, body: "My words" });
  expect(await quote("om_gone")).toBeUndefined();
});

test("a direct message queries only its quote", async () => {
  feishu.addInbound({ messageId: "om_1", chatId: "oc_dm", content: { text: "Before" } });
  const direct = message("ou_alice", {
    origin: { channel: "feishu", accountId: host.accountId, conversation: { kind: "direct", id: "oc_dm" } },
    ...replyTo("om_1"),
  });
  expect(await channel.fetchContext(direct, { signal })).toMatchObject({ replyTo: { body: "Before", sender: { id: "ou_alice" } } });
  expect(reads()).toEqual(["/open-apis/im/v1/messages/om_1"]);
});

test("a missing scope is logged once, and the query repeated ten minutes later", async () => {
  feishu.app.scopes.delete("im:chat:readonly");
  for (const sender of ["ou_alice", "ou_bob"]) expect(await channel.fetchContext(message(sender), { signal })).toEqual({});
  expect(reads()).toHaveLength(2);
  expect(host.logLines.filter((line) => line.includes('"warn"'))).toHaveLength(2);
  expect(channel.health().detail).toContain("grant it im:chat:readonly or im:chat:read or im:chat in the developer console");
  feishu.app.scopes.add("im:chat:readonly");
  clock.advance(10 * MINUTE_MS);
  expect(await channel.fetchContext(message("ou_alice"), { signal })).toMatchObject({ senderName: "Alice" });
  expect(channel.health().detail ?? "").not.toContain("developer console");
});

test("a rate limit is respected for the platform's delay", async () => {
  feishu.failNextRead({
    type: "refuse",
    status: 400,
    code: 99991400,
    message: "request trigger frequency limit",
    headers: { "x-ogw-ratelimit-reset": "120" },
  });
  const group = async () =>
    (await channel.fetchContext(message("ou_alice", { sender: { id: "ou_robot", isBot: true } }), { signal })).group;
  expect(await group()).toBeUndefined();
  clock.advance(119_000);
  expect(await group()).toBeUndefined();
  expect(reads()).toHaveLength(1);
  clock.advance(1_000);
  expect(await group()).toEqual({ subject: "The group" });
});

test("an aborted call resolves with nothing", async () => {
  expect(await channel.fetchContext(message("ou_alice"), { signal: AbortSignal.abort() })).toEqual({});
});
