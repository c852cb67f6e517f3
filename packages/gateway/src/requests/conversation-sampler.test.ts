import type { AgentTool, ModelSampler, SamplingOutcome, ToolSource } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
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

const REQUEST = {
  systemPrompt: "You are a poet.",
  messages: [
    { role: "user", text: "A haiku" },
    { role: "assistant", text: "Hm." },
    { role: "user", text: "Go on" },
  ],
  maxOutputTokens: 50,
} as const;

/** A source whose tool has the model write, and remembers what came of it. */
function samplingSource(sampler: ModelSampler, outcomes: SamplingOutcome[]): ToolSource {
  const tool: AgentTool = {
    name: "write_poem",
    description: "Writes a poem.",
    summary: "write a poem",
    parameters: { type: "object", properties: {} },
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
    execute: async (_, { run, signal }) => {
      outcomes.push(await sampler.sample(REQUEST, { run, signal }));
      return { content: [{ type: "text", text: "It is written." }] };
    },
  };
  return { id: "poems", tools: [tool] };
}

interface Scene {
  readonly running: TestGateway;
  readonly outcomes: readonly SamplingOutcome[];
}

/** A turn whose tool has the model write. */
async function writes(patch: (config: FactotumConfig) => FactotumConfig = (config) => config): Promise<Scene> {
  const outcomes: SamplingOutcome[] = [];
  const running = await startTestGateway({
    platform,
    decides: () => "allow-once",
    patch: (config) => patch(withModel(server.baseUrl)(config)),
    toolSources: ({ sampler }) => [samplingSource(sampler, outcomes)],
  });
  server.script([toolReply({ name: "write_poem", input: {} }), textReply("Snow falls."), textReply("Done.")]);
  await platform.say(platform.message("please"));
  await running.gateway.engine.idle();
  return { running, outcomes };
}

test("the conversation's model writes without its history and tools, charged to the run", async () => {
  const { running, outcomes } = await writes();
  await using _running = running;
  expect(outcomes).toEqual([{ type: "written", text: "Snow falls.", model: "anthropic/claude-sonnet-5-5", isCut: false }]);
  const body = server.requests[1]?.body;
  expect(body?.["max_tokens"]).toBe(50);
  expect(JSON.stringify(body?.["system"])).toContain("You are a poet.");
  expect(JSON.stringify(body?.["messages"])).toMatch(/A haiku.*Hm\..*Go on/);
  expect(JSON.stringify(body?.["messages"])).not.toContain("please");
  expect(body?.["tools"] ?? []).toEqual([]);
  const day = running.gateway.engine.parts.running.agents.default.time.day(Date.now());
  expect((await running.store.readSpend(day, "main")).find(({ cause }) => cause === "user")?.calls).toBe(3);
});

test("over the cap of its cause nothing is written", async () => {
  const { running, outcomes } = await writes((config) => ({
    ...config,
    spend: { ...config.spend, perCause: { user: { tokensPerDay: 1 } } },
  }));
  await using _running = running;
  expect(outcomes).toMatchObject([{ type: "failed", message: expect.stringContaining("spend.perCause.user") as string }]);
  expect(JSON.stringify(server.requests.map(({ body }) => body?.["system"]))).not.toContain("You are a poet.");
});
