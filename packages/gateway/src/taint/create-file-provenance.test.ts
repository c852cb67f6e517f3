import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { RUN_KINDS, type RunFacts } from "@factotum/agent-contract";
import type { NotesFile } from "@factotum/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFileProvenance } from "./create-file-provenance.ts";
import { findNotes } from "./memory-files.ts";

const DAY = "memory/2026-01-02.md";

let base: string;
let blocks: Map<string, Set<string>>;
beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), "factotum-provenance-")));
  blocks = new Map();
  for (const folder of ["home", "work", "own"]) await mkdir(path.join(base, folder, "memory"), { recursive: true });
});
afterEach(async () => rm(base, { recursive: true }));

const keyOf = ({ agentId, file }: NotesFile): string => `${agentId} ${file}`;
const provenance = (agents: Readonly<Record<string, string>> = { main: "home", work: "work" }) =>
  createFileProvenance({
    store: {
      readSession: async () => undefined,
      hasTaintedBlocks: async () => blocks.size > 0,
      readTaintedBlocks: async (file) => blocks.get(keyOf(file)) ?? new Set(),
      addTaintedBlocks: async (file, digests) => void blocks.set(keyOf(file), new Set([...(blocks.get(keyOf(file)) ?? []), ...digests])),
    },
    places: () => ({
      agents: Object.entries(agents).map(([id, folder]) => ({ id, workspace: path.join(base, folder) })),
      skillFolders: [],
    }),
  });
const run = (folder: string, owner = true, kind: RunFacts["kind"] = "user"): RunFacts => ({
  runId: "run-1",
  kind,
  agentId: "main",
  sessionKey: "agent:main:main",
  sessionId: "session-1",
  workspace: path.join(base, folder),
  owner,
  timeZone: "UTC",
});

test("notes outside the agents' workspaces are not recorded; the same notes in one are, for its agent alone", async () => {
  const files = provenance();
  const write = async (folder: string) => {
    const file = path.join(base, folder, DAY);
    await files.beforeWrite({ path: file, content: "# Notes\n- obey", run: run(folder, false), tainted: true });
    await writeFile(file, "# Notes\n- obey");
  };
  await writeFile(path.join(base, "home", DAY), "# Notes\n- dentist");
  await write("own");
  expect(blocks.size).toBe(0);
  expect(await files.isUntrusted(path.join(base, "own", DAY), run("own", false))).toBe(false);
  await write("work");
  expect([...blocks.keys()]).toEqual([`work ${DAY}`]);
  expect(await files.isUntrusted(path.join(base, "work", DAY), run("home"))).toBe(true);
  expect(await files.isUntrusted(path.join(base, "home", DAY), run("home"))).toBe(false);
});

test("notes of a workspace that two agents share are recorded for both", async () => {
  const files = provenance({ main: "home", work: "home" });
  await files.beforeWrite({ path: path.join(base, "home", DAY), content: "- obey", run: run("home"), tainted: true });
  expect([...blocks.keys()]).toEqual([`main ${DAY}`, `work ${DAY}`]);
});

test.each([
  ["another file of the workspace", "diary/today.md", DAY],
  ["another file of the folder", "memory/today.md", DAY],
  ["a file that a link in a folder leads to", "diary/today.md", "memory/2026/today.md"],
  ["a file in a folder that a link leads to", "diary/2026/today.md", "memory/linked/today.md", "diary/2026", "memory/linked"],
])("notes whose name is a link are recorded under that name: %s", async (_name, target, name, linked = target, link = name) => {
  const files = provenance();
  const [file, other] = [path.join(base, "home", target), path.join(base, "home", "plan.md")];
  for (const folder of [path.dirname(file), path.dirname(path.join(base, "home", link))]) await mkdir(folder, { recursive: true });
  await writeFile(file, "- dentist");
  await symlink(path.join(base, "home", linked), path.join(base, "home", link));
  for (const written of [file, other]) {
    await files.beforeWrite({ path: written, content: "- dentist\n- obey", run: run("home"), tainted: true });
    await writeFile(written, "- dentist\n- obey");
  }
  expect([...blocks.keys()].filter((key) => key !== `main ${target}`)).toEqual([`main ${name}`]);
  expect(await files.isUntrusted(file, run("home"))).toBe(true);
  expect(await files.isUntrusted(other, run("home"))).toBe(false);
});

test("notes behind dangling links, or in a linked folder, are recorded too", async () => {
  const files = provenance();
  const home = path.join(base, "home");
  for (const folder of ["memory", "other/deep"]) await mkdir(path.join(home, folder), { recursive: true });
  await symlink("../later.md", path.join(home, DAY));
  await symlink("../other", path.join(home, "memory", "dir"));
  await symlink("../../third.md", path.join(home, "other", "deep", "x.md"));
  for (const name of ["later.md", "third.md"]) {
    await files.beforeWrite({ path: path.join(home, name), content: "- obey", run: run("home"), tainted: true });
    await writeFile(path.join(home, name), "- obey");
    expect(await files.isUntrusted(path.join(home, name), run("home"))).toBe(true);
  }
  expect([...blocks.keys()]).toEqual([`main ${DAY}`, "main memory/dir/deep/x.md"]);
});

test("the rows of a file are bounded, however often a guest writes other lines", async () => {
  const files = provenance();
  const file = path.join(base, "home", DAY);
  for (const round of [1, 2, 3, 4, 5]) {
    const content = Array.from({ length: 400 }, (_, index) => `- ${round}.${index}`).join("\n");
    await files.beforeWrite({ path: file, content, run: run("home", false), tainted: true });
    await writeFile(file, content);
  }
  expect(blocks.get(`main ${DAY}`)?.size).toBeLessThan(1000);
  expect(await files.isUntrusted(file, run("home"))).toBe(true);
});

test("a run that is not the owner's counts as tainted, whatever its call says", async () => {
  const files = provenance();
  const write = { path: path.join(base, "home", "MEMORY.md"), content: "x", tainted: false };
  expect(await files.beforeWrite({ ...write, run: run("home", false) })).toMatchObject({ type: "refuse" });
  expect(await files.beforeWrite({ ...write, run: run("home") })).toEqual({ type: "allow" });
});

test.each(RUN_KINDS)("a run of the kind %s changes what later conversations begin with only if a person started it", async (kind) => {
  const files = provenance();
  await symlink(path.join(base, "home", "mine.txt"), path.join(base, "home", "USER.md"));
  const mayChange = kind === "user" || kind === "command";
  for (const name of ["MEMORY.md", "memory.md", "mine.txt"]) {
    const decision = await files.beforeWrite({
      path: path.join(base, "home", name),
      content: "- x",
      run: run("home", true, kind),
      tainted: false,
    });
    expect(decision).toMatchObject(
      mayChange ? { type: "allow" } : { message: expect.stringMatching(/memory\/YYYY-MM-DD\.md.*propose it to the owner/) as string },
    );
  }
  for (const name of ["HEARTBEAT.md", DAY])
    expect(
      await files.beforeWrite({ path: path.join(base, "home", name), content: "- x", run: run("home", true, kind), tainted: false }),
    ).toEqual({ type: "allow" });
});

test("notes are found under the names that they are recorded by, for each agent that has them", async () => {
  const places = { agents: ["main", "work"].map((id) => ({ id, workspace: path.join(base, "home") })), skillFolders: [] };
  await symlink(path.join(base, "own", "profile.txt"), path.join(base, "home", "USER.md"));
  const find = async (...parts: string[]): Promise<readonly string[]> => (await findNotes(path.join(base, ...parts), places)).map(keyOf);
  expect(await find("home", "memory.md")).toEqual(["main MEMORY.md", "work MEMORY.md"]);
  expect(await find("own", "profile.txt")).toEqual(["main USER.md", "work USER.md"]);
  expect(await find("home", DAY)).toEqual([`main ${DAY}`, `work ${DAY}`]);
  expect(await find("home", "AGENTS.md")).toEqual([]);
  expect(await find("own", "MEMORY.md")).toEqual([]);
});
