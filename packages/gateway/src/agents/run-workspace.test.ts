import path from "node:path";
import type { FactotumConfig } from "@factotum/config";
import { expect, test } from "vitest";
import { startTestGateway } from "../../test/gateway-harness.ts";

const withSandboxOff = (config: FactotumConfig): FactotumConfig => ({
  ...config,
  agents: config.agents.map((agent) => ({ ...agent, sandbox: { ...agent.sandbox, mode: "off" as const } })),
});

const RUNS = [
  ["the owner", { owner: true, group: false }],
  ["a guest", { owner: false, group: false }],
  ["the owner in a group", { owner: true, group: true }],
] as const;

/** The sender works in the agent's own workspace. */
async function inWorkspace(patch: (config: FactotumConfig) => FactotumConfig): Promise<readonly string[]> {
  await using running = await startTestGateway({ patch });
  const { agents } = running.gateway.engine.parts.running;
  const folders = await Promise.all(
    RUNS.map(async ([who, { owner, group }]) => {
      return { who, folder: (await agents.placeFor(agents.default, { owner, sessionKey: `agent:main:test:${who}`, group })).folder };
    }),
  );
  const own = path.join(running.home, "workspace");
  const elsewhere = folders.filter(({ folder }) => folder !== own);
  for (const { folder } of elsewhere) expect(path.dirname(folder)).toBe(path.join(running.home, "sandboxes"));
  expect(new Set(elsewhere.map(({ folder }) => folder)).size).toBe(elsewhere.length);
  return folders.flatMap(({ who, folder }) => (folder === own ? [who] : []));
}

test("by default guests and groups work in separate folders", async () => {
  expect(await inWorkspace((config) => config)).toEqual(["the owner"]);
});

test("with sandbox.mode off everyone works in the agent's workspace", async () => {
  expect(await inWorkspace(withSandboxOff)).toEqual(["the owner", "a guest", "the owner in a group"]);
});
