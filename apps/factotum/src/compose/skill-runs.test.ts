import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Logger, RunFacts } from "@factotum/agent-contract";
import { loadConfig, statePaths, type FactotumConfig } from "@factotum/config";
import { createFileAccess } from "@factotum/tools";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SkillRuns } from "./skill-runs.ts";

let home: string;
let env: Record<string, string>;
let config: FactotumConfig;
let secrets: string[];
let warnings: unknown[];

const logger: Logger = {
  debug: () => {},
  info: () => {},
  warn: (_message, fields) => void warnings.push(fields),
  error: () => {},
  child: () => logger,
};

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "skill-runs-")));
  env = { HOME: home, FACTOTUM_HOME: home, PATH: "/usr/bin:/bin", TOKEN: "token-of-the-gateway" };
  secrets = [];
  warnings = [];
  await put("skills/bake/SKILL.md", "---\nname: bake\nmetadata: { factotum: { primaryEnv: BAKE_KEY } }\n---\nBake.");
  await put("skills/mow-lawn/SKILL.md", "Mow.");
  await put("file-key", "key-from-a-file");
  await configure({
    bake: { apiKey: { env: "TOKEN" }, env: { PLACE: "kitchen", FILE_KEY: { file: "file-key" } } },
    "mow-lawn": { env: { MOW: "garden" } },
    unused: { env: { OTHER: "x" } },
  });
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), text);
}

async function configure(entries: object, agent: object = {}): Promise<void> {
  await put("factotum.json5", JSON.stringify({ skills: { entries }, agents: { list: [{ id: "main", ...agent }] } }));
  const loaded = await loadConfig({ env, channels: [] });
  if (loaded.type !== "loaded") throw new Error(JSON.stringify(loaded.problems));
  ({ config } = loaded);
}

const create = (): SkillRuns =>
  new SkillRuns({
    context: { env, platform: "linux", paths: statePaths(env) },
    currentConfig: () => config,
    secrets: { add: (values) => void secrets.push(...values) },
    logger,
    signal: new AbortController().signal,
  });

const runOf = (runId: string, more: Partial<RunFacts> = {}): RunFacts => ({
  runId,
  kind: "user",
  agentId: "main",
  sessionKey: "agent:main:main",
  sessionId: "s",
  workspace: join(home, "workspace"),
  owner: true,
  timeZone: "UTC",
  ...more,
});

const BAKE = { BAKE_KEY: "token-of-the-gateway", PLACE: "kitchen", FILE_KEY: "key-from-a-file" };

test("a run that invokes a skill gets its variables, however its name is written; another run gets none", async () => {
  const runs = create();
  runs.invoked(runOf("one"), ["bake"]);
  runs.invoked(runOf("two"), ["MOW_LAWN", "unknown"]);
  expect(await runs.environment(runOf("one"))).toEqual(BAKE);
  expect(await runs.environment(runOf("two"))).toEqual({ MOW: "garden" });
  expect(await runs.environment(runOf("three"))).toEqual({});
  expect(secrets).toEqual(expect.arrayContaining(Object.values(BAKE)));
});

test("a run of others than the owner, or in a sandbox that others use, gets none; one in the owner's own sandbox gets them", async () => {
  const runs = create();
  runs.invoked(runOf("one"), ["bake"]);
  expect(await runs.environment(runOf("one", { owner: false }))).toEqual({});
  expect(await runs.environment(runOf("one", { sandbox: { workspaceAccess: "none", shared: true } }))).toEqual({});
  expect(secrets).toEqual([]);
  expect(await runs.environment(runOf("one", { sandbox: { workspaceAccess: "none", shared: false } }))).toEqual(BAKE);
});

test("a run that opens the SKILL.md of a skill gets its variables", async () => {
  const runs = create();
  const files = runs.observe(createFileAccess({ home, roots: () => [{ type: "skills", path: join(home, "skills") }] }));
  const open = async (run: RunFacts, path: string): Promise<void> => {
    await using _file = await (await files.forRun(run)).openFile(path);
  };
  await open(runOf("one"), join(home, "skills/bake/SKILL.md"));
  expect(await runs.environment(runOf("one"))).toEqual(BAKE);
  expect(await runs.environment(runOf("two"))).toEqual({});
  await put("skills/bake/notes.md", "x");
  await open(runOf("two"), join(home, "skills/bake/notes.md"));
  expect(await runs.environment(runOf("two"))).toEqual({});
  // A copy of the name elsewhere is not the skill.
  await put("workspace/copy/SKILL.md", "---\nname: bake\n---\nMine.");
  await open(runOf("three"), "copy/SKILL.md");
  expect(await runs.environment(runOf("three"))).toEqual({});
});

test("a skill that is disabled, or that the agent does not have, gives nothing", async () => {
  const runs = create();
  runs.invoked(runOf("one"), ["bake"]);
  await configure({ bake: { enabled: false, env: { PLACE: "kitchen" } } });
  expect(await runs.environment(runOf("one"))).toEqual({});
  await configure({ bake: { env: { PLACE: "kitchen" } } }, { skills: { allow: ["mow-lawn"] } });
  expect(await runs.environment(runOf("one"))).toEqual({});
  await configure({ bake: { env: { PLACE: "kitchen" } } }, { skills: { allow: ["bake"] } });
  expect(await runs.environment(runOf("one"))).toEqual({ PLACE: "kitchen" });
  expect(await runs.environment(runOf("one", { agentId: "gone" }))).toEqual({});
});

test("a value that cannot be resolved is left out and logged, without the others", async () => {
  const runs = create();
  runs.invoked(runOf("one"), ["bake"]);
  await configure({ bake: { env: { PLACE: "kitchen", LOST: { file: "missing" } } } });
  expect(await runs.environment(runOf("one"))).toEqual({ PLACE: "kitchen" });
  expect(warnings).toEqual([expect.objectContaining({ skill: "bake", variable: "LOST" })]);
});

test("old runs are forgotten", async () => {
  const runs = create();
  runs.invoked(runOf("first"), ["bake"]);
  for (let number = 0; number < 1_000; number += 1) runs.invoked(runOf(`run-${number}`), ["bake"]);
  expect(await runs.environment(runOf("first"))).toEqual({});
  expect(await runs.environment(runOf("run-0"))).toEqual(BAKE);
});
