import type { AgentTool } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import { filterTools } from "./tool-policy.ts";
import type { ToolPolicyLayer } from "./tool-policy.ts";

const tools: readonly AgentTool[] = ["edit", "exec", "ls", "mcp__git_log", "message", "read", "session_status", "write"].map((name) => ({
  name,
  summary: name,
  description: name,
  parameters: { type: "object" },
  traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
  execute: async () => ({ content: [] }),
}));
const names = (...layers: readonly Partial<ToolPolicyLayer>[]): string[] =>
  filterTools(
    tools,
    layers.map((layer) => ({ deny: [], ...layer })),
  ).tools.map((tool) => tool.name);

describe("which tools an agent has", () => {
  test("full is everything, minimal nearly nothing, several profiles their union", () => {
    expect(names({ profile: ["full"] })).toHaveLength(8);
    expect(names({ profile: ["minimal"] })).toEqual(["session_status"]);
    expect(names({ profile: ["coding", "messaging"] })).toEqual(["edit", "exec", "ls", "message", "read", "session_status", "write"]);
    expect(names({ profile: ["messaging"] })).toEqual(["message", "session_status"]);
  });

  test("allow stands in place of the profile: none, some or everything", () => {
    expect(names({ profile: ["minimal"], allow: ["read", "ls"] })).toEqual(["ls", "read"]);
    expect(names({ profile: ["full"], allow: [] })).toEqual([]);
    expect(names({ profile: ["minimal"], allow: ["*"] })).toHaveLength(8);
    expect(names({ allow: ["mcp__*"] })).toEqual(["mcp__git_log"]);
  });

  test("layers only narrow, and deny wins", () => {
    expect(names({ profile: ["minimal"] }, { allow: ["*"] })).toEqual(["session_status"]);
    expect(names({ allow: ["read", "exec"] }, { deny: ["EXEC"] })).toEqual(["read"]);
    expect(names({ allow: ["exec"], deny: ["*"] })).toEqual([]);
  });

  test("names that nothing provides are told", () => {
    expect(filterTools(tools, [{ allow: ["read", "browser", "mcp__*"], deny: [] }]).missing).toEqual(["browser"]);
  });
});
