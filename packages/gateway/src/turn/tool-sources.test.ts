import type { AgentTool, ToolSource } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { defineTool } from "@factotum/tools";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

const tool = (name: string, summary = ""): AgentTool => ({
  ...defineTool({
    name: "any",
    summary,
    description: `Does ${name}.`,
    schema: z.strictObject({}),
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
    execute: async () => ({ content: [{ type: "text", text: `ran ${name}` }] }),
  }),
  name,
});

/** A source that learns its tools when it is asked to prepare. */
function lateSource(): ToolSource & { list: readonly AgentTool[]; readonly prepared: unknown[] } {
  const prepared: unknown[] = [];
  return {
    id: "mcp:late",
    prepared,
    list: [],
    problem: undefined,
    get tools() {
      return this.list;
    },
    async prepare({ signal: _signal, ...place }) {
      prepared.push(place);
      this.list = this.list.length > 0 ? this.list : [tool("mcp__late_one")];
    },
  };
}

async function say(running: TestGateway, text: string): Promise<void> {
  await platform.say(platform.message(text));
  await running.gateway.engine.idle();
}

const request = (index: number): string =>
  JSON.stringify([server.requests[index]?.body?.["system"], server.requests[index]?.body?.["tools"]]);

test("a source is prepared before the tools of a session are fixed, and a later change waits for the next session", async () => {
  const source = lateSource();
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), toolSources: [source] });
  server.script([
    textReply("Hello."),
    toolReply({ name: "mcp__late_one", input: {} }),
    textReply("Done."),
    textReply("New."),
    textReply("New."),
  ]);
  await say(running, "hi");
  expect(source.prepared).toEqual([{ agentId: "main", workspace: expect.any(String) }]);
  expect(request(0)).toContain("- mcp__late_one\\n");
  source.list = [tool("mcp__late_one"), tool("mcp__late_two", "Second tool.")];
  await say(running, "again");
  expect(request(1)).toBe(request(0));
  expect(JSON.stringify(server.requests[2]?.body?.["messages"])).toContain("ran mcp__late_one");
  await say(running, "/new");
  await say(running, "hi");
  expect(request(server.requests.length - 1)).toContain("- mcp__late_two: Second tool.");
});

test("a source that cannot be used is one line in the prompt, and a warning for the owner", async () => {
  const source: ToolSource = { id: "mcp:broken", tools: [], problem: "it has ended", prepare: async () => undefined };
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), toolSources: [source] });
  server.script([textReply("Hello.")]);
  await say(running, "hi");
  expect(request(0)).toContain("Not usable when this was written: mcp:broken.");
  expect(request(0)).not.toContain("it has ended");
});

const withTools =
  (tools: Partial<FactotumConfig["tools"]>) =>
  (config: FactotumConfig): FactotumConfig => {
    const patched = withModel(server.baseUrl)(config);
    return { ...patched, tools: { ...patched.tools, ...tools } };
  };

test("a source whose tools the policy removes in any case is not prepared", async () => {
  const policies = [
    { deny: ["group:mcp"], expected: 0 },
    { deny: ["mcp__late_*"], expected: 0 },
    { allow: ["read"], expected: 0 },
    { profile: ["minimal"], expected: 0 },
    { profile: ["coding"], expected: 1 },
    { allow: ["read", "mcp__late_one"], expected: 1 },
    { deny: ["mcp__late_two"], expected: 1 },
    { allow: ["mcp__*one"], expected: 1 },
  ];
  for (const { expected, ...tools } of policies) {
    const source = { ...lateSource(), namePrefix: "mcp__late_" };
    await using running = await startTestGateway({ platform, patch: withTools(tools), toolSources: [source] });
    server.script([textReply("Hello.")]);
    await say(running, "hi");
    expect({ tools, prepared: source.prepared.length }).toEqual({ tools, prepared: expected });
  }
});
