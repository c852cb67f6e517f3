import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const QUIET_MS = 7777;

/** A fake clock for debounce windows only; all other timers are real. */
class QuietClock {
  #nowMs = 0;
  readonly #timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();
  readonly now = (): number => realClock.now();
  readonly monotonic = (): number => this.#nowMs;
  readonly schedule = (delayMs: number, callback: () => void): Disposable => {
    if (delayMs > QUIET_MS || delayMs <= QUIET_MS - 5000) return realClock.schedule(delayMs, callback);
    const timer = { atMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  };

  pass(ms: number): void {
    this.#nowMs += ms;
    const due = Array.from(this.#timers).filter(({ atMs }) => atMs <= this.#nowMs);
    for (const timer of due) if (this.#timers.delete(timer)) timer.callback();
  }
}

let server: AnthropicServer;
let platform: TestPlatform;
let clock: QuietClock;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(({ index }) => textReply(`Answer ${index}.`));
  platform = new TestPlatform();
  clock = new QuietClock();
});
afterEach(() => server[Symbol.asyncDispose]());

function start(
  options: Partial<Parameters<typeof startTestGateway>[0]> = {},
  queue: Partial<FactotumConfig["messages"]["queue"]> = {},
): Promise<TestGateway> {
  return startTestGateway({
    platform,
    clock,
    patch: (config) => {
      const base = withModel(server.baseUrl)(config);
      const messages = {
        ...base.messages,
        inbound: { ...base.messages.inbound, debounceMs: QUIET_MS },
        queue: { ...base.messages.queue, ...queue },
      };
      return { ...base, messages };
    },
    ...options,
  });
}

const say = (text: string, extra: Parameters<TestPlatform["message"]>[1] = {}) => platform.say(platform.message(text, extra));
const sentTexts = (): string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
const bodyText = (index: number): string => JSON.stringify(server.requests.at(index)?.body?.["messages"]);

async function inputStates(running: TestGateway): Promise<Record<string, string>> {
  const states: Record<string, string> = {};
  for (const state of ["waiting", "claimed", "answered", "interrupted", "told", "command", "dead"] as const)
    for (const input of (await running.store.listInputs({ state, limit: 100 })).items) states[input.message.text] = state;
  return states;
}

test("debounced messages share one turn, and each is settled on its own", async () => {
  await using running = await start();
  await say("asparagus");
  clock.pass(QUIET_MS - 1);
  await say("broccoli");
  clock.pass(QUIET_MS - 1);
  await say("cauliflower");
  clock.pass(QUIET_MS - 1);
  expect(server.requests).toEqual([]);
  expect(running.gateway.engine.waitingJobs).toBe(1);
  clock.pass(1);
  await running.gateway.engine.idle();
  expect(sentTexts()).toEqual(["Answer 0."]);
  expect(bodyText(0)).toMatch(/asparagus.*broccoli.*cauliflower/);
  expect(await inputStates(running)).toEqual({ asparagus: "answered", broccoli: "answered", cauliflower: "answered" });
  await say("dill");
  clock.pass(QUIET_MS);
  await running.gateway.engine.idle();
  expect(sentTexts()).toEqual(["Answer 0.", "Answer 1."]);
  expect(server.violations).toEqual([]);
});

describe("the debounce window ends early", () => {
  test("after an attachment, which joins the earlier messages", async () => {
    await using running = await start();
    await say("look at this");
    await say("here", {
      attachments: [platform.attachment(Buffer.from("asparagus"), { kind: "file", mimeType: "text/plain", fileName: "a.txt" })],
    });
    await running.gateway.engine.idle();
    expect(sentTexts()).toEqual(["Answer 0."]);
    expect(bodyText(0)).toMatch(/look at this.*a\.txt/s);
    expect(Object.values(await inputStates(running))).toEqual(["answered", "answered"]);
  });

  test("after a command, which is answered while the earlier messages start", async () => {
    await using running = await start();
    await say("asparagus");
    await say("/status");
    await running.gateway.engine.idle();
    expect(sentTexts().filter((text) => text.startsWith("Answer"))).toEqual(["Answer 0."]);
    expect(sentTexts().filter((text) => text.startsWith("Agent main"))).toHaveLength(1);
    expect(await inputStates(running)).toEqual({ asparagus: "answered", "/status": "command" });
  });

  test("after /stop, which drops the messages", async () => {
    await using running = await start();
    await say("asparagus");
    await say("/stop");
    await running.gateway.engine.idle();
    expect(sentTexts().filter((text) => text.startsWith("Answer"))).toEqual([]);
    expect(Object.values(await inputStates(running)).toSorted()).toEqual(["command", "interrupted"]);
  });

  test("for messages of the gateway's own clients, and at the cap", async () => {
    await using running = await start({}, { cap: 3 });
    const message = platform.message("from the page");
    await running.gateway.engine.submit(message, { owner: true, kind: "user", sessionKey: "agent:main:page" });
    await platform.waitForSends(1);
    for (const text of ["one", "two", "three", "four"]) await say(text);
    expect(running.gateway.engine.waitingJobs).toBeGreaterThan(0);
    clock.pass(QUIET_MS);
    await running.gateway.engine.idle();
    expect(Object.values(await inputStates(running)).filter((state) => state !== "answered")).toEqual([]);
  });
});

test("other conversations, and senders with another authority, have debounce windows of their own", async () => {
  await using running = await start({ accountConfig: { allowFrom: ["guest-1"] } });
  await say("asparagus");
  await say("broccoli", { sender: { id: "guest-1", isBot: false } });
  await say("cauliflower", { origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-2" } } });
  clock.pass(QUIET_MS);
  await running.gateway.engine.idle();
  expect(server.requests).toHaveLength(3);
  expect(platform.sent.map(({ target }) => target.conversation.id).toSorted()).toEqual(["dm-1", "dm-1", "dm-2"]);
});

test("steers a message into an active run only after its debounce window", async () => {
  server.script([toolReply({ name: "ls", input: {} }), toolReply({ name: "ls", input: {} }), textReply("Done.")]);
  await using running = await start();
  await say("look around");
  const first = server.hold();
  clock.pass(QUIET_MS);
  await server.nextRequest();
  await say("and");
  const second = server.hold();
  first.open();
  await server.nextRequest();
  expect(bodyText(1)).not.toContain("hurry");
  await say("hurry");
  clock.pass(QUIET_MS);
  second.open();
  await running.gateway.engine.idle();
  expect(bodyText(2)).toContain("hurry");
  expect(sentTexts()).toEqual(["Done."]);
  expect(await inputStates(running)).toEqual({ "look around": "answered", and: "answered", hurry: "answered" });
  expect(server.violations).toEqual([]);
});

test("loses nothing when a restart interrupts a debounce window", async () => {
  const first = await start();
  await say("asparagus");
  await say("broccoli");
  await first.stop();
  await using second = await start({ home: first.home });
  expect(await inputStates(second)).toEqual({ asparagus: "waiting", broccoli: "waiting" });
  clock.pass(QUIET_MS);
  await second.gateway.engine.idle();
  expect(sentTexts()).toEqual(["Answer 0."]);
  expect(bodyText(0)).toMatch(/asparagus.*broccoli/);
  expect(await inputStates(second)).toEqual({ asparagus: "answered", broccoli: "answered" });
});
