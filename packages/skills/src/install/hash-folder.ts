import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

/**
 * The hash of everything in a folder: paths, contents and whether a file can be executed. A link, which no installed skill has, counts with its target. Rejects
 * if the folder is not there.
 */
export async function hashFolder(folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).toSorted();
  const hash = createHash("sha256");
  for (const name of names) {
    const path = join(folder, name);
    const stats = await lstat(path);
    if (stats.isDirectory()) continue;
    const content = stats.isSymbolicLink() ? Buffer.from(await readlink(path)) : await readFile(path);
    const kind = stats.isSymbolicLink() ? "link" : (stats.mode & 0o100) === 0 ? "file" : "program";
    hash.update(`${kind}\0${name.split("\\").join("/")}\0${content.length}\0`).update(content);
  }
  return `sha256-${hash.digest("hex")}`;
}
