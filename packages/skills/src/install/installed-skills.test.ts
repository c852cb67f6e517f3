import { chmod, mkdtemp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkPin, installStaged, removeInstalled } from "./installed-skills.ts";
import { lockPath, readLock, type LockedSkill } from "./skill-lock.ts";
import { stageSkill } from "./stage-skill.ts";

let base: string;
let folder: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "installed-"));
  folder = join(base, "skills");
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function install(text: string, { replaces = false }: { readonly replaces?: boolean } = {}): Promise<LockedSkill> {
  const source = join(base, "bake");
  await mkdir(source, { recursive: true });
  await writeFile(join(source, "SKILL.md"), `---\nname: bake\ndescription: Bakes.\n---\n${text}\n`);
  const options = { folder, env: {}, signal: new AbortController().signal };
  await using staged = await stageSkill({ type: "folder", path: source }, options);
  // Awaited before the staged files are removed.
  return await installStaged(folder, staged, { source: "./bake", nowMs: Date.UTC(2026, 0, 30), replaces });
}

const text = async (): Promise<string> => readFile(join(folder, "bake/SKILL.md"), "utf8");

test("an installed skill is in its folder and in the lock file, and nothing else is left", async () => {
  const entry = await install("One.");
  expect(entry).toEqual({
    name: "bake",
    source: "./bake",
    path: "",
    hash: expect.stringMatching(/^sha256-[0-9a-f]{64}$/) as string,
    installedAt: "2026-01-30T00:00:00.000Z",
  });
  expect([...(await readLock(folder)).values()]).toEqual([entry]);
  expect(await readdir(folder)).toEqual(["bake", "skills-lock.json"]);
});

test("a second one of the same name replaces it only if asked", async () => {
  const { hash } = await install("One.");
  await expect(install("Two.")).rejects.toMatchObject({
    message: expect.stringContaining("installed already") as string,
    fix: expect.stringContaining("--replace") as string,
  });
  expect(await text()).toContain("One.");
  const replaced = await install("Two.", { replaces: true });
  expect(replaced.hash).not.toBe(hash);
  expect(await text()).toContain("Two.");
  expect(await readdir(folder)).toEqual(["bake", "skills-lock.json"]);
});

test("a skill that was written by hand is neither replaced nor removed", async () => {
  await mkdir(join(folder, "bake"), { recursive: true });
  await writeFile(join(folder, "bake/SKILL.md"), "By hand.");
  await expect(install("One.", { replaces: true })).rejects.toThrow(/not installed by this command/);
  await expect(removeInstalled(folder, "bake")).rejects.toThrow(/not installed by this command/);
  expect(await text()).toBe("By hand.");
});

test("a removed skill is gone from both", async () => {
  await install("One.");
  await removeInstalled(folder, "bake");
  expect((await readLock(folder)).size).toBe(0);
  expect(await readdir(folder)).toEqual(["skills-lock.json"]);
  await expect(removeInstalled(folder, "bake")).rejects.toThrow(/not installed/);
});

test("every change of the files is detected", async () => {
  const entry = await install("One.");
  const file = join(folder, "bake/SKILL.md");
  expect(await checkPin(folder, entry)).toBe("unchanged");
  const original = await text();
  await writeFile(file, `${original} `);
  expect(await checkPin(folder, entry)).toBe("changed");
  await writeFile(file, original);
  expect(await checkPin(folder, entry)).toBe("unchanged");
  await chmod(file, 0o700);
  expect(await checkPin(folder, entry)).toBe("changed");
  await chmod(file, 0o600);
  await writeFile(join(folder, "bake/extra"), "");
  expect(await checkPin(folder, entry)).toBe("changed");
  await rm(join(folder, "bake/extra"));
  await symlink("SKILL.md", join(folder, "bake/link"));
  expect(await checkPin(folder, entry)).toBe("changed");
  await rm(join(folder, "bake"), { recursive: true });
  expect(await checkPin(folder, entry)).toBe("missing");
});

test.each(["{", "[]", '{"version":2,"skills":[]}', '{"version":1,"skills":[{"name":"x"}]}'])(
  "an unusable lock file %s is reported",
  async (content) => {
    await mkdir(folder);
    await writeFile(lockPath(folder), content);
    await expect(readLock(folder)).rejects.toMatchObject({ fix: expect.stringContaining("backup") as string });
    await expect(install("One.")).rejects.toThrow(/cannot be read/);
    expect(await readdir(folder)).toEqual(["skills-lock.json"]);
  },
);
