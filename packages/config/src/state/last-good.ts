import { readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { writePrivateFile } from "./atomic-file.ts";
import type { StatePaths } from "./state-paths.ts";

const ENDINGS = [".json5", ".json", ".yaml", ".yml"];

/** A copy of a configuration with which the gateway has started. */
export interface LastGoodCopy {
  readonly path: string;
  readonly text: string;
}

/** Keeps `text` as the last good copy. It is the file as it was, so that a person can copy it back. */
export async function writeLastGood(paths: StatePaths, configPath: string, text: string): Promise<void> {
  const ending = extname(configPath).toLowerCase();
  await writePrivateFile(copyPath(paths, ENDINGS.includes(ending) ? ending : ".json5"), text);
}

/** The newest copy, whatever it was copied from. */
export async function readLastGood(paths: StatePaths): Promise<LastGoodCopy | undefined> {
  let newest: { readonly path: string; readonly mtimeMs: number } | undefined;
  for (const path of ENDINGS.map((ending) => copyPath(paths, ending))) {
    const mtimeMs = await changedAt(path);
    if (mtimeMs !== undefined && (newest === undefined || mtimeMs > newest.mtimeMs)) newest = { path, mtimeMs };
  }
  return newest === undefined ? undefined : { path: newest.path, text: await readFile(newest.path, "utf8") };
}

function copyPath(paths: StatePaths, ending: string): string {
  return join(paths.stateFolder, `config.last-good${ending}`);
}

async function changedAt(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
