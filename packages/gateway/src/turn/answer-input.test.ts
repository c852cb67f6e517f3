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

test("an answer without a turn is found by its input in the log, when another process sends it too", async () => {
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

describe("where the send policy denies", () => {
  const denying = (config: FactotumConfig): FactotumConfig => ({
    ...config,
    session: { ...config.session, sendPolicy: { ...config.session.sendPolicy, default: "deny" } },
    messages: { ...config.messages, queue: { ...config.messages.queue, cap: 1, drop: "new" } },
  });

  async function stateOf(running: TestGateway, text: string): Promise<string | undefined> {
    for (const state of ["waiting", "claimed", "answered", "interrupted", "told", "suppressed", "command"] as const) {
      const { items } = await running.store.listInputs({ state, limit: 10 });
      if (items.some(({ message }) => message.text === text)) return state;
    }
    return undefined;
  }

  test("a turn that cannot begin says nothing, and the input says why nothing came", async () => {
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

  test("neither a failed run nor a message that there is no room for is told of; a command is answered", async () => {
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
});
