import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const KEY = "sk-ant-a-key-that-nobody-may-read";
const REFUSED: AnthropicReply = { type: "error", errorType: "authentication_error", message: `invalid x-api-key ${KEY}` };
const GENERAL = "The key for the model's provider is missing or not valid. A valid one must be set. Then send the message again.";
const REASON =
  /^anthropic refused the key in models\.providers\.anthropic\.apiKey for claude-sonnet-5-5 \(401\): invalid x-api-key \[redacted\]\. Set a valid one with "factotum auth set anthropic"\. Then send/;

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

function patch(config: FactotumConfig): FactotumConfig {
  const base = withModel(server.baseUrl)(config);
  const anthropic = base.models.providers["anthropic"];
  if (anthropic === undefined) throw new Error("the test's provider is not there");
  const providers = { ...base.models.providers, anthropic: { ...anthropic, apiKey: { type: "literal" as const, value: KEY } } };
  return { ...base, models: { ...base.models, providers } };
}

const start = async (): Promise<TestGateway> =>
  startTestGateway({
    platform,
    patch,
    accountConfig: { dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open" },
  });

/** Sends a message and returns the texts that the chat receives. */
async function say(running: TestGateway, extra: Parameters<TestPlatform["message"]>[1]): Promise<string> {
  await platform.say(platform.message("hello", extra));
  await running.gateway.engine.idle();
  const last = platform.sent.at(-1)?.outbound;
  return last?.type === "text" ? last.text : "";
}

const GROUP = {
  origin: { channel: "test", accountId: "default", conversation: { kind: "group", id: "g-1" } },
  mentionsBot: true,
} as const;
const STRANGER = {
  origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-2" } },
  sender: { id: "stranger-1", name: "Sam", isBot: false },
} as const;

test("the owner gets the reason of a failure in a direct chat; others and groups get a generic sentence", async () => {
  server.respond(() => REFUSED);
  await using running = await start();
  expect(await say(running, {})).toMatch(REASON);
  expect(await say(running, STRANGER)).toBe(GENERAL);
  expect(await say(running, GROUP)).toBe(GENERAL);
  expect(JSON.stringify(platform.sent)).not.toContain(KEY);
});

test("a failure in a group is detailed in its transcript, the status and the warnings until a run succeeds", async () => {
  server.script([REFUSED, textReply("Here.")]);
  await using running = await start();
  const events: string[] = [];
  const group = "agent:main:test:group:g-1";
  using _watch = running.gateway.engine.parts.events.subscribe(group, (event) => {
    if (event.type === "run-end") events.push(event.outcome.message ?? "");
  });
  expect(await say(running, GROUP)).toBe(GENERAL);
  const { entries } = await running.gateway.engine.sessions.history(group, { limit: 10 });
  expect(entries.at(-1)).toMatchObject({ type: "notice", level: "error", text: expect.stringMatching(REASON) });
  expect(events).toEqual([expect.stringMatching(REASON)]);
  const failed = await running.gateway.status();
  expect(failed.agents[0]?.lastFailure?.text).toMatch(REASON);
  expect(running.gateway.engine.parts.failedRuns.list()).toMatchObject([{ agentId: "main", sessionKey: group, needsOwner: true }]);
  await say(running, GROUP);
  expect((await running.gateway.status()).agents[0]).not.toHaveProperty("lastFailure");
});

test("the status names the newest failure, also one limited to its conversation, until a run succeeds", async () => {
  const rejected: AnthropicReply = { type: "error", errorType: "invalid_request_error", message: "messages: not like this" };
  server.script([REFUSED]);
  await using running = await start();
  const { failedRuns } = running.gateway.engine.parts;
  await say(running, {});
  expect(failedRuns.list()).toMatchObject([{ text: expect.stringMatching(REASON) }]);
  server.respond(() => rejected);
  await say(running, {});
  expect((await running.gateway.status()).agents[0]?.lastFailure?.text).toContain("not like this");
  expect(failedRuns.list()).toEqual([]);
  server.respond(() => textReply("Here."));
  await say(running, {});
  expect((await running.gateway.status()).agents[0]).not.toHaveProperty("lastFailure");
});

test("a former owner gets no details of the installation, even of a run that started before the change", async () => {
  const gate = server.hold();
  server.respond(() => REFUSED);
  await using running = await start();
  await platform.say(platform.message("hello"));
  await server.nextRequest();
  const { engine } = running.gateway;
  const { config } = engine.parts.running;
  // The owner list changes while the model thinks.
  await running.gateway.reload(running.settings({ ...config, commands: { ...config.commands, ownerAllowFrom: ["test:other"] } }));
  gate.open();
  await engine.idle();
  expect(platform.sent.at(-1)?.outbound).toMatchObject({ text: GENERAL });
});
