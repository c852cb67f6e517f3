import type { RunFacts, SpawnRequest } from "@factotum/agent-contract";
import type { SpawnRecord } from "@factotum/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SubagentScene } from "../../test/subagent-scene.ts";
import { planSpawn } from "./plan-spawn.ts";
import { SpawnBook } from "./spawn-book.ts";

const PARENT = "agent:main:main";
const CHILD = "agent:main:subagent:c1";

let scene: SubagentScene;
beforeEach(async () => {
  scene = await SubagentScene.open();
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

interface Occasion {
  readonly request?: Partial<SpawnRequest>;
  readonly run?: Partial<RunFacts>;
  readonly unstored?: number;
}

/** How the refusal of a spawn begins. No message has asked for the run, which is said only if nothing else is against it. */
async function refusalOf({ request = {}, run = {}, unstored = 0 }: Occasion): Promise<string> {
  const book = new SpawnBook();
  book.put({ id: "c1", parentKey: PARENT, childKey: CHILD, depth: 1, maxDepth: 1, state: "running" } as SpawnRecord);
  const facts = { runId: "r1", sessionId: "s1", sessionKey: PARENT, agentId: "main", kind: "user", owner: true, ...run } as RunFacts;
  const { engine } = scene.running.gateway;
  const parts = { ...engine.parts, book, unstored: () => unstored };
  const planned = await planSpawn({ task: "Count.", ...request }, { run: facts, tainted: false, callId: "c1" }, parts);
  return "refusal" in planned ? (/^[\w ]+/.exec(planned.refusal)?.[0] ?? "") : "none";
}

test("a spawn is within the depth of its tree and the number of its session, also with those that are accepted and not stored", async () => {
  await scene.start((before) => ({ ...before, maxChildren: 2, maxDepth: 3 }));
  expect(await refusalOf({})).toBe("No message asked for this run");
  expect(await refusalOf({ unstored: 1 })).toBe("Rule children");
  // The tree keeps the depth that it began with.
  expect(await refusalOf({ run: { sessionKey: CHILD } })).toBe("Rule depth");
});

test("only an agent that is there and allowed is started, regardless of the case of its name, and none outside of the sandbox", async () => {
  await scene.start((before) => ({ ...before, allowAgents: ["Coder", "missing", "online"] }), {
    patch: (config) => ({
      ...config,
      agents: config.agents.flatMap((agent) => [
        { ...agent, sandbox: { ...agent.sandbox, mode: "all" as const } },
        { ...agent, id: "coder", isDefault: false },
        { ...agent, id: "other", isDefault: false },
        {
          ...agent,
          id: "online",
          isDefault: false,
          sandbox: { ...agent.sandbox, mode: "all" as const, network: { allow: ["a.example"] } },
        },
      ]),
    }),
  });
  for (const agentId of ["MAIN", "CODER"]) expect(await refusalOf({ request: { agentId } })).toBe("No message asked for this run");
  for (const agentId of ["other", "missing"]) expect(await refusalOf({ request: { agentId } })).toBe("Rule agents");
  const run = { sandbox: { shared: false } } as Partial<RunFacts>;
  for (const agentId of ["coder", "online"]) expect(await refusalOf({ request: { agentId }, run })).toBe("Rule sandbox");
  const reaching = { sandbox: { shared: false, network: ["b.example"] } } as unknown as Partial<RunFacts>;
  expect(await refusalOf({ request: { agentId: "online" }, run: reaching })).toBe("No message asked for this run");
});

test("an external agent is started by the owner's turns outside of the sandbox alone, and named by its id", async () => {
  const acp = { enabled: true, agents: { coder: { command: "coder", args: [], env: {}, mcpServers: [] } } };
  await scene.start(undefined, { patch: (config) => ({ ...config, acp }) });
  const request = { runtime: "acp", agentId: "coder" } as const;
  expect(await refusalOf({ request })).toBe("No message asked for this run");
  expect(await refusalOf({ request: { runtime: "acp", agentId: "other" } })).toBe("Rule acp");
  expect(await refusalOf({ request: { runtime: "acp" } })).toBe("Rule acp");
  expect(await refusalOf({ request: { model: "acp/coder" } })).toBe("An external agent is named by agentId");
  const bounded: readonly Partial<SpawnRequest>[] = [{ toolsAllow: ["read"] }, { disableTools: true }];
  for (const bounds of bounded)
    expect(await refusalOf({ request: { ...request, ...bounds } })).toBe("toolsAllow and disableTools do not bind an external agent");
  expect(await refusalOf({ request, run: { owner: false } })).toBe("Rule acp");
  expect(await refusalOf({ request, run: { sandbox: { workspaceAccess: "rw", shared: false } } })).toBe("Rule acp");
});

test.each([
  [1, "toolsAllow"],
  [2, "No message asked for this run"],
])("tools that a sub-agent cannot have are refused, at depth 1 of %i with those that start others", async (maxDepth, spawning) => {
  await scene.start((before) => ({ ...before, maxDepth }));
  const refusals = [["read"], ["read", "cron"], ["sessions_spawn"]].map(async (toolsAllow) => refusalOf({ request: { toolsAllow } }));
  expect(await Promise.all(refusals)).toEqual(["No message asked for this run", "toolsAllow", spawning]);
});
