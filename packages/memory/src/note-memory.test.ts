import { rmSync, writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NoteMemoryOptions } from "./index.ts";
import { AGENT, NOW_MS, createNoteRig, type NoteRig } from "../test/note-rig.ts";

let rig: NoteRig;
beforeEach(async () => {
  rig = await createNoteRig();
});
afterEach(() => rig[Symbol.asyncDispose]());

const paths = async (query: string): Promise<readonly string[]> => (await rig.search(query)).hits.map(({ path }) => path);

describe("search", () => {
  test("finds a passage, and says where it is and of which day", async () => {
    await rig.put("MEMORY.md", "# People\nAnna is the landlord.\n\n# Food\nNo peanuts.\n");
    await rig.put("memory/2026-11-20.md", "The boiler was serviced by Karl.\n");
    const { hits, degraded } = await rig.search("when was the boiler serviced?");
    expect(degraded).toBeUndefined();
    expect(hits).toEqual([
      {
        path: "memory/2026-11-20.md",
        startLine: 1,
        endLine: 1,
        text: "The boiler was serviced by Karl.",
        score: 1,
        source: "notes",
        origin: "agent",
        day: "2026-11-20",
      },
    ]);
    expect((await rig.search("landlord")).hits[0]).toMatchObject({ path: "MEMORY.md", startLine: 1, endLine: 2 });
  });

  test.each(["数据库", "张三", "茶", "迁移的负责人是谁", "周五"])("finds Chinese words: %s", async (query) => {
    await rig.put("memory/a.md", "张三负责数据库迁移。\n负责人周五喝乌龙茶。\n");
    await rig.put("memory/b.md", "Nothing of the kind.\n");
    expect(await paths(query)).toEqual(["memory/a.md"]);
  });

  test.each([`what's "up`, "C++", "foo-bar", "(x", "^a", "a AND b", "NEAR(a b)", "*", "", "tokens:a"])(
    "takes any text as words: %j",
    async (query) => {
      await rig.put("MEMORY.md", "up foo bar x a b c");
      await expect(rig.search(query)).resolves.toBeDefined();
    },
  );

  test("finds by the heading above, also in a later passage of the section", async () => {
    await rig.put(
      "memory/wine.md",
      `# Riesling\n${Array.from({ length: 90 }, (_, index) => `Bottle ${index} stands on shelf ${index}.`).join("\n")}`,
    );
    const { hits } = await rig.search("riesling bottle 88");
    expect(hits[0]?.startLine).toBeGreaterThan(40);
  });

  test("sources that are not asked for are left out", async () => {
    await rig.put("MEMORY.md", "boiler");
    expect((await rig.search("boiler", { sources: ["sessions"] })).hits).toEqual([]);
  });

  test("nothing outside the notes is found: other files, links, huge files", async () => {
    await rig.put("secret.md", "boiler");
    await rig.put("memory/notes.txt", "boiler");
    await rig.put("memory/huge.md", `boiler ${"x".repeat(1024 * 1024)}`);
    await symlink(join(rig.workspace, "secret.md"), join(rig.workspace, "memory/link.md"));
    expect(await paths("boiler")).toEqual([]);
  });

  test("text of others is marked, as soon as it is", async () => {
    const file = await rig.put("memory/2026-11-21.md", "A web page about boilers.");
    expect((await rig.search("boilers")).hits[0]?.origin).toBe("agent");
    rig.untrusted.add(file);
    await rig.put("memory/2026-11-21.md", "A web page about boilers, again.");
    expect((await rig.search("boilers")).hits[0]?.origin).toBe("untrusted");
  });

  test("an unknown agent has no memory", async () => {
    await expect(
      rig.memory.search({ query: "a", maxResults: 1, minScore: 0, sources: ["notes"] }, { ...AGENT, agentId: "other" }),
    ).rejects.toThrow("there is no agent other");
  });
});

describe("the index", () => {
  test("follows files that change, move and go, and reads no other", async () => {
    const reads: string[] = [];
    const memory = rig.reopen({ isUntrusted: async (file, { lines }) => (lines === undefined && reads.push(file), false) });
    const search = async (query: string): Promise<readonly string[]> =>
      (await memory.search({ query, maxResults: 6, minScore: 0, sources: ["notes"] }, AGENT)).hits.map(({ path }) => path);
    const [a, b] = [await rig.put("memory/a.md", "apples"), await rig.put("memory/b.md", "pears")];
    expect(await search("apples")).toEqual(["memory/a.md"]);
    expect(reads.splice(0)).toEqual([a, b]);
    await rig.put("memory/b.md", "apples and plums");
    expect(await search("plums")).toEqual(["memory/b.md"]);
    expect(await search("pears")).toEqual([]);
    expect(reads.splice(0)).toEqual([b]);
    await rename(a, join(rig.workspace, "memory/c.md"));
    expect((await search("apples")).toSorted()).toEqual(["memory/b.md", "memory/c.md"]);
    await rm(b);
    expect(await search("apples")).toEqual(["memory/c.md"]);
    expect(await memory.status(AGENT)).toEqual({
      provider: "notes",
      works: true,
      files: 1,
      conversations: 0,
      chunks: 1,
      sizeBytes: (await stat(join(rig.folder, "main.sqlite"))).size,
      indexedAtMs: NOW_MS,
      problems: [],
    });
  });

  test("a file with another time and the same text is not indexed again", async () => {
    const file = await rig.put("memory/a.md", "apples");
    await rig.search("apples");
    const { mtimeMs } = await stat(join(rig.folder, "main.sqlite"));
    await utimes(file, 1, 1);
    await rig.search("apples");
    expect((await rig.memory.status(AGENT)).chunks).toBe(1);
    expect((await stat(join(rig.folder, "main.sqlite"))).mtimeMs).toBeGreaterThanOrEqual(mtimeMs);
  });

  test("is for its owner alone, and one file when it is closed", async () => {
    await rig.put("MEMORY.md", "apples");
    await rig.search("apples");
    await rig.memory.close();
    expect(await readdir(rig.folder)).toEqual(["main.sqlite"]);
    expect((await stat(join(rig.folder, "main.sqlite"))).mode & 0o777).toBe(0o600);
  });

  test.each([
    ["removed", (file: string) => rmSync(file)],
    ["overwritten", (file: string) => writeFileSync(file, "this is no database, whatever it is called ".repeat(400))],
    ["cut", (file: string) => writeFileSync(file, "")],
  ])("a file that was %s is built again", async (_name, damage) => {
    await rig.put("MEMORY.md", "apples");
    await rig.search("apples");
    await rig.memory.close();
    damage(join(rig.folder, "main.sqlite"));
    const { hits } = await rig.reopen().search({ query: "apples", maxResults: 1, minScore: 0, sources: ["notes"] }, AGENT);
    expect(hits).toHaveLength(1);
  });

  test("a slow update does not hold up a search, which says so", async () => {
    await rig.put("memory/a.md", "apples");
    await rig.search("apples");
    await rig.memory.close();
    const released = Promise.withResolvers<boolean>();
    const memory = rig.reopen({ isUntrusted: async (_file, { lines }) => lines === undefined && released.promise, waitMs: 1 });
    await rig.put("memory/b.md", "more apples");
    const answer = await memory.search({ query: "apples", maxResults: 6, minScore: 0, sources: ["notes"] }, AGENT);
    expect(answer.degraded).toContain("still being updated");
    expect(answer.hits.map(({ path }) => path)).toEqual(["memory/a.md"]);
    released.resolve(false);
  });

  test("while it is built again, the old one answers; one that fails is not used", async () => {
    await rig.put("memory/a.md", "apples");
    await rig.search("apples");
    await rig.memory.close();
    let answerOrigin = async (): Promise<boolean> => false;
    const memory = rig.reopen({ isUntrusted: async (_file, { lines }) => lines === undefined && answerOrigin(), waitMs: 1 });
    const reached = Promise.withResolvers<void>();
    const held = Promise.withResolvers<boolean>();
    answerOrigin = async () => (reached.resolve(), held.promise);
    const rebuilding = memory.index({ ...AGENT, rebuild: true });
    await reached.promise;
    expect((await memory.search({ query: "apples", maxResults: 6, minScore: 0, sources: ["notes"] }, AGENT)).hits).toHaveLength(1);
    held.reject(new Error("the store is closed"));
    await expect(rebuilding).rejects.toThrow("the store is closed");
    expect(await readdir(rig.folder)).toEqual(["main.sqlite"]);
    answerOrigin = async () => true;
    expect(await memory.index({ ...AGENT, rebuild: true })).toMatchObject({
      status: { files: 1, chunks: 1 },
      changes: [{ path: "memory/a.md", type: "changed" }],
    });
  });

  test("what is found, and what is read, has the origin of its lines; of a file that has changed since, that of the file", async () => {
    const isUntrusted: NoteMemoryOptions["isUntrusted"] = async (file, { lines }) =>
      (lines ?? (await readFile(file, "utf8"))).includes("letter");
    const memory = rig.reopen({ isUntrusted });
    const originsOf = async (query: string): Promise<readonly string[]> =>
      (await memory.search({ query, maxResults: 6, minScore: 0, sources: ["notes"] }, AGENT)).hits.map(({ origin }) => origin);
    const file = await rig.put("memory/a.md", "# One\n\napples\n\n# Two\n\npears of a letter\n");
    expect([await originsOf("apples"), await originsOf("pears")]).toEqual([["agent"], ["untrusted"]]);
    const read = async (from: number) => memory.get({ path: "memory/a.md", from, lines: 1 }, AGENT);
    expect([await read(3), await read(7)]).toMatchObject([{ origin: "agent" }, { origin: "untrusted" }]);
    // Changed without a trace that the index would notice.
    const { mtimeMs } = await stat(file);
    await writeFile(file, "# Two\n\npears of a letter\n\n# One\n\napples\n");
    await utimes(file, mtimeMs / 1000, mtimeMs / 1000);
    expect(await originsOf("apples")).toEqual(["untrusted"]);
  });

  test("an update says what it changed, and several at once run one after another", async () => {
    await rig.put("memory/a.md", "apples");
    await rig.put("memory/b.md", "pears");
    const index = async (rebuild: boolean) => (await rig.memory.index({ ...AGENT, rebuild })).changes;
    expect(await index(false)).toEqual(["a", "b"].map((name) => ({ path: `memory/${name}.md`, type: "added" })));
    await rig.put("memory/a.md", "plums");
    await rm(join(rig.workspace, "memory/b.md"));
    expect(await index(false)).toEqual([
      { path: "memory/b.md", type: "removed" },
      { path: "memory/a.md", type: "changed" },
    ]);
    await rig.put("memory/c.md", "cherries");
    const [first, ...others] = await Promise.all([index(true), index(true), index(true), index(false)]);
    expect(first).toEqual([{ path: "memory/c.md", type: "added" }]);
    expect(others).toEqual([[], [], []]);
    expect(await paths("cherries plums")).toHaveLength(2);
  });

  test("what a killed rebuild has left is removed", async () => {
    await mkdir(rig.folder);
    await writeFile(join(rig.folder, "main.sqlite.new"), "half");
    await rig.put("MEMORY.md", "apples");
    await rig.search("apples");
    await rig.memory.close();
    expect(await readdir(rig.folder)).toEqual(["main.sqlite"]);
  });
});

describe("get", () => {
  const get = (path: string, from = 1, lines = 2) => rig.memory.get({ path, from, lines }, AGENT);

  test("gives lines of a note", async () => {
    const file = await rig.put("memory/2026-11-20.md", "one\r\ntwo\r\nthree\r\n");
    expect(await get("./memory/2026-11-20.md", 2, 1)).toEqual({
      type: "found",
      path: "memory/2026-11-20.md",
      startLine: 2,
      endLine: 2,
      text: "two",
      origin: "agent",
      isCut: true,
    });
    rig.untrusted.add(file);
    expect(await get("memory/2026-11-20.md", 3, 10)).toMatchObject({ text: "three", isCut: false, origin: "untrusted" });
    expect(await get("memory/2026-11-20.md", 4)).toEqual({ type: "not-found", message: "memory/2026-11-20.md has 3 lines." });
  });

  test.each(["secret.md", "../workspace/secret.md", "memory/../secret.md", "/etc/hostname", "memory"])(
    "opens nothing else: %s",
    async (path) => {
      await rig.put("secret.md", "boiler");
      expect(await get(path)).toMatchObject({ type: "not-found" });
    },
  );
});

test("an agent without notes is known as such, and so is an unknown one", async () => {
  expect(await rig.memory.hasContent(AGENT)).toBe(false);
  await rig.put("AGENTS.md", "no note");
  expect(await rig.memory.hasContent(AGENT)).toBe(false);
  await rig.put("memory/2026-11-20.md", "a note");
  expect(await rig.memory.hasContent(AGENT)).toBe(true);
  expect(await rig.memory.hasContent({ ...AGENT, agentId: "other" })).toBe(false);
});

test("what is left out is named, with what to do", async () => {
  await using other = await createNoteRig({ extraPaths: ["gone", "gone.md", "vault"] });
  await other.put("memory/huge.md", "x".repeat(1024 * 1024 + 1));
  await other.put("secret.md", "x");
  await symlink(join(other.workspace, "secret.md"), join(other.workspace, "memory/link.md"));
  await other.put("../vault/1/2/3/4/5/6/7/deep.md", "x");
  const { problems } = await other.memory.status(AGENT);
  expect(problems.map((problem) => problem.replaceAll(dirname(other.workspace), "~")).toSorted()).toEqual([
    "memory/huge.md is larger than 1 MiB, and is not searched: split it.",
    "memory/link.md is a link, which is not followed: name its target in memory.extraPaths.",
    "~/gone is not there: correct memory.extraPaths.",
    "~/gone.md is not there: correct memory.extraPaths.",
    "~/vault/1/2/3/4/5/6/7 is too deep, and is not searched: name it in memory.extraPaths.",
  ]);
});

test("files of the extra paths are the owner's, and cited by their place", async () => {
  await using other = await createNoteRig({ extraPaths: ["archive", "workspace/plan.md"] });
  const file = await other.put("../archive/2020/trip.md", "We flew to Porto.");
  await other.put("plan.md", "Next is Porto again.");
  const { hits } = await other.search("Porto");
  expect(new Map(hits.map(({ path, origin }) => [path, origin]))).toEqual(
    new Map([
      [file, "owner"],
      ["plan.md", "owner"],
    ]),
  );
  expect(await other.memory.get({ path: file, from: 1, lines: 1 }, AGENT)).toMatchObject({ type: "found", text: "We flew to Porto." });
});
