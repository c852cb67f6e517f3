import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { BOOTSTRAP_NAMES } from "@factotum/agent-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findInstructionFile } from "./instruction-files.ts";

let base: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), "factotum-instructions-")));
  await mkdir(path.join(base, "ws", "notes"), { recursive: true });
});
afterEach(async () => rm(base, { recursive: true }));

const find = async (file: string): Promise<string | undefined> =>
  findInstructionFile(path.join(base, file), {
    agents: [{ id: "main", workspace: path.join(base, "ws") }],
    skillFolders: [path.join(base, "shared")],
  });

test.each(BOOTSTRAP_NAMES)("%s of a workspace is an instruction file, in any case; elsewhere it is not", async (name) => {
  expect((await find(`ws/${name}`))?.toLowerCase()).toBe(name.toLowerCase());
  expect(await find(`ws/${name.toUpperCase()}`)).toBeDefined();
  expect(await find(`ws/${name.toLowerCase()}`)).toBeDefined();
  expect(await find(`ws/notes/${name}`)).toBeUndefined();
  expect(await find(name)).toBeUndefined();
});

test("every file below a folder of skills is an instruction file", async () => {
  for (const file of ["ws/skills/bake/SKILL.md", "ws/SKILLS/bake/run.sh", "shared/mow/SKILL.md"])
    expect(await find(file)).toContain("skill");
  for (const file of ["ws/skills.md", "ws/notes/skills/x.md", "shared-notes/x.md"]) expect(await find(file)).toBeUndefined();
});

test("so is every file below a folder of slash commands, and below the second folder of skills", async () => {
  expect(await find("ws/commands/stand-up.md")).toBe("the command file stand-up.md");
  expect(await find("ws/.agents/skills/bake/SKILL.md")).toBe("the skill file SKILL.md");
  for (const file of ["ws/commands.md", "ws/notes/commands/x.md", "ws/.agents/notes.md"]) expect(await find(file)).toBeUndefined();
});

test("so is every file of a Git repository, and a file that names one, but not what lies around it", async () => {
  for (const file of ["ws/.git/config", "ws/.git/hooks/pre-commit", "ws/project/.GIT/config", "ws/project/.git"])
    expect(await find(file), file).toContain("the Git file");
  for (const file of ["ws/.gitignore", "ws/project.git/config", "ws/git/config", "ws/.github/workflows/ci.yml"])
    expect(await find(file), file).toBeUndefined();
});

test("follows links in place of an instruction file, a folder of skills or a workspace", async () => {
  await writeFile(path.join(base, "ws", "notes", "voice.md"), "Dry.");
  await symlink("notes/voice.md", path.join(base, "ws", "SOUL.md"));
  await mkdir(path.join(base, "lib"));
  await symlink(path.join(base, "lib"), path.join(base, "ws", "skills"));
  await symlink(path.join(base, "ws"), path.join(base, "linked"));
  expect(await find("ws/notes/voice.md")).toBe("SOUL.md");
  expect(await find("lib/bake/SKILL.md")).toContain("skill");
  const places = { agents: [{ id: "main", workspace: path.join(base, "linked") }], skillFolders: [] };
  expect(await findInstructionFile(path.join(base, "ws", "MEMORY.md"), places)).toBe("MEMORY.md");
});

test("follows dangling links, even over other links", async () => {
  await symlink("nowhere/voice.md", path.join(base, "ws", "USER.md"));
  await mkdir(path.join(base, "ws", "other"));
  await symlink("other/SOUL.md", path.join(base, "ws", "SOUL.md"));
  await symlink("../soul-in-the-end.md", path.join(base, "ws", "other", "SOUL.md"));
  await symlink("TOOLS.md", path.join(base, "ws", "TOOLS.md"));
  expect(await find("ws/nowhere/voice.md")).toBe("USER.md");
  expect(await find("ws/soul-in-the-end.md")).toBe("SOUL.md");
  expect(await find("ws/TOOLS.md")).toBe("TOOLS.md");
  expect(await find("ws/nowhere/other.md")).toBeUndefined();
});
