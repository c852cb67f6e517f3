import type { AgentTool, Logger } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { collectTools } from "./tool-sources.ts";

const tool = (name: string, summary = name): AgentTool => ({ name, summary }) as AgentTool;

test("tools of all sources are offered, each name once, with their source", () => {
  const warnings: unknown[] = [];
  const logger = { warn: (_: string, facts: unknown) => warnings.push(facts) } as unknown as Logger;
  const { tools, originOf } = collectTools(
    [
      { id: "core", tools: [tool("read"), tool("write")] },
      { id: "weather", tools: [tool("forecast"), tool("read", "another one")] },
    ],
    { logger },
  );
  expect(tools.map(({ name, summary }) => [name, summary])).toEqual([
    ["read", "read"],
    ["write", "write"],
    ["forecast", "forecast"],
  ]);
  expect(["read", "forecast"].map(originOf)).toEqual(["core", "plugin"]);
  expect(warnings).toEqual([{ tool: "read", source: "weather", kept: "core" }]);
});

test("tools of a source that provides another list are collected again, and otherwise only once", () => {
  let tools = [tool("one")];
  const source = {
    id: "mcp:list",
    get tools(): readonly AgentTool[] {
      return tools;
    },
  };
  const collected = collectTools([{ id: "core", tools: [tool("read")] }, source], { logger: {} as Logger });
  const before = collected.tools;
  expect(collected.tools).toBe(before);
  tools = [tool("two")];
  expect(collected.tools.map(({ name }) => name)).toEqual(["read", "two"]);
  expect(collected.sourceOf("two")).toBe("mcp:list");
  expect(collected.sourceOf("one")).toBe("core");
  expect(before.map(({ name }) => name)).toEqual(["read", "one"]);
});
