import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMemoryLogger } from "../../test/gateway-harness.ts";
import { FileChanges, type FileChange } from "./file-changes.ts";
import { fileKinds, type FileKind } from "./file-kinds.ts";
import { SourceWatch } from "./source-watch.ts";

let workspace: string;
beforeEach(async () => {
  workspace = await mkdtemp(path.join(tmpdir(), "factotum-watch-"));
});
afterEach(() => rm(workspace, { recursive: true, force: true }));

const write = async (name: string, text: string): Promise<void> => {
  await mkdir(path.dirname(path.join(workspace, name)), { recursive: true });
  await writeFile(path.join(workspace, name), text);
};

test("changes of every kind are seen when they are followed, also in folders that were removed", async () => {
  const seen: FileKind[] = [];
  await using watch = new SourceWatch({
    workspace,
    skillFolders: [],
    logger: createMemoryLogger(),
    onFiles: (kinds) => seen.push(...kinds),
  });
  watch.follow();
  // Each watch says once that it works.
  await expect.poll(() => seen.toSorted()).toEqual(["knowledge", "notes", "persona", "skills"]);
  // Kinds take turns, so that a late event of one is not that of the next change.
  const changes: readonly [FileKind, () => Promise<unknown>][] = [
    ["knowledge", () => write("knowledge/list.txt", "eggs")],
    ["notes", () => write("memory/plans/tea.md", "Oolong.")],
    ["skills", () => write("skills/tea/SKILL.md", "Brew.")],
    ["knowledge", () => rm(path.join(workspace, "knowledge"), { recursive: true })],
    ["persona", () => write("SOUL.md", "Be calm.")],
    ["knowledge", () => write("knowledge/list.txt", "milk")],
    ["notes", () => rm(workspace, { recursive: true })],
    ["persona", () => write("SOUL.md", "Be brief.")],
  ];
  for (const [kind, change] of changes) {
    seen.length = 0;
    await change();
    await expect.poll(() => seen).toContain(kind);
  }
});

test("skills of too many files are not watched, which is said once, and every turn looks at them", async () => {
  const names = Array.from({ length: 2_001 }, (_, index) => `skills/tea/page-${index}.md`);
  await write("skills/tea/SKILL.md", "Brew.");
  await Promise.all(names.map(async (name) => write(name, "x")));
  const logger = createMemoryLogger();
  await using watch = new SourceWatch({ workspace, skillFolders: [], logger });
  watch.generation();
  await expect.poll(() => logger.lines).toEqual([expect.stringContaining("too many files of skills")]);
  const before = watch.generation();
  expect(watch.generation()).toBeGreaterThan(before);
});

test.each([
  ["SOUL.md", ["persona"]],
  ["USER.md", ["persona", "notes"]],
  ["MEMORY.md", ["notes"]],
  ["memory/2026-01-02.md", ["notes"]],
  ["knowledge", ["knowledge"]],
  [".agents/skills/tea/SKILL.md", ["skills"]],
  ["../shared/tea/SKILL.md", ["skills"]],
  ["commands/tea.md", ["skills"]],
  ["notes/SOUL.md", []],
])("%s is of the kinds %j", (file, kinds) => {
  expect(fileKinds(path.join("/workspace", file), "/workspace")).toEqual(kinds);
});

test("a change is told at once, and what follows it in a short time once for each agent and kind", () => {
  let fire = (): void => undefined;
  using changes = new FileChanges({
    clock: { schedule: (_delayMs, callback) => ((fire = callback), { [Symbol.dispose]: () => undefined }) },
  });
  const told: FileChange[] = [];
  using _ = changes.onChange((change) => told.push(change));
  const [note, skill] = [
    { agentId: "main", kind: "notes" },
    { agentId: "main", kind: "skills" },
  ] as const;
  for (const change of [note, note, skill, note]) changes.announce(change);
  expect(told).toEqual([note]);
  fire();
  expect(told).toEqual([note, note, skill]);
  fire();
  changes.announce(skill);
  expect(told).toHaveLength(4);
});
