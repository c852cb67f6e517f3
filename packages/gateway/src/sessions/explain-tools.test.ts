import type { AgentTool } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, type AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, withModel, type TestGateway } from "../../test/gateway-harness.ts";
import { explainTool, listTools } from "./explain-tools.ts";

let server: AnthropicServer;
beforeEach(async () => {
  server = await startAnthropicServer();
});
afterEach(() => server[Symbol.asyncDispose]());

const tool = (name: string): AgentTool => ({
  name,
  summary: `${name}.`,
  description: `Does ${name}.`,
  parameters: { type: "object", properties: {} },
  traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: false },
  execute: async () => ({ content: [{ type: "text", text: "ran" }] }),
});

type Tools = FactotumConfig["tools"];

async function start(change: (tools: Tools) => Partial<Tools> = () => ({}), names: readonly string[] = ["tts"]): Promise<TestGateway> {
  return startTestGateway({
    patch: (config: FactotumConfig) => {
      const base = withModel(server.baseUrl)(config);
      return { ...base, tools: { ...base.tools, ...change(base.tools) } };
    },
    toolSources: [{ id: "core", tools: names.map(tool) }],
  });
}

/** What is said of tools, by name. */
async function states({ gateway: { engine } }: TestGateway): Promise<Readonly<Record<string, string>>> {
  const { tools } = await listTools({}, { ...engine.parts, sessions: engine.sessions });
  return Object.fromEntries(tools.map(({ name, state, reason }) => [name, reason === undefined ? state : `${state}: ${reason}`]));
}

async function explain({ gateway: { engine } }: TestGateway, name: string): Promise<Awaited<ReturnType<typeof explainTool>>> {
  return explainTool({ tool: name }, { ...engine.parts, sessions: engine.sessions });
}

test("tools that are looked up are available, with the two that the model calls them through", async () => {
  await using running = await start();
  expect(await states(running)).toMatchObject({ tts: "available", tool_search: "available", tool_call: "available" });
  expect((await explain(running, "tool_search")).tool).toEqual({ name: "tool_search", state: "available" });
});

test("tools that are looked up are gone where the policy denies the search, with the rule", async () => {
  await using running = await start(() => ({ deny: ["tool_search"] }));
  const found = await states(running);
  expect(found["tts"]).toBe("removed: it is called through tool_call and tool_search; tools: deny has tool_search");
  expect(found).not.toHaveProperty("tool_search");
  expect((await explain(running, "tool_search")).tool).toMatchObject({ state: "removed", reason: "tools: deny has tool_search" });
});

test("without tools to look up there is no search, and a tool of a feature that is off names its switch", async () => {
  await using running = await start(() => ({}), []);
  expect(await states(running)).not.toHaveProperty("tool_search");
  expect((await explain(running, "tool_search")).tool).toMatchObject({
    state: "removed",
    reason: "no tool of the session has to be looked up",
  });
  expect((await explain(running, "browser")).tool).toMatchObject({ state: "missing", reason: "tools.browser.enabled is false" });
});

test.each(["full", "ask"] as const)("the layer exec says of commands that the mode is %s", async (mode) => {
  await using running = await start(({ exec }) => ({ exec: { ...exec, mode } }));
  const { rules } = await explain(running, "exec");
  expect(rules.find(({ layer }) => layer === "exec")).toMatchObject({ admits: true, by: "mode", entry: mode });
  const others = await explain(running, "read");
  expect(others.rules.find(({ layer }) => layer === "exec")).toMatchObject({ by: "nothing" });
});
