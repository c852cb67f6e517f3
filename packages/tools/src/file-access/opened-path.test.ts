import { mkdtemp, open, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openedPath } from "./opened-path.ts";

test("without /proc a file that was replaced while it was opened is detected", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "opened-path-")));
  const path = join(folder, "a.txt");
  await writeFile(path, "a");
  const handle = await open(path, "r");
  try {
    expect(await openedPath(handle, path, { viaProc: false })).toBe(path);
    await writeFile(join(folder, "b.txt"), "b");
    await rename(join(folder, "b.txt"), path);
    await expect(openedPath(handle, path, { viaProc: false })).rejects.toMatchObject({ code: "changed" });
  } finally {
    await handle.close();
    await rm(folder, { recursive: true });
  }
});
