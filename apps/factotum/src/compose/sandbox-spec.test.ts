import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CommandRequest, RunFacts } from "@factotum/agent-contract";
import { describeKey, loadConfig, type FactotumConfig } from "@factotum/config";
import { SANDBOX_BACKENDS } from "@factotum/sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRunRoots } from "./run-roots.ts";
import { createSandboxOf, sandboxSpec } from "./sandbox-spec.ts";

const REQUEST: CommandRequest = { command: { type: "shell", text: "ls" }, cwd: "/w", env: {}, timeoutMs: 0, maxOutputBytes: 1 };

let home: string;
let config: FactotumConfig;
let readOnlyOf: (run: RunFacts) => readonly string[];

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "sandbox-spec-")));
  const loaded = await loadConfig({ env: { FACTOTUM_HOME: home, HOME: home }, channels: [] });
  if (loaded.type !== "loaded") throw new Error("refused");
  config = loaded.config;
  const roots = createRunRoots(loaded.paths, () => config);
  readOnlyOf = (run) => sandboxSpec(run, {}, { config, roots: roots.rootsOf(run), hidden: [home] })?.readOnly ?? [];
});
afterEach(async () => rm(home, { recursive: true, force: true }));

const run = (workspaceAccess: "none" | "ro" | "rw" | undefined, owner = true): RunFacts => ({
  runId: "r",
  kind: "user",
  agentId: "main",
  sessionKey: "agent:main:main",
  sessionId: "s",
  workspace: "/w",
  owner,
  timeZone: "UTC",
  ...(workspaceAccess === undefined
    ? {}
    : {
        sandbox: {
          workspaceAccess,
          shared: true,
        },
      }),
});
const specOf = (facts: RunFacts, tainted?: boolean) =>
  sandboxSpec(facts, tainted === undefined ? {} : { tainted }, { config, roots: [], hidden: [home] });

test("the configuration knows the backends that there are", () => {
  const [known] = describeKey("agents.defaults.sandbox.backend", [])?.schema ?? [];
  expect(new Set(known?.["enum"] as readonly string[])).toEqual(new Set(["auto", ...SANDBOX_BACKENDS]));
});

test("a run without a sandbox has none", async () => {
  expect(specOf(run(undefined))).toBeUndefined();
});

test("it has the agent's backend, and the limits of commands, with eight threads a process", async () => {
  expect(specOf(run("none"))).toMatchObject({ backend: "auto", hidden: [home], maxTasks: 2048, maxMemoryBytes: 2048 * 1024 ** 2 });
});

test.each([
  ["none", true, true, true],
  ["none", false, true, true],
  ["ro", true, false, false],
  ["rw", true, false, true],
  ["rw", true, true, false],
  ["rw", true, undefined, false],
  ["rw", false, false, false],
] as const)("workspaceAccess %s, owner %s, tainted %s: commands can write: %s", async (access, owner, tainted, writable) => {
  expect(specOf(run(access, owner), tainted)?.workspace).toEqual({ path: "/w", writable });
});

test("the state directory and a configuration file elsewhere are hidden, and hosts are those of the run that the list still has", async () => {
  const loaded = await loadConfig({ env: { FACTOTUM_HOME: home, HOME: home }, channels: [] });
  if (loaded.type !== "loaded") throw new Error("refused");
  const allow = (hosts: readonly string[]): void => {
    config = { ...config, agents: config.agents.map((agent) => ({ ...agent, sandbox: { ...agent.sandbox, network: { allow: hosts } } })) };
  };
  allow(["a.example", "b.example"]);
  const roots = createRunRoots(loaded.paths, () => config);
  const sandboxOf = createSandboxOf({ paths: loaded.paths, path: "/etc/factotum.json5" }, { roots, currentConfig: () => config });
  const facts = run("none");
  const spec = await sandboxOf(
    { ...facts, sandbox: { workspaceAccess: "none", shared: true, network: ["a.example", "b.example"] } },
    REQUEST,
  );
  expect(spec?.hidden).toEqual([home, "/etc/factotum.json5"]);
  expect(spec?.network?.hosts()).toEqual(["a.example", "b.example"]);
  allow(["b.example", "c.example"]);
  expect(spec?.network?.hosts()).toEqual(["b.example"]);
  expect((await sandboxOf(facts, REQUEST))?.network).toBeUndefined();
});

describe("read-only are", () => {
  test("skills, documentation and received files; the owner's roots in the owner's turns alone", async () => {
    config = { ...config, tools: { ...config.tools, fs: { roots: ["/docs"] } } };
    for (const owner of [true, false]) {
      const shown = readOnlyOf(run("none", owner));
      for (const path of ["skills", "agents/main/skills"]) expect(shown).toContain(join(home, path));
      expect(shown.filter((path) => path.startsWith(join(home, "media")))).toHaveLength(1);
      expect(shown.includes("/docs")).toBe(owner);
    }
  });

  test.each([
    ["skills", "skills"],
    [".agents/skills", ".agents/skills"],
    [".agents/skills", ".agents"],
  ])("not %s of a workspace if %s is a symbolic link", async (folder, link) => {
    const [skills, linked] = [join(home, "workspace", folder), join(home, "workspace", link)];
    await mkdir(skills, { recursive: true });
    expect(readOnlyOf(run("none"))).toContain(skills);
    await rm(linked, { recursive: true });
    await mkdir(dirname(linked), { recursive: true });
    await symlink(join(home, "elsewhere"), linked);
    await mkdir(join(home, "elsewhere", "skills"), { recursive: true });
    expect(readOnlyOf(run("none"))).not.toContain(skills);
    expect(readOnlyOf(run(undefined))).toEqual([]);
  });
});
