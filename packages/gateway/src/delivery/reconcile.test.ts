import { withoutUndefined } from "@factotum/agent-contract";
import { messageId } from "@factotum/channel-contract";
import type { Channel, Reconciliation } from "@factotum/channel-contract";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
let asked: Parameters<NonNullable<Channel["reconcile"]>>[];

beforeEach(async () => {
  server = await startAnthropicServer();
  // A platform that shows a repeated send twice.
  const capabilities: Partial<Channel["capabilities"]> = { optional: ["reconcile"] };
  platform = new TestPlatform("platform", { ...capabilities, ...({ idempotentSend: undefined } as object) });
  asked = [];
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function start(found: Reconciliation, home?: string): Promise<void> {
  platform.optional = {
    reconcile: async (...call) => {
      asked.push(call);
      return found;
    },
  };
  running = await startTestGateway({ platform, patch: withModel(server.baseUrl), ...withoutUndefined({ home }) });
}

/** The first send gets no answer. Resolves once everything is settled. */
async function loseAnswer(): Promise<void> {
  platform.receipts = [{ type: "ambiguous", cause: "no answer" }];
  server.script([textReply("Yes.")]);
  await platform.say(platform.message("hi"));
  await running.gateway.engine.idle();
  await running.gateway.engine.parts.dispatcher.idle();
}

const texts = (): unknown[] => platform.sent.map(({ outbound }) => outbound.type === "text" && outbound.text);
const deadLetters = async (): Promise<unknown[]> => (await running.store.listDeadLetters({ limit: 9 })).items.map(({ reason }) => reason);

test("a send that is shown although its answer was lost is delivered, and not repeated", async () => {
  const before = Date.now();
  await start({ type: "shown", messageIds: [messageId("s-1")] });
  await loseAnswer();
  expect(texts()).toEqual([]);
  expect(await deadLetters()).toEqual([]);
  const [[target, outbound, options] = []] = asked;
  expect(asked).toHaveLength(1);
  expect([target?.conversation.id, outbound]).toMatchObject(["dm-1", { type: "text", text: "Yes." }]);
  expect(options?.sentAtMs).toBeGreaterThanOrEqual(before);
  expect(options?.sentAtMs).toBeLessThanOrEqual(Date.now());
});

test("a send that did not arrive is sent again", async () => {
  await start({ type: "not-shown" });
  await loseAnswer();
  expect(texts()).toEqual(["Yes."]);
  expect(await deadLetters()).toEqual([]);
});

test("a send of which nothing is known is reported, and not repeated", async () => {
  await start({ type: "unknown" });
  await loseAnswer();
  expect(texts()).not.toContain("Yes.");
  expect(await deadLetters()).toHaveLength(1);
});

test("the platform is asked about a send that a crash has interrupted, once its channel has started", async () => {
  await start({ type: "unknown" });
  const [row] = await running.store.addOutbound([
    {
      sessionKey: "agent:main:main",
      target: platform.message("").origin,
      outbound: { type: "text", text: "Before the crash" },
      purpose: "tool",
      idempotencyKey: "k-1",
      dueAtMs: Date.now(),
      expiresAtMs: Date.now() + 60_000,
      state: "sending",
    },
  ]);
  await running.stop();
  await start({ type: "shown", messageIds: [messageId("s-1")] }, running.home);
  await running.gateway.engine.parts.dispatcher.idle();
  expect(asked).toHaveLength(1);
  expect((await running.store.readOutbound(row?.id ?? ""))?.state).toEqual({ type: "accepted", messageIds: ["s-1"] });
  expect(texts()).toEqual([]);
});

test("a send that the platform would recognise is repeated, and it is not asked", async () => {
  platform = new TestPlatform("platform", { optional: ["reconcile"], idempotentSend: { windowMs: 3_600_000, maxKeyLength: 50 } });
  await start({ type: "shown", messageIds: [messageId("s-1")] });
  await loseAnswer();
  expect(asked).toEqual([]);
  expect(texts()).toEqual(["Yes."]);
});

test("a send that the platform would not recognise any more is looked for, since the first attempt", async () => {
  platform = new TestPlatform("platform", { optional: ["reconcile"], idempotentSend: { windowMs: 1, maxKeyLength: 50 } });
  const before = Date.now();
  await start({ type: "shown", messageIds: [messageId("s-1")] });
  await loseAnswer();
  expect(asked).toHaveLength(1);
  expect(asked[0]?.[2].sentAtMs).toBeGreaterThanOrEqual(before);
  expect(texts()).toEqual([]);
  expect(await deadLetters()).toEqual([]);
});
