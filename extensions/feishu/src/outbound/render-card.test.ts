import { TestHost } from "@factotum/channel-conformance";
import type { Card, Channel, Conversation, Outbound, SendReceipt } from "@factotum/channel-contract";
import { FakeFeishu } from "@factotum/testing-channels";
import type { FeishuCard, FeishuCardElement } from "@factotum/testing-channels";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFeishuChannel } from "../index.ts";

const signal = new AbortController().signal;
const GROUP: Conversation = { kind: "group", id: "oc_group" };
const YES = { actionId: "yes", label: "Yes", value: "/approve 1", style: "primary" } as const;
const NO = { actionId: "no", label: "No", style: "danger" } as const;
let feishu: FakeFeishu;
let channel: Channel;
let sends = 0;

beforeEach(async () => {
  feishu = await FakeFeishu.start();
  const { appId, appSecret } = feishu.app;
  channel = createFeishuChannel(
    { appId, appSecret, domain: "feishu", baseUrl: feishu.baseUrl, transport: { type: "websocket" } },
    new TestHost(),
  );
});
afterEach(async () => {
  await channel.stop({ signal: AbortSignal.abort() });
  await feishu[Symbol.asyncDispose]();
});

async function send(outbound: Outbound, conversation = GROUP): Promise<SendReceipt> {
  sends += 1;
  return channel.send({ channel: "feishu", accountId: "second", conversation }, outbound, { signal, idempotencyKey: `key-${sends}` });
}

async function show(card: Card, conversation = GROUP): Promise<FeishuCard> {
  expect(await send({ type: "card", card }, conversation)).toMatchObject({ type: "accepted" });
  const [shown] = feishu.sent.slice(-1);
  expect(shown?.messageType).toBe("interactive");
  return shown?.content as FeishuCard;
}

const tags = (elements: readonly FeishuCardElement[] = []): string[] => elements.map(({ tag }) => tag);

describe("a card", () => {
  test("shows title, text, fields and buttons", async () => {
    const card = await show({
      title: "Deploy?",
      body: "# Version 2\n\n![a](https://x.y/a.png) is **ready**",
      fields: [{ label: "Host", value: "a*b\n<at id=all></at>" }],
      buttons: [YES, NO],
    });
    expect(card.header?.title.content).toBe("Deploy?");
    const [body, fields, row] = card.body.elements;
    expect(body?.content).toBe("#### Version 2\n\n[a](https://x.y/a.png) is **ready**");
    expect(fields?.content).toBe("**Host** a&#42;b &#60;at id&#61;all&#62;&#60;/at&#62;");
    const buttons = row?.columns?.flatMap(({ elements = [] }) => elements) ?? [];
    expect(buttons.map(({ text, type }) => [text?.content, type])).toEqual([
      ["Yes", "primary"],
      ["No", "danger"],
    ]);
  });

  test("leaves out what it does not have", async () => {
    const card = await show({ body: "Done." });
    expect(card.header).toBeUndefined();
    expect(card.body.elements).toEqual([{ tag: "markdown", content: "Done." }]);
  });

  test("notifies nobody", async () => {
    const card = await show({ title: "<at id=all></at>", body: 'Hello <at id="all"></at> <AT id=all></AT>', buttons: [YES] });
    // A title is plain text.
    expect(JSON.stringify(card.body)).not.toMatch(/<\/?at\b/i);
  });

  test("is a reply where it is one, and is shown in a thread", async () => {
    feishu.addInbound({ messageId: "om_1", chatId: "oc_group" });
    await send({ type: "card", card: { body: "One" }, replyTo: "om_1" as never });
    await show({ body: "Two" }, { ...GROUP, threadId: "om_1" });
    expect(feishu.sent.map(({ parentId, replyInThread }) => [parentId, replyInThread])).toEqual([
      ["om_1", false],
      ["om_1", true],
    ]);
  });

  test("is shown once for one key", async () => {
    const target = { channel: "feishu", accountId: "second", conversation: GROUP };
    const card: Outbound = { type: "card", card: { body: "Once" } };
    feishu.failNext({ type: "accept-then-drop" });
    expect(await channel.send(target, card, { signal, idempotencyKey: "the-key" })).toMatchObject({ type: "ambiguous" });
    expect(await channel.send(target, card, { signal, idempotencyKey: "the-key" })).toMatchObject({ type: "accepted" });
    expect(feishu.sent).toHaveLength(1);
  });

  test.each<[string, Card, string]>([
    ["without anything", { body: " " }, "rejected"],
    ["with a form that nothing submits", { body: "x", inputs: [{ type: "text", id: "a", label: "A" }] }, "rejected"],
    ["that is too large", { body: "语".repeat(10_000) }, "too-long"],
  ])("%s is refused before it is sent", async (_, card, code) => {
    expect(await send({ type: "card", card })).toMatchObject({ type: "rejected", code, retry: { type: "never" } });
    expect(feishu.requests).toEqual([]);
  });

  test("that the platform refuses is rejected with its reason", async () => {
    const buttons = Array.from({ length: 80 }, (_, index) => ({ ...YES, label: `Button ${index}` }));
    const receipt = await send({ type: "card", card: { body: "x", buttons } });
    expect(receipt).toMatchObject({ type: "rejected", code: "rejected", message: expect.stringContaining("230099") as string });
  });

  test("has room for the declared number of buttons in addition to fields and inputs", async () => {
    const { buttonsPerCard = 0, buttonLabelLength = 0 } = channel.capabilities.limits ?? {};
    expect(buttonsPerCard).toBeGreaterThan(0);
    const buttons = Array.from({ length: buttonsPerCard }, (_, index) => ({ ...YES, label: `${index}`.padEnd(buttonLabelLength, "x") }));
    await show({ title: "T", body: "x", fields: [{ label: "a", value: "b" }], inputs: [{ type: "text", id: "a", label: "A" }], buttons });
  });
});

describe("a message for one person", () => {
  const only = { onlyFor: "ou_bob" };

  test("in a group is a card that this person alone sees", async () => {
    expect(await send({ type: "text", text: "# Psst\n\nThe code is **7**", ...only })).toMatchObject({ type: "accepted" });
    expect(await send({ type: "card", card: { body: "Sure?", buttons: [YES] }, ...only })).toMatchObject({ type: "accepted" });
    expect(feishu.sent).toMatchObject([
      {
        receiveId: "oc_group",
        onlyFor: "ou_bob",
        content: { body: { elements: [{ tag: "markdown", content: "#### Psst\n\nThe code is **7**" }] } },
      },
      { receiveId: "oc_group", onlyFor: "ou_bob" },
    ]);
  });

  test("in a direct chat is an ordinary one", async () => {
    await send({ type: "text", text: "Psst", ...only }, { kind: "direct", id: "oc_dm" });
    expect(feishu.sent).toMatchObject([{ receiveId: "oc_dm", messageType: "text" }]);
    expect(feishu.sent[0]).not.toHaveProperty("onlyFor");
  });

  test.each<[string, Conversation, string]>([
    ["in a thread", { ...GROUP, threadId: "om_1" }, "ou_bob"],
    ["of another kind of id", GROUP, "on_bob"],
    ["whom the bot may not write to", GROUP, "ou_eve"],
  ])("%s is refused, and nobody sees it", async (_, conversation, onlyFor) => {
    feishu.addInbound({ messageId: "om_1", chatId: "oc_group" });
    expect(await send({ type: "text", text: "Psst", onlyFor }, conversation)).toMatchObject({ type: "rejected", retry: { type: "never" } });
    expect(feishu.sent).toEqual([]);
  });
});

describe("a form", () => {
  test("contains its inputs and is submitted by its buttons", async () => {
    const card = await show({
      body: "Please fill in",
      inputs: [
        { type: "text", id: "reason", label: "Reason", multiline: true, placeholder: "p".repeat(200), initial: "none" },
        { type: "choice", id: "size", label: "Size", options: [{ value: "s", label: "Small" }] },
        { type: "choice", id: "days", label: "Days", multiple: true, options: [{ value: "1", label: "Monday" }] },
      ],
      buttons: [YES, NO],
    });
    expect(tags(card.body.elements)).toEqual(["markdown", "form"]);
    const form = card.body.elements[1]?.elements;
    expect(tags(form)).toEqual(["input", "div", "select_static", "div", "multi_select_static", "column_set"]);
    expect(form?.[0]).toMatchObject({ name: "in_reason", input_type: "multiline_text", default_value: "none" });
    // The platform's default for menus is required.
    expect(form?.filter(({ name }) => name !== undefined)).toMatchObject([{ required: false }, { required: false }, { required: false }]);
    const buttons = form?.at(-1)?.columns?.flatMap(({ elements = [] }) => elements) ?? [];
    expect(buttons.map(({ form_action_type: type }) => type)).toEqual(["submit", "submit"]);
  });
});

describe("a card that was sent", () => {
  test("is replaced, also in a series of changes", async () => {
    await show({ body: "Running", buttons: [YES] });
    const targetId = feishu.sent[0]?.messageId as never;
    for (let step = 1; step <= 25; step += 1)
      expect(await send({ type: "edit-card", targetId, card: { body: `Step ${step}` } })).toEqual({
        type: "accepted",
        messageIds: [targetId],
      });
    expect(feishu.sent).toHaveLength(1);
    expect((feishu.sent[0]?.content as FeishuCard | undefined)?.body.elements).toEqual([{ tag: "markdown", content: "Step 25" }]);
  });

  test("is not found once it is recalled", async () => {
    await show({ body: "Gone" });
    const targetId = feishu.sent[0]?.messageId as never;
    await send({ type: "delete", targetId });
    expect(await send({ type: "edit-card", targetId, card: { body: "Back" } })).toMatchObject({ type: "rejected", code: "not-found" });
  });
});
