import { withoutUndefined } from "@factotum/agent-contract";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Clock } from "@factotum/agent-contract";
import type { Channel, MsgContext, Outbound, SendReceipt } from "@factotum/channel-contract";
import { createGate, startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer, Gate } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../../test/gateway-harness.ts";
import type { TestGateway } from "../../../test/gateway-harness.ts";

const TEXT = Array.from({ length: 40 }, (_, index) => `Line ${index} of the answer.`).join("\n");
const NATIVE: Partial<Channel["capabilities"]> = { edit: true, streaming: "native" };
const LOST: SendReceipt = { type: "ambiguous", cause: "no answer" };
const NO: SendReceipt = { type: "rejected", code: "rejected", retry: { type: "never" } };

/** A clock whose intervals take no time. */
const quickClock: Clock = { ...realClock, schedule: (delayMs, callback) => realClock.schedule(delayMs < 5_000 ? 1 : delayMs, callback) };

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform("platform", NATIVE);
});
afterEach(() => server[Symbol.asyncDispose]());

const start = (home?: string, clock = quickClock): Promise<TestGateway> =>
  startTestGateway({
    platform,
    clock,
    accountConfig: { streaming: { mode: "partial" } },
    patch: withModel(server.baseUrl),
    ...withoutUndefined({ home }),
  });

const halting = (text: string, until: Gate): AnthropicReply => ({
  type: "message",
  content: [{ type: "text", text }],
  deltaCharacters: 9,
  fault: { type: "stall", afterBytes: 4_000, until },
});

/** The chat as a person sees it: a step of a stream adds to its message, an edit replaces it. */
function chat(): string[] {
  const messages = new Map<string, string>();
  for (const [index, { outbound }] of platform.sent.entries()) {
    if (outbound.type === "text") messages.set(`sent-${index}`, outbound.text);
    if (outbound.type === "edit") messages.set(outbound.targetId, outbound.text);
    if (outbound.type === "stream") {
      const id = outbound.targetId ?? `sent-${index}`;
      messages.set(id, (messages.get(id) ?? "") + outbound.added);
    }
  }
  return [...messages.values()];
}

const steps = (): readonly Extract<Outbound, { type: "stream" }>[] =>
  platform.sent.flatMap(({ outbound }) => (outbound.type === "stream" ? [outbound] : []));
const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Answers with a pause in the middle, in which `meanwhile` runs. */
async function answer(running: TestGateway, meanwhile: () => void, message: Partial<MsgContext> = {}): Promise<void> {
  const gate = createGate();
  server.script([halting(TEXT, gate)]);
  await platform.say(platform.message("hi", message));
  while (!(chat()[0] ?? "").includes("Line 2 ")) await turns();
  meanwhile();
  gate.open();
  await running.gateway.engine.idle();
  await running.gateway.engine.parts.dispatcher.idle();
}

test("every step is sent with the reply context of the message", async () => {
  platform = new TestPlatform("platform", { ...NATIVE, replyContext: true });
  await using running = await start();
  await answer(running, () => undefined, { replyContext: { data: "token-1" } });
  expect(steps().length).toBeGreaterThan(0);
  expect(new Set(platform.sent.map(({ replyContext }) => replyContext))).toEqual(new Set(["token-1"]));
});

test("an answer grows by steps, each with what is new, and its last step completes it", async () => {
  await using running = await start();
  await answer(running, () => undefined);
  expect(chat()).toEqual([TEXT]);
  expect(platform.sent.map(({ outbound }) => outbound.type)).toEqual(steps().map(() => "stream"));
  expect(steps().map(({ isLast }) => isLast)).toEqual([
    ...steps()
      .slice(1)
      .map(() => false),
    true,
  ]);
  expect(steps()[0]).toMatchObject({ replyTo: "message-1" });
  expect(steps().at(-1)).toMatchObject({ text: TEXT, targetId: "sent-0" });
});

test("the platform's number of edits does not limit the steps", async () => {
  platform = new TestPlatform("platform", { ...NATIVE, edits: { maxPerMessage: 1 } });
  // The first step is sent with the first characters.
  const schedule: Clock["schedule"] = (delayMs, callback) => {
    if (delayMs < 5_000) queueMicrotask(callback);
    return delayMs < 5_000 ? { [Symbol.dispose]() {} } : realClock.schedule(delayMs, callback);
  };
  await using running = await start(undefined, { ...realClock, schedule });
  await answer(running, () => undefined);
  expect(steps().length).toBeGreaterThan(2);
  expect(chat()).toEqual([TEXT]);
});

describe.each([
  ["fails", NO],
  ["gets no answer", LOST],
] as const)("a step that %s", (_name, receipt) => {
  test("is the last one: the answer is completed by edits, once", async () => {
    await using running = await start();
    await answer(running, () => {
      let failed = false;
      platform.answer = ({ type }) => {
        if (type !== "stream" || failed) return undefined;
        failed = true;
        return receipt;
      };
    });
    expect(chat()).toEqual([TEXT]);
    expect(steps().some(({ isLast }) => isLast)).toBe(false);
    expect((await running.store.listDeadLetters({ limit: 5 })).items).toEqual([]);
  });

  test("and is the last of the answer is replaced by an edit", async () => {
    await using running = await start();
    await answer(running, () => {
      platform.answer = (outbound) => (outbound.type === "stream" && outbound.isLast ? receipt : undefined);
    });
    expect(chat()).toEqual([TEXT]);
    expect(platform.sent.at(-1)?.outbound).toEqual({ type: "edit", targetId: "sent-0", text: TEXT });
    expect((await running.store.listDeadLetters({ limit: 5 })).items).toEqual([]);
  });
});

test("a stream whose message is gone is sent again as a new message, once", async () => {
  await using running = await start();
  await answer(running, () => {
    platform.answer = ({ type }) =>
      type === "stream" || type === "edit" ? { type: "rejected", code: "not-found", retry: { type: "never" } } : undefined;
  });
  expect(chat().at(-1)).toBe(TEXT);
  expect(chat()).toHaveLength(2);
});

test("after a crash in the middle, the message is completed by edits", async () => {
  const gate = createGate();
  server.script([halting(TEXT, gate)]);
  const first = await start();
  await platform.say(platform.message("hi"));
  while (!(chat()[0] ?? "").includes("Line 2 ")) await turns();
  const home = await mkdtemp(path.join(tmpdir(), "factotum-killed-"));
  await cp(first.home, home, { recursive: true });
  const before = steps().length;
  server.respond(() => textReply(TEXT));
  const second = await start(home);
  while (chat()[0] !== TEXT) await turns();
  await second.gateway.engine.idle();
  await second.stop();
  expect(chat()).toEqual([TEXT]);
  expect(steps()).toHaveLength(before);
  gate.open();
  await first[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});
