import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { enableCompileCache, flushCompileCache, getCompileCacheDir } from "node:module";
import { join, relative, sep } from "node:path";
import { statePaths, type Environment, type StatePaths } from "@factotum/config";

/**
 * Has Node load V8's compiled code from the state directory, where an earlier process stored it, at its end or by `saveCode`: compiling is a good part of a
 * start and of every command. Affects later imports. `entry` is the entry file of the build; it names its chunks by content hash, so it differs between builds. A no-op without a state
 * directory, in that of another account, which could not remove the files, and where NODE_COMPILE_CACHE or NODE_DISABLE_COMPILE_CACHE is set. Never throws for the folder: without it a start only takes longer.
 */
export function keepCode(env: Environment, entry: string): void {
  const { stateFolder } = statePaths(env);
  if (getCompileCacheDir() !== undefined) return;
  if (statSync(stateFolder, { throwIfNoEntry: false })?.uid !== process.getuid?.()) return;
  enableCompileCache(join(codeFolder({ stateFolder }), createHash("sha256").update(readFileSync(entry)).digest("hex").slice(0, 16)));
}

/**
 * Stores newly compiled code and removes that of other builds. Blocks for tens of milliseconds the first time. A no-op where `keepCode` was one. Rejects when
 * an old build's code cannot be removed.
 */
export async function saveCode(paths: Pick<StatePaths, "stateFolder">): Promise<void> {
  const [kept, all] = [getCompileCacheDir(), codeFolder(paths)];
  if (kept?.startsWith(`${all}${sep}`) !== true) return;
  flushCompileCache();
  const [build] = relative(all, kept).split(sep);
  for (const other of await readdir(all)) if (other !== build) await rm(join(all, other), { recursive: true, force: true });
}

function codeFolder({ stateFolder }: Pick<StatePaths, "stateFolder">): string {
  return join(stateFolder, "code");
}
