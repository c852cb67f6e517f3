import { TestHost } from "@factotum/channel-conformance";
import type { Card, Channel, Conversation } from "@factotum/channel-contract";
import { FakeFeishu, feishuEnvelope, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import type { FeishuEnvelope, FeishuPress } from "@factotum/testing-channels";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFeishuChannel } from "../index.ts";
import type { FeishuTransport } from "../index.ts";

const signal = new AbortController().signal;
const CARD: Card = { body: "Deploy?", buttons: [{ actionId: "yes", label: "Yes", value: "/approve 1", style: "primary" }] };
const FORM: Card = {
  body: "Deploy?",
  inputs: [
    { type: "text", id: "reason", label: "Reason" },
    { type: "choice", id: "days", label: "Days", multiple: true, options: [{ value: "1", label: "Monday" }] },
    { type: "text", id: "empty", label: "Empty" },
  ],
  buttons: [{ actionId: "send", label: "Send", style: "default" }],
};

describe.each(["webhook", "websocket"] as const)("a pressed button, by %s", (type) => {
  let feishu: FakeFeishu;
  let host: TestHost;
  let channel: Channel;

  beforeEach(async () => {
    feishu = await FakeFeishu.start();
    host = new TestHost();
    const { appId, appSecret, encryptKey, verificationToken } = feishu.app;
    const transport: FeishuTransport = type === "webhook" ? { type, encryptKey, verificationToken } : { type };
    channel = createFeishuChannel({ appId, appSecret, domain: "feishu", baseUrl: feishu.baseUrl, transport }, host);
    await channel.start({ signal });
  });
  afterEach(async () => {
    await channel.stop({ signal: AbortSignal.abort() });
    await feishu[Symbol.asyncDispose]();
  });

  async function show(card: Card, conversation: Conversation): Promise<string> {
    const target = { channel: "feishu", accountId: "second", conversation };
    const receipt = await channel.send(target, { type: "card", card }, { signal, idempotencyKey: "card" });
    if (receipt.type !== "accepted") throw new Error(JSON.stringify(receipt));
    return receipt.messageIds[0] ?? "";
  }

  /** Resolves with the status of the answer. */
  async function deliver(payload: FeishuEnvelope): Promise<number> {
    if (type === "websocket") return feishu.longConnection.deliver(payload);
    const response = await channel.handleWebhook(feishuWebhookRequest(feishu.app, "http://127.0.0.1/", payload), { signal });
    // The platform shows an error for any other body than an empty one or one of its own structures.
    if (response.status === 200) expect(await response.json()).toEqual({});
    return response.status;
  }
  const receive = async (chatId: string, chatType: "p2p" | "group"): Promise<void> => {
    const content = {
      chatId,
      chatType,
      messageType: "text",
      content: { text: "hi" },
      senderOpenId: "ou_alice",
      messageId: `om_in_${chatId}`,
    };
    await deliver(feishuMessageEvent(feishu.app, content));
  };
  const press = async (messageId: string, given: FeishuPress): Promise<number> => deliver(feishu.press(messageId, given));

  test.each<[Conversation, FeishuPress["chatId"], Conversation]>([
    [{ kind: "group", id: "oc_group" }, undefined, { kind: "group", id: "oc_group" }],
    // A card that was sent to a person is pressed in their chat.
    [{ kind: "direct", id: "ou_alice" }, "oc_dm", { kind: "direct", id: "oc_dm" }],
    [{ kind: "group", id: "oc_group", threadId: "om_root" }, undefined, { kind: "group", id: "oc_group", threadId: "om_root" }],
  ])("in %j is passed on", async (target, chatId, conversation) => {
    feishu.addInbound({ messageId: "om_root", chatId: "oc_group" });
    if (chatId !== undefined) await receive(chatId, "p2p");
    host.stored.length = 0;
    const messageId = await show(CARD, target);
    const before = feishu.requests.length;
    expect(await press(messageId, { label: "Yes", openId: "ou_bob", eventId: "e-1", ...(chatId !== undefined && { chatId }) })).toBe(200);
    expect(host.stored).toMatchObject([
      {
        origin: { channel: "feishu", accountId: "second", conversation },
        eventId: "e-1",
        messageId,
        event: { type: "action", actionId: "yes", value: "/approve 1", targetId: messageId },
        sender: { id: "ou_bob", isBot: false },
        text: "Yes",
        mentionsBot: true,
      },
    ]);
    // The person waits for at most 3 seconds: nothing is requested before the answer.
    expect(feishu.requests).toHaveLength(before);
  });

  test("has the kind of its chat from the chat's messages, not from its card", async () => {
    await receive("oc_unlisted", "group");
    const messageId = await show(CARD, { kind: "direct", id: "ou_alice" });
    expect(await press(messageId, { label: "Yes", chatId: "oc_unlisted" })).toBe(200);
    expect(host.stored.at(-1)).toMatchObject({ event: { type: "action" }, origin: { conversation: { kind: "group", id: "oc_unlisted" } } });
  });

  test("of a card that was sent to a person who never wrote is passed on, also after a restart", async () => {
    const messageId = await show(CARD, { kind: "direct", id: "ou_alice" });
    expect(await press(messageId, { label: "Yes" })).toBe(200);
    await channel.stop({ signal });
    const { appId, appSecret, encryptKey, verificationToken } = feishu.app;
    const transport: FeishuTransport = type === "webhook" ? { type, encryptKey, verificationToken } : { type };
    channel = createFeishuChannel({ appId, appSecret, domain: "feishu", baseUrl: feishu.baseUrl, transport }, host);
    await channel.start({ signal });
    expect(await press(messageId, { label: "Yes" })).toBe(200);
    const inChat = { event: { type: "action", actionId: "yes" }, origin: { conversation: { kind: "direct", id: "oc_dm_alice" } } };
    expect(host.stored).toMatchObject([inChat, inChat]);
  });

  test("of a card to such a person is passed on by this process where the chat could not be stored", async () => {
    host.failNext();
    const messageId = await show(CARD, { kind: "direct", id: "ou_alice" });
    expect(await press(messageId, { label: "Yes" })).toBe(200);
    expect(host.stored).toMatchObject([{ origin: { conversation: { kind: "direct", id: "oc_dm_alice" } } }]);
  });

  test("of a card for a direct chat is not accepted in a chat without messages", async () => {
    const messageId = await show(CARD, { kind: "direct", id: "ou_alice" });
    expect(await press(messageId, { label: "Yes", chatId: "oc_never_seen" })).toBe(200);
    expect(host.received).toEqual([]);
  });

  test("names the time in milliseconds", async () => {
    const messageId = await show(CARD, { kind: "group", id: "oc_group" });
    const payload = feishu.press(messageId, { label: "Yes" });
    expect(payload.header.create_time).toHaveLength(16);
    await deliver(payload);
    expect(host.stored[0]?.timestampMs).toBe(Number(payload.header.create_time) / 1_000);
  });

  test("of a form has the inputs", async () => {
    const messageId = await show(FORM, { kind: "group", id: "oc_group" });
    await press(messageId, { label: "Send", form: { in_reason: "two\nlines", in_days: ["1"] } });
    expect(host.stored[0]?.event).toEqual({
      type: "action",
      actionId: "send",
      targetId: messageId,
      inputs: { reason: "two\nlines", days: ["1"] },
    });
  });

  test("that is repeated is one input", async () => {
    const messageId = await show(CARD, { kind: "group", id: "oc_group" });
    const payload = feishu.press(messageId, { label: "Yes" });
    expect([await deliver(payload), await deliver(payload)]).toEqual([200, 200]);
    expect(host.stored).toHaveLength(1);
  });

  test("that cannot be stored is an error for the person", async () => {
    const messageId = await show(CARD, { kind: "group", id: "oc_group" });
    host.failNext();
    expect(await press(messageId, { label: "Yes" })).toBeGreaterThanOrEqual(500);
    expect(host.stored).toEqual([]);
  });

  test.each([
    [
      "of a card of another maker",
      { operator: { open_id: "ou_a" }, action: { value: { odd: 1 } }, context: { open_message_id: "om", open_chat_id: "oc" } },
    ],
    ["without its structure", { odd: true }],
  ])("%s is ignored", async (_, event) => {
    expect(await deliver(feishuEnvelope(feishu.app, { eventType: "card.action.trigger", event }))).toBe(200);
    expect(host.received).toEqual([]);
  });
});
