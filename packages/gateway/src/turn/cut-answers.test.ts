import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

const texts = (): string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
const EMPTY: AnthropicReply = { type: "message", content: [] };

async function say(running: TestGateway, text: string): Promise<void> {
  await platform.say(platform.message(text));
  await running.gateway.engine.idle();
}

async function notices(running: TestGateway): Promise<readonly string[]> {
  const { entries } = await running.gateway.engine.sessions.history("agent:main:main", { limit: 50 });
  return entries.flatMap((entry) => (entry.type === "notice" ? [`${entry.level}: ${entry.text}`] : []));
}

test("a truncated answer carries one notice, below its text and in the transcript", async () => {
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  server.script([{ ...textReply("Once upon a"), stopReason: "max_tokens" } as AnthropicReply, textReply("time.")]);
  await say(running, "a story");
  expect(texts()).toEqual([expect.stringMatching(/^Once upon a\n\n_The answer reached the limit of the model's output/)]);
  expect(await notices(running)).toEqual([expect.stringMatching(/^info: The answer reached the limit/)]);
  await say(running, "go on");
  expect(texts()[1]).toBe("time.");
});

test("an empty answer after tool calls is requested again, unless there was text with the calls", async () => {
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  server.script([toolReply({ name: "ls", input: { path: "." } }), EMPTY, textReply("Nothing there.")]);
  await say(running, "look");
  expect(texts()).toEqual(["Nothing there."]);
  const said: AnthropicReply = {
    type: "message",
    content: [
      { type: "text", text: "I look; it is empty." },
      { type: "tool_use", name: "ls", input: { path: "." } },
    ],
  };
  server.script([said, EMPTY]);
  await say(running, "look again");
  expect(texts()[1]).toBe("I look; it is empty.");
  expect(server.requests).toHaveLength(5);
});

test("a turn that ends without an answer fails", async () => {
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  server.script([EMPTY, EMPTY]);
  await say(running, "hello");
  expect(texts()).toEqual([expect.stringContaining("no answer, twice")]);
  const session = await running.store.readSession("agent:main:main");
  expect(await running.store.readLastTurn(session?.sessionId ?? "", { except: [] })).toMatchObject({
    state: "failed",
    failure: { code: "empty", message: expect.stringContaining("anthropic/") },
  });
});
