import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { enableCompileCache, flushCompileCache, getCompileCacheDir } from "node:module";
import { join, relative, sep } from "node:path";
import { statePaths, type Environment, type StatePaths } from "@factotum/config";

/**
 * Has Node take the code that V8 made of the program's text from the state directory, where `saveCode` of an earlier start left it: compiling is a good part
 * of a start. Holds for what is loaded from now on. `entry` is the file that the build begins with; it names its chunks by their content, so another
 * build has another entry. Does nothing where there is no state directory yet, and where somebody else has decided (NODE_COMPILE_CACHE,
 * NODE_DISABLE_COMPILE_CACHE). Never throws for the folder: without it a start only takes longer.
 */
export function keepCode(env: Environment, entry: string): void {
  const { stateFolder } = statePaths(env);
  if (!existsSync(stateFolder) || getCompileCacheDir() !== undefined) return;
  enableCompileCache(join(codeFolder({ stateFolder }), createHash("sha256").update(readFileSync(entry)).digest("hex").slice(0, 16)));
}

/**
 * Writes down what has been compiled so far and is not there yet, and removes the code of other builds, so that one is kept. Blocks for some ten milliseconds
 * the first time. Does nothing where `keepCode` did nothing. Rejects when an old one cannot be removed.
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
