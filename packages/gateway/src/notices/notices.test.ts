import { messageId } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

test("the answers of two installations to two events are two sends for the platform", async () => {
  const keys: (string | undefined)[] = [];
  for (const eventId of ["event-a", "event-b"]) {
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform });
    await platform.say(platform.message("/help", { eventId }));
    await platform.waitForSends(1);
    keys.push(platform.sent[0]?.idempotencyKey);
    await running.gateway.engine.idle();
  }
  expect(keys[0]).not.toBe(keys[1]);
});

test("no answer is longer than the account allows", async () => {
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, accountConfig: { textChunkLimit: 100 } });
  await platform.say(platform.message("/help"));
  await running.gateway.engine.idle();
  const lengths = platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text.length : 0));
  expect(lengths.length).toBeGreaterThan(1);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(100);
});

test("an answer without a turn has its input's id in the log, also if another process sends it", async () => {
  const platform = new TestPlatform();
  const tried = Promise.withResolvers<void>();
  platform.answer = () => {
    tried.resolve();
    return { type: "rejected", code: "unreachable", retry: { type: "backoff" } };
  };
  const first = await startTestGateway({ platform });
  await platform.say(platform.message("/help"));
  const named = (lines: readonly string[], message: string): unknown[] =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line["message"] === message);
  await tried.promise;
  await first.stop();
  const [accepted] = named(first.logger.lines, "Input accepted") as { readonly inputId: string }[];
  expect(accepted?.inputId).toMatch(/./);
  expect(named(first.logger.lines, "A message was not accepted")).toMatchObject([{ inputIds: [accepted?.inputId] }]);
  platform.answer = () => undefined;
  await using second = await startTestGateway({ platform, home: first.home });
  await platform.waitForSends(1);
  await second.gateway.engine.idle();
  expect(named(second.logger.lines, "Message delivered")).toMatchObject([{ inputIds: [accepted?.inputId], outboxId: expect.any(String) }]);
});

describe("with a send policy that denies", () => {
  const denying = (config: FactotumConfig): FactotumConfig => ({
    ...config,
    session: { ...config.session, sendPolicy: { ...config.session.sendPolicy, default: "deny" } },
    messages: { ...config.messages, queue: { ...config.messages.queue, cap: 1, drop: "new" } },
  });

  async function stateOf(running: TestGateway, text: string): Promise<string | undefined> {
    for (const state of ["waiting", "claimed", "answered", "interrupted", "told", "silent", "suppressed", "command"] as const) {
      const { items } = await running.store.listInputs({ state, limit: 10 });
      if (items.some(({ message }) => message.text === text)) return state;
    }
    return undefined;
  }

  test("a turn that cannot start sends nothing, and the input records why", async () => {
    const platform = new TestPlatform();
    const unknownModel = (config: FactotumConfig): FactotumConfig => ({
      ...denying(config),
      agents: config.agents.map((agent) => ({ ...agent, model: { primary: "nowhere/none", fallbacks: [] } })),
    });
    await using running = await startTestGateway({ platform, patch: unknownModel });
    await platform.say(platform.message("hello"));
    await running.gateway.engine.idle();
    expect(platform.sent).toEqual([]);
    expect(await stateOf(running, "hello")).toBe("suppressed");
  });

  test("neither a failed run nor a message without disk space is reported; a command is answered", async () => {
    await using model = await startAnthropicServer();
    model.respond(() => textReply(""));
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: (config) => denying(withModel(model.baseUrl)(config)) });
    const gate = model.hold();
    await platform.say(platform.message("one"));
    await model.nextRequest();
    await platform.say(platform.message("two"));
    await platform.say(platform.message("three"));
    gate.open();
    await running.gateway.engine.idle();
    expect(platform.sent).toEqual([]);
    expect(await Promise.all(["one", "two", "three"].map((text) => stateOf(running, text)))).toEqual(Array(3).fill("suppressed"));
    await platform.say(platform.message("/send"));
    await running.gateway.engine.idle();
    expect(platform.sent).toHaveLength(1);
    expect(await stateOf(running, "/send")).toBe("command");
  });

  test("an answer is suppressed; silence stays silence, and a stopped turn stays stopped", async () => {
    await using model = await startAnthropicServer();
    model.script([textReply("Yes."), textReply("NO_REPLY"), textReply("Too late.")]);
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: (config) => denying(withModel(model.baseUrl)(config)) });
    for (const text of ["one", "two"]) {
      await platform.say(platform.message(text));
      await running.gateway.engine.idle();
    }
    const gate = model.hold();
    await platform.say(platform.message("three"));
    await model.nextRequest();
    await platform.say(platform.message("/stop"));
    gate.open();
    await running.gateway.engine.idle();
    expect(await Promise.all(["one", "two", "three"].map((text) => stateOf(running, text)))).toEqual([
      "suppressed",
      "silent",
      "interrupted",
    ]);
  });
});

describe("in the gateway's own chat", () => {
  const KEY = "agent:main:main";
  const here = { origin: { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id: KEY } } };

  const shown = async (running: TestGateway): Promise<readonly (readonly string[])[]> => {
    const { entries } = await running.gateway.engine.sessions.history(KEY, { limit: 50 });
    return entries.map((entry) => [entry.type, "text" in entry ? (entry.text.split("\n")[0] ?? "") : ""]);
  };

  test("a command and its answer are in the transcript, also as the first entries, but not in the model's history", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Yes."));
    const platform = new TestPlatform("session-key");
    const patch = withModel(server.baseUrl);
    const first = await startTestGateway({ platform, patch });
    for (const text of ["/help", "hello", "/status"]) {
      await platform.say(platform.message(text, here));
      await first.gateway.engine.idle();
    }
    await first.stop();
    await using second = await startTestGateway({ platform, home: first.home, patch });
    await platform.say(platform.message("and now?", { ...here, eventId: "later", messageId: messageId("later") }));
    await second.gateway.engine.idle();
    expect(await shown(second)).toEqual([
      ["user", "/help"],
      ["notice", expect.stringContaining("/new: ")],
      ["user", "hello"],
      ["assistant", "Yes."],
      ["user", "/status"],
      ["notice", expect.any(String)],
      ["user", "and now?"],
      ["assistant", "Yes."],
    ]);
    const given = JSON.stringify(server.requests.at(-1)?.body?.["messages"]);
    expect(given).toMatch(/hello.*and now/);
    expect(given).not.toMatch(/\/help|\/status|\/new/);
  });

  test("a message stopped or dropped before its turn is in the transcript with a notice, also before there is a session", async () => {
    await using server = await startAnthropicServer();
    const platform = new TestPlatform("session-key");
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    const fetching = Promise.withResolvers<void>();
    const attachment = platform.attachment(async ({ signal }) => {
      fetching.resolve();
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("gone")), { once: true }));
    });
    await platform.say(platform.message("one", { ...here, attachments: [attachment] }));
    await fetching.promise;
    await platform.say(platform.message("two", here));
    expect(await running.store.readSession(KEY)).toBeUndefined();
    await running.gateway.engine.sessions.stopper.stop(KEY, { queued: true, reason: "you asked me to stop" });
    await running.gateway.engine.idle();
    const entries = await shown(running);
    expect(entries).toHaveLength(4);
    expect(entries).toEqual(
      expect.arrayContaining([
        ["user", "one"],
        ["user", "two"],
        ["notice", "Not begun: you asked me to stop."],
      ]),
    );
    for (const [state, text] of [
      ["interrupted", "one"],
      ["told", "two"],
    ] as const) {
      const { items } = await running.store.listInputs({ state, limit: 9 });
      expect(items.map(({ message }) => message.text)).toEqual([text]);
    }
    expect(platform.sent).toEqual([]);
  });
});
