import { createReadStream } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isIgnoredEntry } from "./entry-path.ts";
import type { StagedFiles } from "./staged-files.ts";

/** Copies a folder. Throws a SkillInstallError for links, special files, and everything beyond the limits. */
export async function readFolder(folder: string, staged: StagedFiles, { signal }: { readonly signal: AbortSignal }): Promise<void> {
  const visit = async (below: string): Promise<void> => {
    for (const name of (await readdir(join(folder, below))).toSorted()) {
      signal.throwIfAborted();
      const path = below === "" ? name : `${below}/${name}`;
      if (isIgnoredEntry(path)) continue;
      const full = join(folder, path);
      const stats = await lstat(full);
      if (stats.isSymbolicLink()) staged.refuseSpecial(path, "link");
      else if (stats.isDirectory()) {
        await staged.addFolder(path);
        await visit(path);
      } else if (stats.isFile())
        await staged.addFile(path, createReadStream(full, { signal }), { isExecutable: (stats.mode & 0o100) !== 0, size: stats.size });
      else staged.refuseSpecial(path, "special file");
    }
  };
  await visit("");
}
