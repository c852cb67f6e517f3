import { AESCipher, Client, EventDispatcher, LoggerLevel, WSClient } from "@larksuiteoapi/node-sdk";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeFeishu, feishuWebhookRequest } from "../index.ts";

const quiet = { error() {}, warn() {}, info() {}, debug() {}, trace() {} };
const noCache = { get: () => Promise.resolve(undefined), set: () => Promise.resolve(true) };
const BUTTON = {
  tag: "button",
  text: { tag: "plain_text", content: "Yes" },
  type: "primary",
  behaviors: [{ type: "callback", value: { answer: "yes" } }],
};
const cardOf = (...elements: readonly object[]): object => ({ schema: "2.0", config: { update_multi: true }, body: { elements } });
let feishu: FakeFeishu;

beforeEach(async () => {
  feishu = await FakeFeishu.start();
});
afterEach(() => feishu[Symbol.asyncDispose]());

const sdk = (): Client =>
  new Client({
    appId: feishu.app.appId,
    appSecret: feishu.app.appSecret,
    domain: feishu.baseUrl,
    logger: quiet,
    loggerLevel: LoggerLevel.error,
    cache: noCache,
  });
async function send(card: object): Promise<string> {
  const data = { receive_id: "oc_group", msg_type: "interactive", content: JSON.stringify(card) };
  const answer = await sdk().im.message.create({ params: { receive_id_type: "chat_id" }, data });
  return answer.data?.message_id ?? "";
}
const codeOf = async (request: Promise<unknown>): Promise<unknown> =>
  request.then(
    () => 0,
    (error: { response?: { data?: { code?: number } } }) => error.response?.data?.code ?? error,
  );

describe("with the official SDK as the client", () => {
  test("a card is shown, replaced and not edited like a text", async () => {
    const id = await send(cardOf({ tag: "markdown", content: "Deploy?" }, BUTTON));
    await sdk().im.message.patch({
      path: { message_id: id },
      data: { content: JSON.stringify(cardOf({ tag: "markdown", content: "Done" })) },
    });
    expect(feishu.sent).toMatchObject([{ messageType: "interactive", content: cardOf({ tag: "markdown", content: "Done" }) }]);
    const asText = { msg_type: "text", content: JSON.stringify({ text: "x" }) };
    expect(await codeOf(sdk().im.message.update({ path: { message_id: id }, data: asText }))).toBe(230054);
  });

  test("each card that is created has an id of its own", async () => {
    const data = JSON.stringify(cardOf({ tag: "markdown", content: "One" }));
    const create = async (): Promise<unknown> => (await sdk().cardkit.v1.card.create({ data: { type: "card_json", data } })).data?.card_id;
    const ids = [await create(), await create(), await create()];
    expect(new Set(ids).size).toBe(3);
  });

  test.each<[string, object]>([
    ["of another schema", { elements: [] }],
    ["with an unknown component", cardOf({ tag: "hologram" })],
    ["with an empty text", cardOf({ tag: "markdown", content: "" })],
    ["with the address of a picture", cardOf({ tag: "markdown", content: "![a](https://x.y/a.png)" })],
    ["with a label over 100 characters", cardOf({ ...BUTTON, text: { tag: "plain_text", content: "x".repeat(101) } })],
    ["with over 200 components", cardOf(...Array.from({ length: 101 }, () => BUTTON))],
    ["with a form without a submitting button", cardOf({ tag: "form", name: "f", elements: [{ tag: "input", name: "a" }] })],
    [
      "with a component of a form without a name",
      cardOf({ tag: "form", name: "f", elements: [{ ...BUTTON, form_action_type: "submit" }] }),
    ],
    [
      "with two components of one name",
      cardOf({
        tag: "form",
        name: "f",
        elements: [
          { tag: "input", name: "f" },
          { ...BUTTON, name: "b", form_action_type: "submit" },
        ],
      }),
    ],
    [
      "with a form inside another component",
      cardOf({ tag: "column_set", columns: [{ tag: "column", elements: [{ tag: "form", name: "f" }] }] }),
    ],
  ])("a card %s is refused", async (_, card) => {
    expect(await codeOf(send(card))).toBe(230099);
    expect(feishu.sent).toEqual([]);
  });

  test("pins, chats, messages and scopes are listed", async () => {
    const id = await send(cardOf({ tag: "markdown", content: "Keep" }));
    await sdk().im.pin.create({ data: { message_id: id } });
    const pins = await sdk().im.pin.list({ params: { chat_id: "oc_group" } });
    const chats = await sdk().im.chat.list({ params: { page_size: 10 } });
    const messages = await sdk().im.message.list({ params: { container_id_type: "chat", container_id: "oc_group" } });
    const scopes = await sdk().application.scope.list({});
    expect([pins.data?.items?.[0]?.message_id, messages.data?.items?.[0]?.message_id]).toEqual([id, id]);
    expect(chats.data?.items?.map((chat) => chat.chat_id)).toEqual(["oc_group"]);
    expect(scopes.data?.scopes?.map((scope) => scope.scope_name)).toContain("im:message:readonly");
    await sdk().im.pin.delete({ path: { message_id: id } });
    expect(feishu.pinned.size).toBe(0);
  });
});

describe("with the official SDK as the receiver", () => {
  test("a press arrives over the long connection, and its answer is accepted", async () => {
    const id = await send(cardOf(BUTTON));
    const received: unknown[] = [];
    const ready = Promise.withResolvers<void>();
    const socket = new WSClient({
      appId: feishu.app.appId,
      appSecret: feishu.app.appSecret,
      domain: feishu.baseUrl,
      logger: quiet,
      loggerLevel: LoggerLevel.error,
      onReady: ready.resolve,
    });
    const eventDispatcher = new EventDispatcher({ logger: quiet, loggerLevel: LoggerLevel.error }).register({
      "card.action.trigger": (event: unknown) => {
        received.push(event);
        return { toast: { type: "info", content: "Noted" } };
      },
    });
    await socket.start({ eventDispatcher });
    await ready.promise;
    expect(await feishu.longConnection.deliver(feishu.press(id, { label: "Yes", openId: "ou_bob" }))).toBe(200);
    socket.close({ force: true });
    expect(received).toMatchObject([
      {
        operator: { open_id: "ou_bob" },
        action: { tag: "button", value: { answer: "yes" } },
        context: { open_message_id: id, open_chat_id: "oc_group" },
      },
    ]);
  });

  test("a press arrives by webhook, encrypted", async () => {
    const id = await send(cardOf(BUTTON));
    const request = feishuWebhookRequest(feishu.app, "http://127.0.0.1/", feishu.press(id, { label: "Yes" }));
    const { encrypt } = (await request.json()) as { readonly encrypt: string };
    const payload: unknown = JSON.parse(new AESCipher(feishu.app.encryptKey).decrypt(encrypt));
    expect(payload).toMatchObject({
      schema: "2.0",
      header: { event_type: "card.action.trigger" },
      event: { action: { value: { answer: "yes" } } },
    });
  });
});

test("a press needs a card with that button", async () => {
  const id = await send(cardOf(BUTTON));
  expect(() => feishu.press(id, { label: "No" })).toThrow("no button");
  expect(() => feishu.press("om_none", { label: "Yes" })).toThrow("no message");
});
