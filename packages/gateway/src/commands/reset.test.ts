import { randomUUID } from "node:crypto";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

const SESSION = "agent:main:main";

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(({ index }) => textReply(`Answer ${index}.`));
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

const patch = (config: FactotumConfig): FactotumConfig => {
  const base = withModel(server.baseUrl)(config);
  return {
    ...base,
    agents: base.agents.map((agent) => ({ ...agent, models: { "anthropic/claude-opus-4-6": { alias: "opus", params: {} } } })),
  };
};

const start = (options: Partial<Parameters<typeof startTestGateway>[0]> = {}): Promise<TestGateway> =>
  startTestGateway({ platform, patch, ...options });

async function say(running: TestGateway, ...texts: readonly string[]): Promise<string[]> {
  const before = platform.sent.length;
  // In one batch: they are committed together.
  await Promise.all(texts.map(async (text) => platform.say(platform.message(text))));
  await running.gateway.engine.idle();
  return platform.sent.slice(before).map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
}

const asked = (): unknown[] => server.requests.map(({ body }) => body?.["model"]);
const messagesOf = (index: number): string => JSON.stringify(server.requests.at(index)?.body?.["messages"]);
const session = (running: TestGateway) => running.store.readSession(SESSION);

async function unsettled(running: TestGateway): Promise<readonly string[]> {
  const pages = await Promise.all((["waiting", "claimed"] as const).map((state) => running.store.listInputs({ state, limit: 10 })));
  return pages.flatMap(({ items }) => items.map(({ message }) => message.text));
}

const NEW = "This is a new conversation.";
const NEW_WITH_OPUS = "This is a new conversation, with anthropic/claude-opus-4-6.";

describe.each([
  ["/new", NEW],
  ["/reset", NEW],
  ["/new opus", NEW_WITH_OPUS],
])("%s in the middle of a run", (command, acknowledged) => {
  test("reports what it stopped before the new conversation starts, and stores the message as interrupted", async () => {
    await using running = await start();
    const gate = server.hold();
    await platform.say(platform.message("asparagus"));
    await server.nextRequest();
    await platform.say(platform.message("broccoli"));
    await platform.say(platform.message(command));
    gate.open();
    await running.gateway.engine.idle();
    const texts = platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
    expect(texts).toEqual(["Stopped what I was working on, and dropped 1 waiting message.", acknowledged]);
    expect(server.requests).toHaveLength(1);
    const { items } = await running.store.listInputs({ state: "interrupted", limit: 5 });
    expect(items.map(({ message, state }) => [message.text, state])).toEqual([
      ["asparagus", { type: "interrupted", reason: "you asked for a new conversation" }],
    ]);
    const entries = await running.gateway.engine.sessions.history(SESSION, { limit: 20 });
    expect(JSON.stringify(entries)).toContain("Stopped what I was working on, and dropped 1 waiting message.");
    expect(await unsettled(running)).toEqual([]);
  });

  test("reports it to a client that waits on the socket, too", async () => {
    await using running = await start();
    using client = await TestClient.connect(running.gateway.url, running.token);
    const ask = async (message: string): Promise<unknown> =>
      client.call("agent", { message, sessionKey: SESSION, idempotencyKey: randomUUID() });
    expect(await ask("artichoke")).toMatchObject({ text: "Answer 0." });
    const gate = server.hold();
    const asparagus = ask("asparagus");
    await server.nextRequest();
    const reset = ask(command);
    expect(await asparagus).toMatchObject({ outcome: { type: "aborted" } });
    gate.open();
    expect(await reset).toMatchObject({
      text: acknowledged,
      notices: ["Stopped what I was working on."],
    });
    expect(await ask(command)).not.toHaveProperty("notices");
  });

  test("is no success for a message that it has dropped", async () => {
    await using running = await start();
    using client = await TestClient.connect(running.gateway.url, running.token);
    const ask = async (message: string): Promise<unknown> =>
      client.call("agent", { message, sessionKey: SESSION, idempotencyKey: randomUUID() });
    const gate = server.hold();
    const first = ask("artichoke");
    await server.nextRequest();
    const second = ask("asparagus");
    await expect.poll(() => running.gateway.engine.waitingJobs).toBe(1);
    const reset = ask(command);
    expect(await first).toMatchObject({ outcome: { type: "aborted" } });
    expect(await second).toMatchObject({ text: "", outcome: { type: "aborted", message: "you asked for a new conversation" } });
    gate.open();
    expect(await reset).toMatchObject({ outcome: { type: "done" } });
  });

  test("reports nothing if it has ended nothing", async () => {
    await using running = await start();
    await say(running, "asparagus");
    expect(await say(running, command)).toEqual([acknowledged]);
  });
});

test("a session whose newest run was stopped is listed as interrupted, until one has answered", async () => {
  await using running = await start();
  const list = async () => (await running.gateway.engine.sessions.list({})).sessions.map(({ interrupted }) => interrupted === true);
  const gate = server.hold();
  await platform.say(platform.message("asparagus"));
  await server.nextRequest();
  await platform.say(platform.message("/stop"));
  await running.gateway.engine.idle();
  gate.open();
  expect(await list()).toEqual([true]);
  await say(running, "broccoli");
  expect(await list()).toEqual([false]);
});

describe("/new MODEL", () => {
  test("starts a conversation with that model; /new keeps it, /new default returns", async () => {
    await using running = await start();
    await say(running, "remember 7711");
    const before = await session(running);
    expect(await say(running, "/new opus")).toEqual([NEW_WITH_OPUS]);
    const after = await session(running);
    expect(after?.sessionId).not.toBe(before?.sessionId);
    expect(after?.overrides).toEqual({ model: "anthropic/claude-opus-4-6" });
    await say(running, "kohlrabi");
    await say(running, "/reset");
    await say(running, "salsify");
    expect(await say(running, "/New DEFAULT")).toEqual(["This is a new conversation, with the configured model."]);
    expect((await session(running))?.overrides).toEqual({});
    await say(running, "parsnip");
    expect(asked()).toEqual(["claude-sonnet-5-5", "claude-opus-4-6", "claude-opus-4-6", "claude-sonnet-5-5"]);
    for (const index of [1, 2, 3]) expect(messagesOf(index)).not.toContain("7711");
    expect(messagesOf(3)).not.toContain("kohlrabi");
    expect(server.violations).toEqual([]);
    expect(await unsettled(running)).toEqual([]);
  });

  test("works before the first message, too", async () => {
    await using running = await start();
    expect(await say(running, "/new opus")).toEqual([NEW_WITH_OPUS]);
    expect(asked()).toEqual([]);
    expect(await say(running, "hello")).toEqual(["Answer 0."]);
    expect(asked()).toEqual(["claude-opus-4-6"]);
  });

  test("an unknown model is named, and changes nothing: running and waiting work continues", async () => {
    await using running = await start();
    const gate = server.hold();
    await platform.say(platform.message("asparagus"));
    await server.nextRequest();
    const before = await session(running);
    await platform.say(platform.message("broccoli"));
    await platform.say(platform.message("/new opsu"));
    await platform.say(platform.message("three"));
    gate.open();
    await running.gateway.engine.idle();
    const texts = platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
    expect(texts.filter((text) => text.startsWith("Answer"))).toEqual(["Answer 0.", "Answer 1.", "Answer 2."]);
    expect(texts.filter((text) => !text.startsWith("Answer"))).toMatchObject([expect.stringMatching(/opsu.*opus.*Nothing has changed/s)]);
    expect(messagesOf(2)).toMatch(/asparagus.*broccoli.*three/);
    expect(await session(running)).toMatchObject({ sessionId: before?.sessionId, overrides: {} });
    expect(await unsettled(running)).toEqual([]);
  });

  test("ends the run and drops waiting messages; text of the same batch after it belongs to the new conversation", async () => {
    await using running = await start();
    const gate = server.hold();
    await platform.say(platform.message("asparagus"));
    await server.nextRequest();
    await platform.say(platform.message("broccoli"));
    const saying = say(running, "/new opus", "three");
    // The run ended because it was stopped, not because it had answered.
    await server.nextRequest();
    gate.open();
    await saying;
    const texts = platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
    expect(texts).toHaveLength(3);
    expect(texts.slice(0, 2)).toEqual(["Stopped what I was working on, and dropped 1 waiting message.", NEW_WITH_OPUS]);
    expect(asked().slice(1)).toEqual(["claude-opus-4-6"]);
    expect(messagesOf(-1)).toContain("three");
    expect(messagesOf(-1)).not.toMatch(/asparagus|broccoli/);
    expect(await unsettled(running)).toEqual([]);
  });
});

describe("the reset prompt", () => {
  const PROMPT = "The user has started a new conversation.";

  test.each(["/new", "/reset", "/new opus"])(
    "precedes the first message after %s, once, also after a restart and commands",
    async (command) => {
      const first = await start();
      await say(first, "one");
      await say(first, command);
      await say(first, "/help");
      await first.stop();
      await using second = await start({ home: first.home });
      await say(second, "two");
      expect(messagesOf(-1)).toMatch(new RegExp(`${PROMPT}.*\\\\n\\\\ntwo`));
      await say(second, "three");
      expect(messagesOf(-1).split(PROMPT)).toHaveLength(2);
      expect(server.violations).toEqual([]);
    },
  );

  test("is not given without a reset by a person, nor after a reset by a client", async () => {
    await using running = await start();
    await say(running, "/help");
    await say(running, "one");
    await running.gateway.engine.sessions.reset(SESSION, { reason: "test" });
    await say(running, "two");
    expect(JSON.stringify(server.requests.map(({ body }) => body?.["messages"]))).not.toContain(PROMPT);
  });
});

test("an acknowledged reset is in the new conversation, with the typed text", async () => {
  await using running = await start();
  await say(running, "one");
  await say(running, "/new");
  const { entries } = await running.gateway.engine.sessions.history(SESSION, { limit: 20 });
  expect(entries).toMatchObject([
    { type: "user", text: "/new" },
    { type: "notice", text: NEW },
  ]);
});

test("with further text is a message", async () => {
  await using running = await start();
  await say(running, "one");
  const before = await session(running);
  await say(running, "/new ideas please");
  expect((await session(running))?.sessionId).toBe(before?.sessionId);
  expect(messagesOf(-1)).toContain("/new ideas please");
});
