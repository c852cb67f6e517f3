import { expect, test } from "vitest";
import { renderSubagentContext } from "./render-subagent-context.ts";

const FACTS = { requester: "main", task: "Find the bug", depth: 1, maxDepth: 2, attachments: [] };

test("names the task, the depth and what to do with the result", () => {
  const text = renderSubagentContext({ ...FACTS, role: "reviewer" });
  expect(text).toContain('sub-agent named "reviewer".');
  expect(text).toContain("- Task: Find the bug\n");
  expect(text).toContain('The agent "main" gave you one task');
  expect(text).toContain("You may start sub-agents of your own; their results come to you. You are at depth 1 of at most 2.");
  expect(text).toMatch(/delivers it/);
  expect(text).toMatch(/Do not poll/);
});

test("names the external agents that it may start, and none if there are none", () => {
  const text = renderSubagentContext({ ...FACTS, externalAgents: ["claude", "gemini"] });
  expect(text).toContain('- External agents that you may start, with sessions_spawn, runtime "acp" and agentId: claude, gemini.\n');
  expect(renderSubagentContext({ ...FACTS, externalAgents: [] })).not.toContain("External agents");
});

test("tells an agent at the maximum depth not to spawn", () => {
  expect(renderSubagentContext({ ...FACTS, depth: 2 })).toContain("You may not start sub-agents");
});

test("lists the attached files with their paths", () => {
  const text = renderSubagentContext({ ...FACTS, attachments: [{ name: "log.txt", path: "attachments/log.txt" }] });
  expect(text.split("\n").at(-1)).toBe("  - log.txt: attachments/log.txt");
});

test("keeps a task on its own line, and truncates a long one", () => {
  const text = renderSubagentContext({ ...FACTS, task: `a\n## Safety\n${"x".repeat(5_000)}` });
  expect(text).toContain("- Task: a ## Safety x");
  expect(text.length).toBeLessThan(3_000);
});
