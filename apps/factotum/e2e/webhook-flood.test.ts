import { on, once } from "node:events";
import { FakeFeishu, feishuChallengeRequest, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import type { StrictServer } from "@factotum/testing-providers";
import { WebSocket } from "ws";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";
import { openRaw, requestHead } from "./raw-socket.ts";

const OWNER = "ou_olga";
const CHAT = "oc_dm";
const PATH = "/channels/feishu/default";
/** What a stranger can send without knowing the key. */
const GUESSED = {
  "x-lark-signature": "0".repeat(64),
  "x-lark-request-timestamp": Math.floor(Date.now() / 1000),
  "x-lark-request-nonce": "n",
};

let feishu: FakeFeishu;
let model: StrictServer;
let product: Product;
let messages = 0;

beforeAll(async () => {
  feishu = await FakeFeishu.start({ people: [OWNER], chats: [CHAT] });
  model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(() => sayText("Here."));
  const config = {
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
    ...feishuConfig(feishu, OWNER),
  };
  product = await startProduct({ config });
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await model.close();
  await feishu[Symbol.asyncDispose]();
});

/** A signed message of the owner; resolves with the status. */
async function push(text: string): Promise<number> {
  messages += 1;
  const messageId = `om_${String(messages).padStart(32, "0")}`;
  feishu.addInbound({ messageId, chatId: CHAT });
  const said = { chatId: CHAT, chatType: "p2p", messageType: "text", content: { text }, senderOpenId: OWNER, messageId } as const;
  return (await fetch(feishuWebhookRequest(feishu.app, product.url + PATH, feishuMessageEvent(feishu.app, said)))).status;
}

test("a signed webhook is accepted at once while hundreds of connections are idle or send slowly", { timeout: 300_000 }, async () => {
  using flood = new DisposableStack();
  for (let count = 0; count < 500; count += 1) flood.use(await openRaw(product.url));
  const body = requestHead(PATH, { "content-length": 1000, ...GUESSED });
  const first = flood.use(await openRaw(product.url, `${body}{`));
  for (let count = 0; count < 100; count += 1) flood.use(await openRaw(product.url, `${body}{`));
  // The oldest is closed, long before its timeout.
  const startedAt = performance.now();
  await first.closed;
  expect(performance.now() - startedAt).toBeLessThan(2500);
  const sent = feishu.sent.length;
  expect(await push("Are you there?")).toBe(200);
  await waitForSent(feishu, sent + 1);
});

test(
  "connections that have sent the token survive a flood of idle ones, of which the oldest are closed",
  { timeout: 300_000 },
  async () => {
    const gate = model.hold();
    const held = model.nextRequest();
    const body = JSON.stringify({ model: "factotum", messages: [{ role: "user", content: "Think about it." }] });
    const headers = { authorization: `Bearer ${product.token}`, "content-type": "application/json" };
    const answer = fetch(`${product.url}/v1/chat/completions`, { method: "POST", headers, body });
    const socket = new WebSocket(`${product.url.replace("http", "ws")}/ws`);
    await once(socket, "open");
    const auth = { token: product.token };
    socket.send(JSON.stringify({ type: "connect", minProtocol: 1, maxProtocol: 1, client: { name: "test", version: "0" }, auth }));
    await once(socket, "message");
    await held;
    using flood = new DisposableStack();
    const first = flood.use(await openRaw(product.url));
    for (let count = 1; count < 500; count += 1) flood.use(await openRaw(product.url));
    expect(await first.closed).toBe("");
    gate.open();
    expect((await answer).status).toBe(200);
    const frames = on(socket, "message") as AsyncIterable<[Buffer]>;
    socket.send(JSON.stringify({ type: "req", id: "1", method: "agents.list", params: {} }));
    // Events may come before the answer.
    for await (const [data] of frames) {
      const frame = JSON.parse(data.toString()) as { readonly type: string };
      if (frame.type !== "res") continue;
      expect(frame).toMatchObject({ type: "res", id: "1", ok: true });
      break;
    }
    socket.terminate();
  },
);

test("a body that trickles in is refused after three seconds, whatever its headers say", { timeout: 300_000 }, async () => {
  for (const headers of [GUESSED, {}]) {
    using slow = await openRaw(product.url, requestHead(PATH, { "content-length": 1000, ...headers }));
    const timer = setInterval(() => slow.socket.write(" "), 100);
    const startedAt = performance.now();
    const answer = await slow.closed;
    clearInterval(timer);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(performance.now() - startedAt).toBeGreaterThan(2500);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  }
});

test("without a signature at most 4 KB are read; the address check is answered for the right token alone", async () => {
  // The rest of its chunks never comes: the answer shows that the gateway does not wait for it.
  const chunk = " ".repeat(5 * 1024);
  using large = await openRaw(
    product.url,
    `${requestHead(PATH, { "transfer-encoding": "chunked" })}${chunk.length.toString(16)}\r\n${chunk}\r\n`,
  );
  expect(await large.closed).toMatch(/^HTTP\/1\.1 401 [\s\S]*signature is missing/);

  for (const encrypt of [true, false]) {
    const ask = async (token?: string): Promise<Response> =>
      fetch(feishuChallengeRequest(feishu.app, product.url + PATH, { challenge: "c", encrypt, ...(token !== undefined && { token }) }));
    const right = await ask();
    expect([right.status, await right.json()]).toEqual([200, { challenge: "c" }]);
    expect((await ask("another")).status).toBe(401);
  }

  const sent = feishu.sent.length;
  expect(await push(`A long one: ${"x".repeat(20_000)}`)).toBe(200);
  await waitForSent(feishu, sent + 1);
});

test("a replayed push makes one message; one of another app is refused", async () => {
  const messageId = `om_${"f".repeat(32)}`;
  feishu.addInbound({ messageId, chatId: CHAT });
  const said = { chatId: CHAT, chatType: "p2p", messageType: "text", content: { text: "Once." }, senderOpenId: OWNER, messageId } as const;
  const request = feishuWebhookRequest(feishu.app, product.url + PATH, feishuMessageEvent(feishu.app, said));
  const [sent, requests] = [feishu.sent.length, model.requests.length];
  for (let count = 0; count < 3; count += 1) expect((await fetch(request.clone())).status).toBe(200);
  await waitForSent(feishu, sent + 1);
  const other = { ...feishu.app, appId: "cli_0123456789abcdef" };
  expect((await fetch(feishuWebhookRequest(other, product.url + PATH, feishuMessageEvent(other, said)))).status).toBe(403);
  const stale = { timestampMs: Date.now() - 10 * 60_000 };
  const old = feishuWebhookRequest(feishu.app, product.url + PATH, feishuMessageEvent(feishu.app, said), stale);
  expect((await fetch(old)).status).toBe(401);
  expect(await push("And another.")).toBe(200);
  await waitForSent(feishu, sent + 2);
  expect(model.requests.length - requests).toBe(2);
});
