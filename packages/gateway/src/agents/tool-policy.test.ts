import type { AgentTool } from "@factotum/agent-contract";
import { createCoreTools } from "@factotum/tools";
import { describe, expect, test } from "vitest";
import { execLayer, filterTools, toolVerdicts } from "./tool-policy.ts";
import type { NamedToolLayer, ToolPolicyLayer } from "./tool-policy.ts";

const tools: readonly AgentTool[] = ["edit", "exec", "ls", "mcp__git_log", "message", "read", "session_status", "write"].map((name) => ({
  name,
  summary: name,
  description: name,
  parameters: { type: "object" },
  traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
  execute: async () => ({ content: [] }),
}));
const named = (policy: ToolPolicyLayer): NamedToolLayer => ({ layer: "global", key: "tools", policy });
const admitsTool = (policy: ToolPolicyLayer, name: string): boolean => toolVerdicts([named(policy)], name).every(({ admits }) => admits);
const names = (...layers: readonly Partial<ToolPolicyLayer>[]): string[] =>
  filterTools(
    tools,
    layers.map((layer) => named({ deny: [], ...layer })),
  ).tools.map((tool) => tool.name);

const core = createCoreTools({} as Parameters<typeof createCoreTools>[0]).map(({ name }) => name);

/** Core tools that no profile but `full` has, on purpose. */
const ONLY_FULL: readonly string[] = ["gateway"];

test("every core tool belongs to a profile, or is listed here", () => {
  const profile = ["minimal", "coding", "messaging"];
  expect(core.filter((name) => !admitsTool({ profile, deny: [] }, name))).toEqual(ONLY_FULL);
});

test("the profiles that setup writes have jobs and memory", () => {
  const setup = { profile: ["coding", "messaging"], deny: [] };
  expect(["cron", "memory_search", "memory_get"].filter((name) => !admitsTool(setup, name))).toEqual([]);
});

/** Core tools that belong to no group, on purpose: they only talk to the user. */
const UNGROUPED: readonly string[] = ["ask_user", "update_plan"];

test("every other core tool belongs to a group, so that a list of groups covers it", () => {
  expect(core.length).toBeGreaterThan(7);
  expect(
    core.filter(
      (name) =>
        !admitsTool(
          {
            allow: ["group:runtime", "group:fs", "group:web", "group:messaging", "group:sessions", "group:agents", "group:automation"],
            deny: [],
          },
          name,
        ),
    ),
  ).toEqual(UNGROUPED);
});

describe("tools left by tools.exec", () => {
  const layerNames = (mode: "deny" | "allowlist" | "ask" | "full", applyPatch: boolean): string[] =>
    ["apply_patch", "exec", "process", "read"].filter((name) => admitsTool(execLayer({ mode, applyPatch }), name));

  test("no commands with deny, all in every other mode", () => {
    for (const mode of ["full", "ask", "allowlist"] as const)
      expect(layerNames(mode, true)).toEqual(["apply_patch", "exec", "process", "read"]);
    expect(layerNames("deny", true)).toEqual(["apply_patch", "read"]);
  });

  test("no apply_patch with applyPatch: false", () => {
    expect(layerNames("full", false)).toEqual(["exec", "process", "read"]);
  });
});

describe("tools of an agent", () => {
  test("full is everything, minimal nearly nothing, several profiles their union", () => {
    expect(names({ profile: ["full"] })).toHaveLength(8);
    expect(names({ profile: ["minimal"] })).toEqual(["session_status"]);
    expect(names({ profile: ["coding", "messaging"] })).toEqual(tools.map(({ name }) => name));
    expect(names({ profile: ["coding"] })).not.toContain("message");
    expect(names({ profile: ["messaging"] })).toEqual(["mcp__git_log", "message", "session_status"]);
  });

  test("allow replaces the profile: none, some or everything", () => {
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

  test.each([
    ["group:runtime", ["exec"]],
    ["group:fs", ["edit", "ls", "read", "write"]],
    ["GROUP:Messaging", ["message"]],
    ["group:sessions", ["session_status"]],
    ["group:openclaw", ["edit", "exec", "ls", "message", "read", "session_status", "write"]],
    ["group:plugins", ["mcp__git_log"]],
    ["group:mcp", ["mcp__git_log"]],
    ["group:lsp", []],
    ["group:nothing", []],
  ])("%s stands for its tools in allow and in deny lists", (entry, members) => {
    expect(names({ allow: [entry] })).toEqual(members);
    expect(names({ deny: [entry] })).toEqual(tools.map(({ name }) => name).filter((name) => !members.includes(name)));
  });

  test("names and groups that match no tool are reported", () => {
    expect(filterTools(tools, [named({ allow: ["read", "browser", "mcp__*", "group:fs", "group:ui"], deny: [] })]).missing).toEqual([
      "browser",
      "group:ui",
    ]);
  });
});
