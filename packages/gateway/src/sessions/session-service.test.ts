import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withMethods, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

const KEY = "agent:main:main";

test("concurrent resets during a run all resolve, and the session is idle afterwards", async () => {
  await using model = await startAnthropicServer();
  model.respond(() => textReply("Yes."));
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: withModel(model.baseUrl) });
  const { sessions } = running.gateway.engine;
  const gate = model.hold();
  await platform.say(platform.message("hello"));
  await model.nextRequest();
  const resets = await Promise.all([1, 2, 3].map(async (n) => sessions.reset(KEY, { reason: `reset ${n}` })));
  gate.open();
  expect(new Set(resets.map(({ sessionId }) => sessionId)).size).toBe(3);
  expect(resets.map((record) => sessions.summary(record).running)).toEqual([false, false, false]);
});

test("a message behind a reset that is being decided on belongs to the new conversation", async () => {
  await using model = await startAnthropicServer();
  model.respond(() => textReply("Yes."));
  const platform = new TestPlatform();
  const read = Promise.withResolvers<void>();
  let isHeld = false;
  await using running = await startTestGateway({
    platform,
    patch: withModel(model.baseUrl),
    around: withMethods((store) => ({
      listApprovals: async (states) => {
        if (isHeld) await read.promise;
        return store.listApprovals(states);
      },
    })),
  });
  const { engine } = running.gateway;
  const gate = model.hold();
  await platform.say(platform.message("hello"));
  await model.nextRequest();
  isHeld = true;
  const reset = engine.sessions.reset(KEY, { reason: "reset" });
  await platform.say(platform.message("later"));
  read.resolve();
  gate.open();
  await reset;
  await engine.idle();
  const answered = (await running.store.listInputs({ state: "answered", limit: 10 })).items;
  expect(answered.map(({ message }) => message.text)).toEqual(["later"]);
});

describe("the target of a message", () => {
  const others = (config: FactotumConfig): FactotumConfig => {
    const [main] = config.agents;
    return main === undefined ? config : { ...config, agents: [main, { ...main, id: "two", isDefault: false }] };
  };

  test("refuses an agent that is not configured, by name and in a key", async () => {
    await using running = await startTestGateway({ patch: others });
    const { sessions } = running.gateway.engine;
    expect(await sessions.resolveTarget({})).toBe(KEY);
    expect(await sessions.resolveTarget({ agentId: "TWO" })).toBe("agent:two:main");
    expect(await sessions.resolveTarget({ agentId: "two", sessionKey: "agent:two:http:x" })).toBe("agent:two:http:x");
    await expect(sessions.resolveTarget({ agentId: "ghost" })).rejects.toThrow("Configured: main, two");
    await expect(sessions.resolveTarget({ sessionKey: "agent:ghost:main" })).rejects.toThrow("Configured: main, two");
    await expect(sessions.resolveTarget({ agentId: "two", sessionKey: KEY })).rejects.toThrow("the agent main's");
    await expect(sessions.resolveTarget({ sessionKey: "junk" })).rejects.toThrow("agent:main:main");
    const answer = await fetch(`${running.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${running.token}`, "x-factotum-session": "agent:ghost:main" },
      body: JSON.stringify({ model: "factotum", messages: [{ role: "user", content: "hello" }] }),
    });
    expect(answer.status).toBe(404);
  });
});

describe("a stop by a client of the gateway", () => {
  const elsewhere = { origin: { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id: "dm-2" } } };

  const toldOn = (platform: TestPlatform): string[] =>
    platform.sent.map(({ target, outbound }) => `${target.conversation.id}: ${outbound.type === "text" ? outbound.text : ""}`);

  async function settledStates(running: TestGateway): Promise<Record<string, string>> {
    const pages = await Promise.all(
      (["waiting", "claimed", "answered", "interrupted", "told"] as const).map(async (state) => ({
        state,
        page: await running.store.listInputs({ state, limit: 10 }),
      })),
    );
    return Object.fromEntries(pages.flatMap(({ state, page }) => page.items.map(({ message }) => [message.text, state])));
  }

  test.each(["chat.abort", "sessions.reset", "sessions.delete"] as const)(
    "%s notifies every channel sender whose message gets no answer",
    async (method) => {
      await using model = await startAnthropicServer();
      model.respond(() => textReply("Yes."));
      const platform = new TestPlatform();
      await using running = await startTestGateway({ platform, patch: withModel(model.baseUrl) });
      using client = await TestClient.connect(running.gateway.url, running.token);
      const gate = model.hold();
      await platform.say(platform.message("one"));
      await model.nextRequest();
      await platform.say(platform.message("two", elsewhere));
      await (method === "chat.abort" ? client.call(method, { sessionKey: KEY, queued: true }) : client.call(method, { key: KEY }));
      gate.open();
      await running.gateway.engine.idle();
      expect(toldOn(platform).toSorted()).toEqual([
        "dm-1: The work on this message was stopped.",
        "dm-2: This message was dropped: somebody stopped the work here and what waited for it.",
      ]);
      expect(await settledStates(running)).toEqual({ one: "interrupted", two: "told" });
    },
  );

  test("a client's own stopped messages stay in the conversation without sending anything", async () => {
    await using model = await startAnthropicServer();
    model.respond(() => textReply("Yes."));
    const platform = new TestPlatform("session-key");
    await using running = await startTestGateway({ platform, patch: withModel(model.baseUrl) });
    const { sessions } = running.gateway.engine;
    const here = { origin: { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id: KEY } } };
    const gate = model.hold();
    await platform.say(platform.message("one", here));
    await model.nextRequest();
    await platform.say(platform.message("two", here));
    expect(await sessions.stopper.stop(KEY, { queued: true, reason: "you asked me to stop" })).toEqual({
      aborted: true,
      dropped: 1,
      commands: 0,
      requests: 0,
      subagents: 0,
      results: [],
    });
    gate.open();
    await running.gateway.engine.idle();
    const { entries } = await sessions.history(KEY, { limit: 10 });
    expect(entries.flatMap((entry) => (entry.type === "user" || entry.type === "notice" ? [[entry.type, entry.text]] : []))).toEqual([
      ["user", "one"],
      ["user", "two"],
      ["notice", "Not begun: you asked me to stop."],
      ["notice", "Stopped: you asked me to stop."],
    ]);
    expect(platform.sent).toEqual([]);
    expect(await settledStates(running)).toEqual({ one: "interrupted", two: "told" });
  });

  test("/stop in another conversation of the session notifies the run's sender; in the same conversation its answer is enough", async () => {
    await using model = await startAnthropicServer();
    model.respond(() => textReply("Yes."));
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: withModel(model.baseUrl) });
    for (const stopping of [{}, elsewhere]) {
      const gate = model.hold();
      await platform.say(platform.message("one"));
      await model.nextRequest();
      await platform.say(platform.message("/stop", stopping));
      gate.open();
      await running.gateway.engine.idle();
    }
    const [first, ...rest] = toldOn(platform);
    expect(first).toBe("dm-1: Stopped what I was working on.");
    expect(rest.toSorted()).toEqual(["dm-1: The work on this message was stopped.", "dm-2: Stopped what I was working on."]);
  });
});
