import { mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { FactotumConfig } from "@factotum/config";
import { textReply, toolReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SubagentScene, YIELD } from "../../test/subagent-scene.ts";

let scene: SubagentScene;
beforeEach(async () => {
  scene = await SubagentScene.open();
});
afterEach(async () => {
  expect(scene.server.violations).toEqual([]);
  await scene[Symbol.asyncDispose]();
});

const GUEST = {
  sender: { id: "guest-1", name: "Gus", isBot: false },
  origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-2" } },
} as const;

/** Every turn in a sandbox that has the workspace read-only. */
const readOnly = (config: FactotumConfig): FactotumConfig => ({
  ...config,
  agents: config.agents.map((agent) => ({ ...agent, sandbox: { ...agent.sandbox, mode: "all", workspaceAccess: "ro" } })),
});

/** The conversation hands a task out with a file, and the sub-agent reads it where its prompt says that it is. */
function readAttached(): void {
  const attached = { name: "notes.txt", content: "the number is forty-two" };
  scene.answerWith({
    "": ({ results, text }) => {
      if (text.includes("has ended")) return textReply("Told.");
      return results === 0 ? toolReply({ name: "sessions_spawn", input: { task: "look", attachments: [attached] } }) : YIELD;
    },
    look: ({ results, text }) => {
      const file = /- notes\.txt: (\.subagents\/[0-9a-f-]+\/notes\.txt)/.exec(JSON.stringify(scene.server.requests.at(-1)?.body))?.[1];
      if (results === 0) return toolReply({ name: "read", input: { path: file ?? "" } });
      return textReply(/number is [a-z-]+/.exec(text)?.[0] ?? "nothing");
    },
  });
}

test("the files of a task are in the workspace of its sub-agent until that is removed", async () => {
  await scene.start();
  readAttached();
  await scene.say("Go.");
  const [row] = await scene.rows();
  expect(row).toMatchObject({ state: "done", result: "number is forty-two" });
  const { home, gateway } = scene.running;
  expect(await readdir(path.join(home, "workspace/.subagents"))).toEqual([row?.id]);
  await gateway.engine.sessions.delete(row?.childKey ?? "");
  expect(await readdir(path.join(home, "workspace"))).not.toContain(".subagents");
});

test("a sub-agent in a sandbox with a folder of its own has them, too", async () => {
  await scene.start(undefined, { accountConfig: { allowFrom: ["owner-1", "guest-1"] } });
  readAttached();
  await scene.say("Go.", GUEST);
  expect(await scene.rows()).toMatchObject([{ state: "done", result: "number is forty-two", child: { owner: false } }]);
  expect(await readdir(path.join(scene.running.home, "workspace"))).not.toContain(".subagents");
});

test("a task that is refused leaves no files", async () => {
  await scene.start((before) => ({ ...before, maxDepth: 0 }));
  readAttached();
  await scene.say("Go.");
  expect(scene.bodies("Rule depth").length).toBeGreaterThan(0);
  expect(await readdir(path.join(scene.running.home, "workspace"))).not.toContain(".subagents");
});

test.each<[string, (config: FactotumConfig) => FactotumConfig, string]>([
  [
    "that does not have the tool write",
    (config) => ({ ...config, tools: { ...config.tools, deny: ["write"] } }),
    "not have the tool write",
  ],
  ["whose workspace is read-only", readOnly, "workspace is read-only"],
])("a turn %s attaches no files, and is told so", async (_turn, patch, reason) => {
  await scene.start(undefined, { patch });
  readAttached();
  await scene.say("Go.");
  expect(scene.bodies("Rule attachments: they are files that this turn would write").at(-1)).toContain(reason);
  expect(await scene.rows()).toEqual([]);
  expect(await readdir(path.join(scene.running.home, "workspace"))).not.toContain(".subagents");
});

test("a sub-agent works in the folder that its parent's conversation has of its own, and so do those that it starts", async () => {
  const project = await realpath(await mkdtemp(path.join(tmpdir(), "project-")));
  await writeFile(path.join(project, "here.txt"), "found it");
  await scene.start((before) => ({ ...before, maxDepth: 2 }));
  const read = toolReply({ name: "read", input: { path: "here.txt" } });
  const saw = (text: string): string => (text.includes("found it") ? "there" : "missing");
  const outer = toolReply({ name: "sessions_spawn", input: { task: "outer" } });
  const inner = toolReply({ name: "sessions_spawn", input: { task: "inner" } });
  scene.answerWith({
    "": ({ results, text }) => {
      if (!text.includes("Go.")) return textReply("Hi.");
      if (text.includes("has ended")) return textReply("Told.");
      return results === 0 ? outer : YIELD;
    },
    outer: ({ results, text }) => (text.includes("has ended") ? textReply(saw(text)) : ([read, inner, YIELD][results] ?? YIELD)),
    inner: ({ results, text }) => (results === 0 ? read : textReply(saw(text))),
  });
  await scene.say("Hello");
  const { store } = scene.running;
  await store.patchSession("agent:main:main", { overrides: { workspace: project } }, { nowMs: Date.now() });
  await scene.say("Go.");
  const rows = await scene.rows();
  expect(rows.map(({ task, result }) => [task, result])).toEqual([
    ["outer", "there"],
    ["inner", "there"],
  ]);
  for (const { childKey } of rows) expect((await store.readSession(childKey))?.overrides.workspace).toBe(project);
  await rm(project, { recursive: true });
});
