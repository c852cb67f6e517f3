import { mkdir, mkdtemp, readFile, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandRunner, Logger, NoteEntrySource, RunFacts, RunSandbox, RunningCommand } from "@factotum/agent-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CommandNotes, NoteRules, type NamedNote } from "../index.ts";

const DAY_MS = 24 * 60 * 60_000;
const TODAY = "memory/2026-06-15.md";
const OLD = "memory/2026-01-01.md";

let workspace: string;
let sources: Map<string, NoteEntrySource>;
/** What was kept and marked, in order. */
let events: string[];
beforeEach(async () => {
  workspace = await realpath(await mkdtemp(join(tmpdir(), "command-notes-")));
  await mkdir(join(workspace, "memory"));
  sources = new Map();
  events = [];
});
afterEach(() => rm(workspace, { recursive: true }));

const nameOf = (path: string): string => path.slice(workspace.length + 1);
const put = async (note: string, text: string): Promise<void> => writeFile(join(workspace, note), text);
const RUN: RunFacts = {
  runId: "t1",
  kind: "user",
  agentId: "main",
  sessionKey: "agent:main:main",
  sessionId: "s1",
  workspace: "",
  owner: true,
  timeZone: "UTC",
};

const LOGGER: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (text) => void events.push(text),
  child: () => LOGGER,
};

/** Runs a command that does `work`, in a turn that is tainted or not. */
async function run(work: () => Promise<void>, tainted: boolean, facts: Partial<RunFacts> = {}): Promise<void> {
  const rules = new NoteRules({
    notesAt: async (path): Promise<readonly NamedNote[]> => [{ agentId: "main", file: nameOf(path) }],
    maxCharsOf: () => 100,
    textsOf: async () => ({ outputs: [], said: [] }),
    record: async (_note, entries) => {
      for (const entry of entries) if (!sources.has(entry.digest)) sources.set(entry.digest, entry);
    },
    sourcesOf: async () => [...sources.values()],
    startOf: async () => 0,
    now: () => 1,
  });
  const notes = new CommandNotes({
    workspaceOf: () => workspace,
    rules,
    keepVersion: async ({ path, before }) => void events.push(`kept ${nameOf(path)}: ${before}`),
    isTainted: async (_run, isTainted) => isTainted,
    markTainted: async (path, lines) => void events.push(`marked ${nameOf(path)}: ${lines ?? "all"}`),
    now: () => Date.now(),
    logger: LOGGER,
  });
  const start: CommandRunner["start"] = async () => {
    const ended = work().then(() => ({ end: { type: "exited", exitCode: 0 }, output: "", outputBytes: 0, durationMs: 0 }) as const);
    return { ended } as Partial<RunningCommand> as RunningCommand;
  };
  const runner = notes.watch({ start, run: async (request, options) => (await start(request, options)).ended });
  const request = { command: { type: "shell", text: "" }, cwd: "/", env: {}, timeoutMs: 0, maxOutputBytes: 0, tainted } as const;
  const options = { signal: AbortSignal.timeout(10_000), run: { ...RUN, workspace, ...facts }, onOutput: () => undefined };
  await runner.run(request, options);
}

const origins = (): readonly string[] => [...sources.values()].map(({ origin }) => origin);

test("what a command adds has the origin of its turn, and what the note held before is kept", async () => {
  await put("MEMORY.md", "- one\n");
  await run(async () => put("MEMORY.md", "- one\n- two\n"), false);
  expect([events, origins()]).toEqual([["kept MEMORY.md: - one\n"], ["agent"]]);
  await run(async () => put("USER.md", "- Ada\n"), false, { kind: "cron" });
  expect(origins()).toEqual(["agent", "system"]);
});

test("lines that a tainted turn's command adds are marked; those that another turn has added meanwhile are not", async () => {
  await put(TODAY, "- one\n");
  await run(async () => put("memory/2026-06-14.md", "- known\n"), false);
  events = [];
  await run(async () => put(TODAY, "- one\n- known\n- two\n\n- three\n"), true);
  expect(events).toEqual([`kept ${TODAY}: - one\n`, `marked ${TODAY}: - two\n- three`]);
  expect(origins()).toEqual(["agent", "untrusted", "untrusted"]);
});

test("an older note that a tainted turn's command has changed is marked as a whole, and a removed one can be restored", async () => {
  await put(OLD, "- old\n");
  await put(TODAY, "- one\n");
  const old = new Date(Date.now() - 100 * DAY_MS);
  await utimes(join(workspace, OLD), old, old);
  await run(async () => put(OLD, "- new\n"), false);
  expect(events).toEqual([]);
  await utimes(join(workspace, OLD), old, old);
  await run(async () => {
    await put(OLD, "- newer\n");
    await rm(join(workspace, TODAY));
  }, true);
  expect(events).toEqual([`kept ${TODAY}: - one\n`, `marked ${OLD}: all`]);
});

test.each([
  ["with a folder of its own", { workspaceAccess: "rw", shared: false }, false, { workspace: "/elsewhere" }],
  ["that shows the workspace read-only", { workspaceAccess: "ro", shared: false }, false, {}],
  ["that shows a tainted turn the workspace read-only", { workspaceAccess: "rw", shared: false }, true, {}],
] satisfies [string, RunSandbox, boolean, Partial<RunFacts>][])(
  "a command in a sandbox %s is not looked at",
  async (_name, sandbox, tainted, facts) => {
    await run(async () => put(TODAY, "- by somebody else\n"), tainted, { ...facts, sandbox });
    expect([events, origins()]).toEqual([[], []]);
    expect(await readFile(join(workspace, TODAY), "utf8")).toBe("- by somebody else\n");
  },
);

test("a command that can write to the workspace from its sandbox is looked at, and so is one that /elevated lets out of it", async () => {
  await run(async () => put(TODAY, "- one\n"), false, { sandbox: { workspaceAccess: "rw", shared: false } });
  await run(async () => put(TODAY, "- one\n- two\n"), false, { sandbox: { workspaceAccess: "ro", shared: false, elevated: true } });
  expect(origins()).toEqual(["agent", "agent"]);
});
