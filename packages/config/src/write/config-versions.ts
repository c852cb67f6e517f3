import { readdir, rm } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { writePrivateFile } from "../state/atomic-file.ts";
import { makeFolder } from "../state/make-folder.ts";
import type { StatePaths } from "../state/state-paths.ts";

/** How many earlier versions are kept. */
const KEPT_VERSIONS = 20;

/** Stores a file's text before it is replaced and resolves with the path. Only the newest 20 versions stay. */
export async function keepVersion(
  paths: StatePaths,
  configPath: string,
  { text, hash, nowMs }: { text: string; hash: string; nowMs: number },
): Promise<string> {
  const folder = paths.configVersionsFolder;
  await makeFolder(folder);
  const stamp = new Date(nowMs).toISOString().replaceAll(/[:.]/g, "-");
  const file = join(folder, `${stamp}-${hash.slice(0, 8)}${extname(configPath) || ".json5"}`);
  await writePrivateFile(file, text);
  // The current version is the newest, even if the clock was set back.
  const names = (await readdir(folder)).filter((name) => !name.startsWith(".") && name !== basename(file)).sort();
  for (const name of names.slice(0, 1 - KEPT_VERSIONS)) await rm(join(folder, name), { force: true });
  return file;
}
