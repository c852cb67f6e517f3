import { TestHost } from "@factotum/channel-conformance";
import type { Channel } from "@factotum/channel-contract";
import { FakeFeishu, feishuEnvelope, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import type { FeishuEnvelope } from "@factotum/testing-channels";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFeishuChannel } from "../index.ts";

const signal = new AbortController().signal;
let feishu: FakeFeishu;
let host: TestHost;
let channel: Channel;

const make = (baseUrl: string): Channel => {
  const { appId, appSecret, encryptKey, verificationToken } = feishu.app;
  return createFeishuChannel(
    { appId, appSecret, domain: "feishu", baseUrl, transport: { type: "webhook", encryptKey, verificationToken } },
    host,
  );
};
const post = (payload: unknown, to = channel): Promise<Response> =>
  to.handleWebhook(feishuWebhookRequest(feishu.app, "http://127.0.0.1/", payload), { signal });
const message = (input: Partial<Parameters<typeof feishuMessageEvent>[1]> = {}): FeishuEnvelope =>
  feishuMessageEvent(feishu.app, { chatId: "oc_group", chatType: "group", messageType: "text", content: { text: "hi" }, ...input });

beforeEach(async () => {
  feishu = await FakeFeishu.start();
  host = new TestHost();
  channel = make(feishu.baseUrl);
});
afterEach(async () => {
  await channel.stop({ signal: AbortSignal.abort() });
  await feishu[Symbol.asyncDispose]();
});

test("an event of schema 1.0 is acknowledged, ignored, and named in the log", async () => {
  const old = { uuid: "u", token: feishu.app.verificationToken, ts: "1", type: "event_callback", event: { type: "message" } };
  expect((await post(old)).status).toBe(200);
  expect(host.received).toEqual([]);
  expect(host.logLines.join()).toContain("schema 2.0");
});

test.each(["__proto__", "constructor", "toString"])("an event of type %s is acknowledged and ignored", async (eventType) => {
  expect((await post(feishuEnvelope(feishu.app, { eventType, event: {} }))).status).toBe(200);
  expect(host.received).toEqual([]);
});

test("a message that cannot be read is acknowledged: sent again it would be the same", async () => {
  const broken = feishuEnvelope(feishu.app, { eventType: "im.message.receive_v1", event: { message: {} } });
  expect((await post(broken)).status).toBe(200);
  expect(host.received).toEqual([]);
});

test("a message that cannot be read is named in the log and counted in the health; other events are not", async () => {
  await channel.start({ signal });
  const good = message();
  const event = good.event as { readonly message: object };
  expect((await post({ ...good, event: { ...event, message: { ...event.message, message_id: "" } } })).status).toBe(200);
  expect((await post({ ...good, header: { ...good.header, event_id: "" } })).status).toBe(200);
  expect((await post(feishuEnvelope(feishu.app, { eventType: "im.chat.updated_v1", event: {} }))).status).toBe(200);
  expect(host.received).toEqual([]);
  expect(channel.health()).toMatchObject({ state: "connected", detail: "2 messages could not be read and are lost; see the log" });
  expect(host.logLines.join("\n")).toContain("message.message_id");
});

test.each([1_700_000_000_123, "yesterday", "", undefined, null, -5, "12345678901234567890"])(
  "a message whose only fault is its time (%j) is accepted",
  async (createTime) => {
    const good = message();
    const event = good.event as { readonly message: object };
    expect((await post({ ...good, event: { ...event, message: { ...event.message, create_time: createTime } } })).status).toBe(200);
    expect(host.received).toHaveLength(1);
    expect(host.received[0]).toMatchObject({ timestampMs: createTime === 1_700_000_000_123 ? createTime : 0 });
  },
);

describe("a platform that cannot be reached", () => {
  test("does not prevent the channel from starting, and is reported in its health", async () => {
    await feishu[Symbol.asyncDispose]();
    await channel.start({ signal });
    expect(channel.health()).toMatchObject({ state: "degraded" });
    expect((await post(message())).status).toBe(200);
    expect(host.stored).toHaveLength(1);
    expect(channel.health()).toMatchObject({ state: "connected" });
    feishu = await FakeFeishu.start();
  });

  test("leaves a mention unanswered rather than unrecognised: the platform sends it again", async () => {
    const { openId, name } = feishu.app.bot;
    const mention = message({ content: { text: "@_user_1 hi" }, mentions: [{ key: "@_user_1", openId, name }] });
    const cut = make("http://127.0.0.1:1");
    expect((await post(mention, cut)).status).toBe(503);
    expect(host.received).toEqual([]);
    expect((await post(mention)).status).toBe(200);
    expect(host.stored[0]?.mentionsBot).toBe(true);
    await cut.stop({ signal });
  });
});

test("the bot's id is queried once", async () => {
  await channel.start({ signal });
  for (let index = 0; index < 3; index += 1) await post(message({ senderType: "app", senderOpenId: "ou_other" }));
  expect(feishu.requests.filter(({ path }) => path.startsWith("/open-apis/bot/"))).toHaveLength(1);
});

describe("a request without signature headers", () => {
  const unsigned = async (body: string | ReadableStream<Uint8Array>): Promise<Response> =>
    channel.handleWebhook(new Request("http://127.0.0.1/", { method: "POST", body, duplex: "half" } as RequestInit), { signal });

  test("is read up to 4 KB: an endless one is refused after that", async () => {
    let taken = 0;
    const endless = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          taken += 1024;
          controller.enqueue(new Uint8Array(1024).fill(0x20));
        },
      },
      { highWaterMark: 0 },
    );
    expect((await unsigned(endless)).status).toBe(401);
    expect(taken).toBeLessThanOrEqual(6 * 1024);
    expect(channel.health().detail).toContain("set an Encrypt Key");
  });

  test("is answered if it verifies the address with the right token, up to exactly 4 KB", async () => {
    const challenge = (length: number, token = feishu.app.verificationToken): string => {
      const text = JSON.stringify({ type: "url_verification", token, challenge: "c" });
      return text + " ".repeat(length - text.length);
    };
    expect((await unsigned(challenge(4096))).status).toBe(200);
    expect((await unsigned(challenge(4097))).status).toBe(401);
    expect((await unsigned(challenge(200, "another"))).status).toBe(401);
  });
});

test("reads a signed event of more than 4 KB", async () => {
  expect((await post(message({ content: { text: "x".repeat(20_000) } }))).status).toBe(200);
  expect(host.stored).toHaveLength(1);
});

test("a refused request that is signed is a problem until the next valid event", async () => {
  await post(message());
  const other = { ...feishu.app, verificationToken: "another" };
  const wrong = feishuWebhookRequest(feishu.app, "http://127.0.0.1/", feishuEnvelope(other, { eventType: "x", event: {} }));
  expect((await channel.handleWebhook(wrong, { signal })).status).toBe(401);
  expect(channel.health()).toMatchObject({ state: "degraded", detail: expect.stringContaining("verification token") });
  await post(message());
  expect(channel.health()).toMatchObject({ state: "connected" });
});

test("sending needs no start, and replies are sent to their conversation", async () => {
  feishu.addInbound({ messageId: "om_1", chatId: "oc_group" });
  const group = { channel: "feishu", accountId: "second", conversation: { kind: "group", id: "oc_group", threadId: "om_1" } } as const;
  const person = { channel: "feishu", accountId: "second", conversation: { kind: "direct", id: "ou_alice" } } as const;
  await channel.send(group, { type: "text", text: "in the thread" }, { signal, idempotencyKey: "1" });
  await channel.send(person, { type: "text", text: "to a person" }, { signal, idempotencyKey: "2" });
  expect(feishu.sent).toMatchObject([
    { parentId: "om_1", replyInThread: true, content: { text: "in the thread" }, uuid: "1" },
    { receiveId: "ou_alice", content: { text: "to a person" } },
  ]);
});

test("an id that is neither a chat nor a person is refused without a request", async () => {
  const target = { channel: "feishu", accountId: "second", conversation: { kind: "direct", id: "alice" } } as const;
  expect(await channel.send(target, { type: "text", text: "x" }, { signal, idempotencyKey: "1" })).toMatchObject({
    type: "rejected",
    code: "not-found",
  });
  expect(feishu.requests).toEqual([]);
});

test("files have the platform's name, without a path, and its type", async () => {
  feishu.addResource({
    messageId: "om_1",
    fileKey: "img_k",
    contentType: "image/png; x=y",
    fileName: "../../etc/猫.png",
    bytes: Buffer.from("png"),
  });
  const ref = JSON.stringify({ messageId: "om_1", key: "img_k", type: "image" });
  const media = await channel.fetchAttachment({ kind: "image", ref }, { signal, maxBytes: 10 });
  expect(media).toMatchObject({ kind: "image", mimeType: "image/png", fileName: "猫.png" });
});

test.each([
  ["user:ou_1", { kind: "direct", id: "ou_1" }],
  ["channel:oc_1", { kind: "group", id: "oc_1" }],
  ["oc_1", { kind: "group", id: "oc_1" }],
  ["on_1", { kind: "direct", id: "on_1" }],
])("%s is an address", async (query, conversation) => {
  expect(await channel.resolveTarget(query, { signal })).toEqual({ channel: "feishu", accountId: "second", conversation });
});
