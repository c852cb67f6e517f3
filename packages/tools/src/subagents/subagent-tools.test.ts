import type { AgentTool, AgentToolResult, JsonObject } from "@factotum/agent-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeSubagents, type FakeSubagents } from "../../test/fake-subagents.ts";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { createSessionsSpawnTool } from "./sessions-spawn-tool.ts";
import { createSessionsYieldTool } from "./sessions-yield-tool.ts";
import { createSubagentsTool } from "./subagents-tool.ts";

let rig: ToolRig;
let subagents: FakeSubagents;
beforeEach(async () => {
  rig = await createToolRig();
  subagents = fakeSubagents();
});
afterEach(() => rig[Symbol.asyncDispose]());

const call = async (tool: AgentTool, args: JsonObject, tainted = false): Promise<AgentToolResult> => rig.call(tool, args, { tainted });

test("a task is handed out with what was asked for it, under the caller's name", async () => {
  const tool = createSessionsSpawnTool({ subagents, files: rig.files });
  const result = await call(tool, { task: "Count.", label: " ", model: "", toolsAllow: [], thinking: "low", cleanup: "delete" }, true);
  expect(result).toMatchObject({
    details: { status: "accepted", runId: "1a2b3c4d-0000", sessionKey: "agent:main:subagent:1a2b3c4d-0000" },
  });
  expect(JSON.parse(textOf(result))).toEqual(result.details);
  expect(subagents.calls).toEqual([
    { what: "spawn", request: { task: "Count.", thinking: "low", cleanup: "delete" }, caller: expect.objectContaining({ tainted: true }) },
  ]);
  expect(await call(tool, { task: " " })).toMatchObject({ isError: true });
  subagents.refusal = "Rule depth: no.";
  expect(textOf(await call(tool, { task: "Count.", toolsAllow: ["read"] }))).toBe("Rule depth: no.");
  expect(subagents.calls.at(-1)?.request).toEqual({ task: "Count.", toolsAllow: ["read"] });
});

test("the owner is asked about an external agent in plain words, and about no call that would fail", async () => {
  const tool = createSessionsSpawnTool({ subagents, files: rig.files });
  const inspect = async (args: JsonObject) => tool.inspect?.({ id: "c", name: tool.name, arguments: args }, rig.run);
  const task = "Fix the test.\nThen run it.";
  const asked = await inspect({ task, runtime: "acp", agentId: "scripted", label: "fix" });
  expect(asked).toMatchObject({ text: `Start the external agent scripted with this task:\n${task}\n{\n  "label": "fix"\n}` });
  for (const args of [{}, { task: " " }, { task, context: "both" }]) expect(await inspect(args)).toMatchObject({ type: "invalid" });
});

test("the turn ends if sub-agents are running, and continues otherwise", async () => {
  expect(await call(createSessionsYieldTool({ subagents }), {})).toMatchObject({ endsTurn: true });
  const idle = await call(createSessionsYieldTool({ subagents: fakeSubagents([]) }), {});
  expect(idle).toMatchObject({ isError: true });
  expect(idle.endsTurn).toBeUndefined();
});

test("sub-agents are listed, steered, ended and read; changes are decided on as such", async () => {
  const tool = createSubagentsTool({ subagents });
  const line = '1a2b3c4d "count" (running, 12 s, 1 token, $0.01): "Count the files."';
  expect(textOf(await call(tool, { action: "list" }))).toBe(line);
  expect(textOf(await call(createSubagentsTool({ subagents: fakeSubagents([]) }), { action: "list" }))).toContain("no sub-agents");
  expect(textOf(await call(tool, { action: "steer", run: "count", text: "Only text files." }))).toBe(`Told:\n${line}`);
  expect(textOf(await call(tool, { action: "kill", run: "all" }))).toBe(`Ended:\n${line}`);
  expect(await call(tool, { action: "log", run: "count" })).toMatchObject({
    content: [{ text: `${line}\nIt:\n| Three.` }],
    untrusted: true,
  });
  expect(subagents.calls.map(({ what }) => what)).toEqual(["steer count Only text files.", "kill all"]);
  for (const args of [{ action: "kill" }, { action: "steer", run: "count" }, { action: "list", run: "count" }])
    expect(await call(tool, args)).toMatchObject({ isError: true });
  subagents.refusal = "There is no such sub-agent.";
  for (const args of [
    { action: "kill", run: "x" },
    { action: "log", run: "x" },
  ])
    expect(await call(tool, args)).toMatchObject({ isError: true });
  const effectOf = (args: JsonObject): string | undefined => tool.traitsFor?.({ id: "1", name: "subagents", arguments: args }).effect;
  expect(["list", "log", "steer", "kill"].map((action) => effectOf({ action }))).toEqual(["read", "read", "delegate", "delegate"]);
});
