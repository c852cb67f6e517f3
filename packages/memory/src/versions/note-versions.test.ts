import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FileChangePlan, RunFacts } from "@factotum/agent-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NoteVersions, type NoteVersionsOptions } from "../index.ts";

let folder: string;
let nowMs: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "versions-"));
  await mkdir(join(folder, "real"));
  await symlink(join(folder, "real"), join(folder, "workspace"));
  nowMs = Date.parse("2026-03-01T09:00:00.005Z");
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

const RUN: RunFacts = {
  runId: "run-1",
  kind: "user",
  agentId: "main",
  sessionKey: "agent:main:main",
  sessionId: "session-1",
  workspace: "/elsewhere",
  owner: true,
  timeZone: "UTC",
};

const open = (parts: Partial<NoteVersionsOptions> = {}): NoteVersions =>
  new NoteVersions({
    folder: join(folder, "versions"),
    workspaceOf: (agentId) => (agentId === "main" ? join(folder, "workspace") : undefined),
    isEnabled: () => true,
    isUntrusted: async () => false,
    now: () => nowMs,
    ...parts,
  });

const change = (note: string, before: string | undefined, after?: string): FileChangePlan => ({
  path: join(folder, "real", note),
  before: before === undefined ? { type: "absent" } : { type: "file", content: Buffer.from(before), mode: 0o644 },
  ...(after === undefined ? {} : { after }),
});

test("keeps what a note held before each change, newest first", async () => {
  const versions = open();
  await versions.beforeChange([change("MEMORY.md", "one", "two")], RUN);
  nowMs += 1;
  await versions.beforeChange([change("MEMORY.md", "two", "three")], RUN);
  expect(await versions.list("main", "MEMORY.md")).toEqual([
    { id: expect.stringMatching(/^20260301T090000006Z-/) as string, atMs: nowMs, sizeBytes: 3, untrusted: false },
    { id: expect.stringMatching(/^20260301T090000005Z-/) as string, atMs: nowMs - 1, sizeBytes: 3, untrusted: false },
  ]);
  const [, oldest] = await versions.list("main", "./memory/../MEMORY.md");
  expect(await versions.read("main", "MEMORY.md", oldest?.id ?? "")).toEqual({ text: "one", untrusted: false });
  expect(await versions.read("main", "USER.md", oldest?.id ?? "")).toBeUndefined();
  expect(await versions.read("main", "MEMORY.md", "../../x")).toBeUndefined();
  expect(await open().notes("main")).toEqual([{ path: "MEMORY.md", count: 2, newestAtMs: nowMs }]);
  expect(await versions.notes("other")).toEqual([]);
});

test.each([
  ["USER.md", true],
  ["memory/2026-03-01.md", true],
  ["memory/deep/a.md", true],
  ["memory/a.txt", false],
  ["notes/AGENTS.md", false],
  ["notes/MEMORY.md", false],
  ["../outside/MEMORY.md", false],
])("a change of %s is kept: %s", async (note, isKept) => {
  const versions = open();
  await versions.beforeChange([change(note, "one", "two")], RUN);
  expect(await versions.notes("main")).toHaveLength(isKept ? 1 : 0);
  expect(await versions.list("main", note)).toHaveLength(isKept ? 1 : 0);
});

test("keeps the files that say who an agent is, which are no notes", async () => {
  const versions = open();
  await versions.beforeChange([change("SOUL.md", "one", "two")], RUN);
  const [version] = await versions.list("main", "SOUL.md");
  expect(await versions.read("main", "SOUL.md", version?.id ?? "")).toEqual({ text: "one", untrusted: false });
  expect(await versions.notes("main")).toEqual([]);
});

test("keeps a note that is removed, and nothing of one that is new, unchanged or too large", async () => {
  const versions = open();
  await versions.beforeChange([change("MEMORY.md", "one")], RUN);
  await versions.beforeChange([change("USER.md", undefined, "new"), change("memory/a.md", "same", "same")], RUN);
  const large: FileChangePlan = { path: join(folder, "real", "memory/b.md"), before: { type: "too-large", sizeBytes: 2_000_000 } };
  await versions.beforeChange([large], RUN);
  expect(await versions.notes("main")).toMatchObject([{ path: "MEMORY.md", count: 1 }]);
});

test("remembers whether a version may hold text of others", async () => {
  const versions = open({ isUntrusted: async (path) => path.endsWith("a.md") });
  await versions.beforeChange([change("memory/a.md", "one", "two"), change("memory/b.md", "one", "two")], RUN);
  expect(await versions.list("main", "memory/a.md")).toMatchObject([{ untrusted: true }]);
  expect(await versions.list("main", "memory/b.md")).toMatchObject([{ untrusted: false }]);
});

test("the oldest versions make room, by number and by size", async () => {
  const versions = open();
  for (let number = 0; number < 52; number += 1) {
    nowMs += 1;
    await versions.beforeChange([change("MEMORY.md", `${number}`, "x")], RUN);
  }
  const kept = await versions.list("main", "MEMORY.md");
  expect(kept).toHaveLength(50);
  expect((await versions.read("main", "MEMORY.md", kept.at(-1)?.id ?? ""))?.text).toBe("2");
  for (let number = 0; number < 6; number += 1) {
    nowMs += 1;
    await versions.beforeChange([change("USER.md", `${number}`.repeat(1024 * 1024), "x")], RUN);
  }
  expect(await versions.list("main", "USER.md")).toHaveLength(4);
});

test("a version that was being written counts for nothing", async () => {
  const versions = open();
  await versions.beforeChange([change("MEMORY.md", "one", "two")], RUN);
  const [name = ""] = await readdir(join(folder, "versions", "main"));
  await writeFile(join(folder, "versions", "main", name, "20260301T090000009Z-00000000.md.new"), "half");
  expect(await versions.list("main", "MEMORY.md")).toHaveLength(1);
});

test.each([
  [{ isEnabled: () => false }, RUN, false],
  [{}, { ...RUN, agentId: "unknown" }, false],
  [{}, RUN, true],
])("changes are looked at if versions are kept, and the agent is known: %j", (parts, run, keeps) => {
  expect(open(parts).keeps(run)).toBe(keeps);
});
