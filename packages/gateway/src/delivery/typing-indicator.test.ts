import type { Clock } from "@factotum/agent-contract";
import type { MsgContext } from "@factotum/channel-contract";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const INTERVAL_MS = 4_000;

/** The interval between typing signals passes when the test says so. */
class SignClock implements Clock {
  readonly #waiting = new Set<() => void>();

  now(): number {
    return realClock.now();
  }

  monotonic(): number {
    return realClock.monotonic();
  }

  schedule(delayMs: number, callback: () => void): Disposable {
    if (delayMs !== INTERVAL_MS) return realClock.schedule(delayMs, callback);
    this.#waiting.add(callback);
    return { [Symbol.dispose]: () => void this.#waiting.delete(callback) };
  }

  /** Number of scheduled signals. */
  get waiting(): number {
    return this.#waiting.size;
  }

  pass(): void {
    for (const callback of this.#waiting) if (this.#waiting.delete(callback)) callback();
  }
}

let server: AnthropicServer;
let platform: TestPlatform;
let clock: SignClock;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform("platform", { typing: true });
  clock = new SignClock();
});
afterEach(() => server[Symbol.asyncDispose]());

const start = (options: Partial<Parameters<typeof startTestGateway>[0]> = {}): Promise<TestGateway> =>
  startTestGateway({ platform, clock, patch: withModel(server.baseUrl), ...options });
const kinds = (): string[] => platform.sent.map(({ outbound }) => outbound.type);
const signs = (): number => kinds().filter((kind) => kind === "typing").length;
const settled = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
};

/** Expects that no typing signal is shown or scheduled. */
async function expectOver(running: TestGateway): Promise<void> {
  await running.gateway.engine.idle();
  clock.pass();
  const before = signs();
  await settled(() => running.gateway.engine.parts.typing.active === 0);
  clock.pass();
  expect(clock.waiting).toBe(0);
  expect(signs()).toBe(before);
}

test("a chat shows typing until the answer has been sent", async () => {
  const gate = server.hold();
  server.script([textReply("Hello.")]);
  await using running = await start();
  await platform.say(platform.message("hi"));
  await platform.waitForSends(1);
  await server.nextRequest();
  for (let count = 2; count <= 4; count += 1) {
    await settled(() => clock.waiting === 1);
    clock.pass();
    await platform.waitForSends(count);
  }
  expect(kinds()).toEqual(["typing", "typing", "typing", "typing"]);
  gate.open();
  await platform.waitForSends(5);
  await expectOver(running);
  expect(kinds()).toEqual(["typing", "typing", "typing", "typing", "text"]);
});

test("a sign for which the account's rate leaves no room is left out", async () => {
  platform = new TestPlatform("platform", { typing: true, limits: { sendRate: { count: 2, perMs: 3_600_000 } } });
  const gate = server.hold();
  server.script([textReply("Hello.")]);
  await using running = await start();
  await platform.say(platform.message("hi"));
  await server.nextRequest();
  for (let count = 0; count < 5; count += 1) {
    await settled(() => clock.waiting === 1);
    clock.pass();
  }
  gate.open();
  await platform.waitForSends(2);
  await expectOver(running);
  expect(kinds()).toEqual(["typing", "text"]);
});

test("typing continues until the last send, even if the platform defers it", async () => {
  server.script([textReply("Hello.")]);
  platform.answer = ({ type }) =>
    type === "text" ? { type: "rejected", code: "rate-limited", retry: { type: "after", delayMs: 3_600_000 } } : undefined;
  const running = await start();
  await platform.say(platform.message("hi"));
  await settled(() => running.gateway.engine.activeTurns === 0 && clock.waiting === 1);
  clock.pass();
  await platform.waitForSends(2);
  expect(kinds()).toEqual(["typing", "typing"]);
  await running[Symbol.asyncDispose]();
  expect(clock.waiting).toBe(0);
});

test.each<[string, AnthropicReply]>([
  ["silence", textReply("NO_REPLY")],
  ["a failure", { type: "error", errorType: "authentication_error", message: "invalid x-api-key" }],
])("typing ends with %s", async (_name, reply) => {
  server.script([reply]);
  await using running = await start();
  await platform.say(platform.message("hi"));
  await platform.waitForSends(1);
  await expectOver(running);
});

test("typing ends with /stop", async () => {
  const gate = server.hold();
  server.respond(() => textReply("Hello."));
  await using running = await start();
  await platform.say(platform.message("hi"));
  await server.nextRequest();
  await platform.say(platform.message("/stop"));
  gate.open();
  await expectOver(running);
  expect(kinds()).toContain("typing");
});

test("a platform that rejects typing signals is asked three times, and answers are sent anyway", async () => {
  const gate = server.hold();
  server.respond(() => textReply("Hello."));
  let asked = 0;
  platform.answer = ({ type }) =>
    type === "typing" && ++asked > 0 ? { type: "rejected", code: "rejected", retry: { type: "never" } } : undefined;
  await using running = await start();
  await platform.say(platform.message("hi"));
  await server.nextRequest();
  for (const count of [1, 2]) {
    await settled(() => asked === count && clock.waiting === 1);
    clock.pass();
  }
  await settled(() => asked === 3 && clock.waiting === 0);
  gate.open();
  await expectOver(running);
  expect(asked).toBe(3);
  expect(kinds()).toEqual(["text"]);
});

test("a resumed turn shows typing again after a restart", async () => {
  const gate = server.hold();
  server.respond(() => textReply("Hello."));
  const first = await start();
  await platform.say(platform.message("hi"));
  await server.nextRequest();
  await first.stop();
  const before = signs();
  await using second = await start({ home: first.home });
  await settled(() => signs() > before);
  gate.open();
  await expectOver(second);
});

const GROUP: Partial<MsgContext> = { origin: { channel: "test", accountId: "default", conversation: { kind: "group", id: "g-1" } } };
const open = { accountConfig: { groupPolicy: "open" as const, groups: { "*": { requireMention: false } } } };

test.each<[string, Partial<MsgContext>, number]>([
  ["typing is shown in a group that mentions the assistant", { ...GROUP, mentionsBot: true }, 1],
  ["typing is not shown in a group without a mention, where it may have nothing to say", GROUP, 0],
])("%s", async (_name, extra, count) => {
  server.respond(() => textReply("Hello."));
  await using running = await start(open);
  await platform.say(platform.message("hi", extra));
  await running.gateway.engine.idle();
  expect(signs()).toBe(count);
  expect(kinds()).toContain("text");
});

test.each(["heartbeat", "cron", "hook"] as const)("typing is not shown for a %s run, which nobody waits for", async (kind) => {
  server.respond(() => textReply("Hello."));
  await using running = await start();
  const admission = { owner: true, kind, sessionKey: "agent:main:main" };
  await running.gateway.engine.submit(platform.message("look after it"), admission);
  await expectOver(running);
  expect(kinds()).toEqual(["text"]);
});

test("typing is not shown if the send policy denies everything, or the channel does not support it", async () => {
  server.respond(() => textReply("Hello."));
  await using running = await start();
  await platform.say(platform.message("hi"));
  await expectOver(running);
  await running.store.patchSession("agent:main:main", { overrides: { sendPolicy: "deny" } }, { nowMs: 1 });
  const before = platform.sent.length;
  await platform.say(platform.message("more"));
  await expectOver(running);
  expect(platform.sent.length).toBe(before);
});
