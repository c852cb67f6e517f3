import { TestHost } from "@factotum/channel-conformance";
import type { MessageId, Origin, Outbound, SendReceipt } from "@factotum/channel-contract";
import type { Sender } from "@factotum/channel-kit";
import { FakeFeishu, ManualClock } from "@factotum/testing-channels";
import type { FeishuCard } from "@factotum/testing-channels";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFeishuApi } from "../api/feishu-api.ts";
import { CardStreams } from "./card-streams.ts";
import { createMessageApi } from "./message-api.ts";
import { createSender } from "./sender.ts";

const signal = new AbortController().signal;
const TARGET: Origin = { channel: "feishu", accountId: "second", conversation: { kind: "group", id: "oc_group" } };
let clock: ManualClock;
let feishu: FakeFeishu;
let host: TestHost;
let channel: Sender;
let keys = 0;

const make = (): Sender => {
  const { appId, appSecret } = feishu.app;
  const api = createFeishuApi({ appId, appSecret, domain: "feishu", baseUrl: feishu.baseUrl, transport: { type: "websocket" } }, host);
  const messages = createMessageApi(api, appId, { learnDirect: () => Promise.resolve() });
  return createSender({ messages, streams: new CardStreams(api, messages, host) }, host);
};
beforeEach(async () => {
  clock = new ManualClock();
  feishu = await FakeFeishu.start({ now: () => clock.now() });
  host = new TestHost({ clock });
  channel = make();
});
afterEach(async () => {
  await channel.stop({ signal: AbortSignal.abort() });
  await feishu[Symbol.asyncDispose]();
});

async function send(outbound: Outbound, idempotencyKey = `key-${(keys += 1)}`): Promise<SendReceipt> {
  return channel.send(TARGET, outbound, { signal, idempotencyKey });
}
const step = (text: string, more: { readonly targetId?: MessageId; readonly isLast?: boolean } = {}): Outbound => ({
  type: "stream",
  text,
  added: text,
  isLast: false,
  ...more,
});
async function begin(text: string): Promise<MessageId> {
  const receipt = await send(step(text));
  if (receipt.type !== "accepted") throw new Error(JSON.stringify(receipt));
  return receipt.messageIds[0] ?? ("" as MessageId);
}
/** The text and whether it still grows, of each message. */
const shown = (): readonly unknown[] =>
  feishu.sent.map(({ content }) => {
    const { body, config } = content as FeishuCard;
    return [body.elements[0]?.content, config?.streaming_mode];
  });

test("a hundred steps at once, and a restart between them, keep the numbers rising", async () => {
  const targetId = await begin("0");
  for (let index = 1; index <= 100; index += 1) expect((await send(step(`${index}`, { targetId }))).type).toBe("accepted");
  await channel.stop({ signal });
  clock.advance(5_000);
  channel = make();
  expect((await send(step("101", { targetId }))).type).toBe("accepted");
  expect(await send(step("# Done", { targetId, isLast: true }))).toEqual({ type: "accepted", messageIds: [targetId] });
  expect(shown()).toEqual([["#### Done", false]]);
});

test.each([
  ["was accepted", { type: "accept-then-drop" }],
  ["did not arrive", { type: "drop" }],
] as const)("a text under the key of a first step that %s completes the card", async (_, fault) => {
  feishu.failNext(fault);
  expect((await send(step("One"), "first")).type).toBe("ambiguous");
  await channel.stop({ signal });
  clock.advance(1_000);
  channel = make();
  expect((await send({ type: "text", text: "One two" }, "first")).type).toBe("accepted");
  expect(shown()).toEqual([["One two", false]]);
});

test("an edit completes an answer that a crash cut off, and changes one that is complete", async () => {
  const targetId = await begin("One");
  await channel.stop({ signal });
  clock.advance(1_000);
  channel = make();
  for (const text of ["One two", "Another"]) {
    expect(await send({ type: "edit", targetId, text })).toEqual({ type: "accepted", messageIds: [targetId] });
    expect(shown()).toEqual([[text, false]]);
    clock.advance(1_000);
  }
});

test("a first step whose answer was lost shows one card, which goes on", async () => {
  for (const fault of [1, 2]) {
    const key = `lost-${fault}`;
    // The card is made, then sent.
    if (fault === 2) feishu.failNext({ type: "accept-then-drop" });
    const receipt = await send(step("One"), key);
    expect(receipt.type).toBe(fault === 2 ? "ambiguous" : "accepted");
    const again = await send(step("One"), key);
    if (again.type !== "accepted") throw new Error(JSON.stringify(again));
    clock.advance(1_000);
    expect((await send(step("One two", { targetId: again.messageIds[0] as MessageId, isLast: true }))).type).toBe("accepted");
  }
  expect(shown()).toEqual([
    ["One two", false],
    ["One two", false],
  ]);
});

test("no step notifies anyone, and an unknown message has no steps", async () => {
  await begin('<at id="all"></at> hi');
  expect(JSON.stringify(shown())).not.toMatch(/<at\b/);
  expect(await send(step("x", { targetId: "om_other" as MessageId }))).toMatchObject({ type: "rejected", retry: { type: "never" } });
});
