import { mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FolderError, folderObstacle, makeFolder } from "../index.ts";

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "factotum-folder-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("creates a folder and its missing parents, private to the user, and keeps an existing one", () =>
  withFolder(async (folder) => {
    const path = join(folder, "a", "b", "c");
    await makeFolder(path);
    await makeFolder(path);
    for (const made of [join(folder, "a"), path]) expect((await stat(made)).mode & 0o777).toBe(0o700);
    await symlink(path, join(folder, "link"));
    await makeFolder(join(folder, "link"));
  }));

test("folders below one new parent are created at once", () =>
  withFolder(async (folder) => {
    for (let round = 0; round < 20; round += 1) {
      const paths = Array.from({ length: 8 }, (_, index) => join(folder, `round-${round}`, "parent", `${index}`));
      await Promise.all(paths.map(async (path) => makeFolder(path)));
      for (const path of paths) expect((await stat(path)).isDirectory()).toBe(true);
    }
  }));

test.runIf(process.platform === "linux")("gives up at a file system that takes no folders", async () => {
  await expect(makeFolder("/proc/nowhere/deep")).rejects.toThrow(new FolderError("/proc/nowhere/deep", "/proc takes no new folders"));
  expect(await folderObstacle("/proc/nowhere/deep")).toBe("/proc takes no new folders");
});

test("says what stands in the place of a folder", () =>
  withFolder(async (folder) => {
    const [file, link] = [join(folder, "file"), join(folder, "link")];
    await writeFile(file, "");
    await symlink(join(folder, "gone"), link);
    await expect(makeFolder(file)).rejects.toThrow(`${file} cannot be made (${file} is not a folder)`);
    await expect(makeFolder(join(file, "a"))).rejects.toThrow(`(${file} is not a folder)`);
    const dangling = `(${link} is a link to ${join(folder, "gone")}, which is not a folder that exists)`;
    await expect(makeFolder(link)).rejects.toThrow(dangling);
    await expect(makeFolder(join(link, "a", "b"))).rejects.toThrow(dangling);
    expect(dangling).toContain(await folderObstacle(join(link, "a")));
    expect(await folderObstacle(join(folder, "new", "er"))).toBeUndefined();
  }));
