import { Client, EventDispatcher, LoggerLevel, WSClient } from "@larksuiteoapi/node-sdk";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "../index.ts";

const quiet = { error() {}, warn() {}, info() {}, debug() {}, trace() {} };
let feishu: FakeFeishu;
let nowMs = 1_700_000_000_000;

beforeEach(async () => {
  nowMs = 1_700_000_000_000;
  feishu = await FakeFeishu.start({ now: () => nowMs });
});
afterEach(() => feishu[Symbol.asyncDispose]());

/** Caches nothing between tests, unlike the SDK's own. */
const noCache = { get: () => Promise.resolve(undefined), set: () => Promise.resolve(true) };
const sdk = (appSecret = feishu.app.appSecret): Client =>
  new Client({ appId: feishu.app.appId, appSecret, domain: feishu.baseUrl, logger: quiet, loggerLevel: LoggerLevel.error, cache: noCache });
const text = (value: string): { msg_type: string; content: string } => ({ msg_type: "text", content: JSON.stringify({ text: value }) });
const send = (
  data: object,
  type: "chat_id" | "open_id" = "chat_id",
): Promise<{ code?: number | undefined; data?: { message_id?: string | undefined } | undefined }> =>
  sdk().im.message.create({ params: { receive_id_type: type }, data: { receive_id: "oc_dm", ...text("hi"), ...data } });
const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 0,
    (error: { response?: { data?: { code?: number } } }) => error.response?.data?.code ?? error,
  );

describe("with the official SDK as the client", () => {
  test("gives tokens for the right secret and keeps what is sent", async () => {
    expect((await send({ uuid: "one" })).code).toBe(0);
    expect(feishu.sent).toMatchObject([{ receiveId: "oc_dm", messageType: "text", content: { text: "hi" }, uuid: "one" }]);
    await expect(
      sdk("wrong").im.message.create({ params: { receive_id_type: "chat_id" }, data: { receive_id: "oc_dm", ...text("hi") } }),
    ).rejects.toThrow("10014");
  });

  test("listeners are called once a message is stored, and for a broken request", async () => {
    const seen: number[] = [];
    feishu.watch(() => seen.push(feishu.sent.length));
    await send({});
    expect(seen.at(-1)).toBe(1);
    const requests = seen.length;
    feishu.failNext({ type: "drop" });
    expect(await codeOf(send({}))).toBeInstanceOf(Error);
    expect(seen.slice(requests).at(-1)).toBe(1);
    expect(seen.length).toBeGreaterThan(requests);
  });

  test("a connection ends with its request, unless keep-alive is on", async () => {
    await using keeping = await FakeFeishu.start({ keepsConnections: true });
    const ends = (server: FakeFeishu): Promise<unknown> => fetch(server.baseUrl).then(({ headers }) => headers.get("connection"));
    expect([await ends(feishu), await ends(keeping)]).toEqual(["close", "keep-alive"]);
  });

  test("one uuid is one message within the hour, and two after it", async () => {
    const first = await send({ uuid: "same" });
    expect((await send({ uuid: "same" })).data?.message_id).toBe(first.data?.message_id);
    nowMs += 60 * 60_000;
    expect((await send({ uuid: "same" })).data?.message_id).not.toBe(first.data?.message_id);
    expect(feishu.sent).toHaveLength(2);
  });

  test.each([
    ["a chat without the bot", { receive_id: "oc_elsewhere" }, 230002],
    ["content that is no JSON", { content: "hi" }, 230001],
    ["a uuid over 50 characters", { uuid: "u".repeat(51) }, 230001],
    ["an unknown type", { msg_type: "markdown" }, 230001],
    ["an empty text", { content: '{"text":""}' }, 230001],
    [
      "a post over 30 KiB",
      { msg_type: "post", content: JSON.stringify({ zh_cn: { content: [[{ tag: "md", text: "x".repeat(31_000) }]] } }) },
      230025,
    ],
    ["a post without a locale", { msg_type: "post", content: JSON.stringify({ content: [[{ tag: "md", text: "x" }]] }) }, 230001],
    [
      "an md element beside another",
      { msg_type: "post", content: JSON.stringify({ zh_cn: { content: [[{ tag: "md", text: "x" }, { tag: "hr" }]] } }) },
      230001,
    ],
    [
      "an image by its address",
      { msg_type: "post", content: JSON.stringify({ zh_cn: { content: [[{ tag: "md", text: "![a](https://a/b.png)" }]] } }) },
      230001,
    ],
  ])("refuses %s", async (_, data, code) => {
    expect(await codeOf(send(data))).toBe(code);
    expect(feishu.sent).toHaveLength(0);
  });

  test("a revoked token is refused", async () => {
    await send({});
    const client = new Client({ appId: feishu.app.appId, appSecret: feishu.app.appSecret, domain: feishu.baseUrl, logger: quiet });
    const again = (): Promise<unknown> =>
      client.im.message.create({ params: { receive_id_type: "chat_id" }, data: { receive_id: "oc_dm", ...text("hi") } });
    await again();
    feishu.revokeTokens();
    expect(await codeOf(again())).toBe(99991663);
  });

  test("each fault behaves as documented", async () => {
    feishu.failNext({ type: "refuse", status: 400, code: 99991400, message: "request trigger frequency limit" });
    feishu.failNext({ type: "accept-then-drop" });
    feishu.failNext({ type: "drop" });
    feishu.failNext({ type: "proxy-error", status: 502 });
    expect(await codeOf(send({ content: text("refused").content }))).toBe(99991400);
    await expect(send({ content: text("taken").content })).rejects.toThrow();
    await expect(send({ content: text("dropped").content })).rejects.toThrow();
    await expect(send({ content: text("proxied").content })).rejects.toThrow();
    expect(feishu.sent.map(({ content }) => content)).toEqual([{ text: "taken" }]);
  });
});

describe("uploads", () => {
  const PNG = Buffer.from("89504e470d0a1a0a", "hex");

  async function post(
    path: string,
    body: NonNullable<RequestInit["body"]>,
    headers: Record<string, string> = {},
  ): Promise<{ code: number; data?: Record<string, string> }> {
    const { appId, appSecret } = feishu.app;
    const token = await fetch(`${feishu.baseUrl}/open-apis/auth/v3/tenant_access_token/internal`, {
      method: "POST",
      body: JSON.stringify({ app_id: appId, app_secret: appSecret }),
    });
    const { tenant_access_token: value } = (await token.json()) as { tenant_access_token: string };
    const response = await fetch(`${feishu.baseUrl}/open-apis/im/v1/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${value}`, ...headers },
      body,
    });
    return (await response.json()) as { code: number; data?: Record<string, string> };
  }

  function form(fields: Record<string, string>, file?: readonly [name: string, bytes: Uint8Array<ArrayBuffer>]): FormData {
    const made = new FormData();
    for (const [name, value] of Object.entries(fields)) made.append(name, value);
    if (file !== undefined) made.append(file[0], new File([file[1]], "a.bin"));
    return made;
  }

  test.each<[string, string, () => NonNullable<RequestInit["body"]>, Record<string, string>, number]>([
    ["JSON", "files", () => "{}", { "content-type": "application/json" }, 234001],
    ["a form without a boundary", "files", () => "--x--", { "content-type": "multipart/form-data" }, 234001],
    ["no file", "files", () => form({ file_type: "stream", file_name: "a" }), {}, 234001],
    ["a file without a name", "files", () => form({ file_type: "stream" }, ["file", PNG]), {}, 234001],
    ["an unknown type", "files", () => form({ file_type: "exe", file_name: "a" }, ["file", PNG]), {}, 234001],
    ["an empty file", "files", () => form({ file_type: "stream", file_name: "a" }, ["file", Buffer.alloc(0)]), {}, 234010],
    ["an image that is none", "images", () => form({ image_type: "message" }, ["image", Buffer.from("text")]), {}, 234011],
    ["a whole image", "images", () => form({ image_type: "message" }, ["image", PNG]), {}, 0],
  ])("%s", async (_name, path, body, headers, code) => {
    expect((await post(path, body(), headers)).code).toBe(code);
  });

  test("an upload can only be shown by the message of its type", async () => {
    const { data } = await post("files", form({ file_type: "opus", file_name: "a.ogg" }, ["file", PNG]));
    const content = JSON.stringify({ file_key: data?.["file_key"] });
    expect(await codeOf(send({ msg_type: "file", content }))).toBe(230055);
    await send({ msg_type: "audio", content });
    expect(feishu.sent.map(({ messageType }) => messageType)).toEqual(["audio"]);
  });
});

test("the SDK's own check accepts a webhook, and refuses one signed with another key", async () => {
  const seen: unknown[] = [];
  const dispatcher = new EventDispatcher({ encryptKey: feishu.app.encryptKey, logger: quiet }).register({
    "im.message.receive_v1": (data) => void seen.push(data.message),
  });
  const event = feishuMessageEvent(feishu.app, { chatId: "oc_dm", chatType: "p2p", messageType: "text", content: { text: "Hello" } });
  for (const signature of ["right", "wrong"] as const) {
    const request = feishuWebhookRequest(feishu.app, "http://127.0.0.1/", event, { signature });
    await dispatcher.invoke(Object.assign(Object.create({ headers: Object.fromEntries(request.headers) }) as object, await request.json()));
  }
  expect(seen).toMatchObject([{ chat_id: "oc_dm", content: '{"text":"Hello"}' }]);
});

test("the SDK's long connection gets an event, even in pieces, and its answer comes back", async () => {
  const ready = Promise.withResolvers<void>();
  const client = new WSClient({
    appId: feishu.app.appId,
    appSecret: feishu.app.appSecret,
    domain: feishu.baseUrl,
    logger: quiet,
    onReady: ready.resolve,
  });
  let fail = false;
  const seen: string[] = [];
  const dispatcher = new EventDispatcher({ logger: quiet }).register({
    "im.message.receive_v1": (data) => {
      if (fail) throw new Error("not stored");
      seen.push(data.message.content);
    },
  });
  await client.start({ eventDispatcher: dispatcher });
  await ready.promise;
  const event = feishuMessageEvent(feishu.app, { chatId: "oc_dm", chatType: "p2p", messageType: "text", content: { text: "Hello" } });
  expect(await feishu.longConnection.deliver(event)).toBe(200);
  expect(await feishu.longConnection.deliver(event, { fragments: 3 })).toBe(200);
  fail = true;
  expect(await feishu.longConnection.deliver(event)).toBe(500);
  expect(seen).toEqual(['{"text":"Hello"}', '{"text":"Hello"}']);
  expect(feishu.longConnection.pings).toBe(1);
  client.close({ force: true });
});

test("an event as soon as the official SDK is connected reaches it, although it listens late", async () => {
  const client = new WSClient({
    appId: feishu.app.appId,
    appSecret: feishu.app.appSecret,
    domain: feishu.baseUrl,
    logger: quiet,
    loggerLevel: LoggerLevel.error,
  });
  const started = client.start({ eventDispatcher: new EventDispatcher({ logger: quiet, loggerLevel: LoggerLevel.error }) });
  await feishu.longConnection.connected();
  const event = feishuMessageEvent(feishu.app, { chatId: "oc_dm", chatType: "p2p", messageType: "text", content: { text: "Hi" } });
  expect(await feishu.longConnection.deliver(event)).toBe(200);
  await started;
  client.close();
});
