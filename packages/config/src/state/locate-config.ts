import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expandHome, type Environment, type StatePaths } from "./state-paths.ts";

/** Where the configuration is, or where it would be written. */
export interface ConfigLocation {
  readonly path: string;
  readonly exists: boolean;
  /** Other files that would have been read, had this one not been there. */
  readonly ignored: readonly string[];
}

const NAMES = ["factotum.json5", "factotum.json", "factotum.yaml", "factotum.yml"];

/** Finds the configuration: `FACTOTUM_CONFIG`, else the first of the known names in the state directory. */
export async function locateConfig(paths: StatePaths, env: Environment): Promise<ConfigLocation> {
  const named = env["FACTOTUM_CONFIG"]?.trim();
  if (named !== undefined && named !== "") {
    const path = resolve(expandHome(named, paths));
    return { path, exists: await isThere(path), ignored: [] };
  }
  const candidates = NAMES.map((name) => join(paths.home, name));
  const there: string[] = [];
  for (const candidate of candidates) if (await isThere(candidate)) there.push(candidate);
  const [path = join(paths.home, "factotum.json5"), ...ignored] = there;
  return { path, exists: there.length > 0, ignored };
}

/** True for a path at which the configuration is looked for when `FACTOTUM_CONFIG` names none. */
export function isDefaultLocation({ home }: StatePaths, path: string): boolean {
  return NAMES.some((name) => join(home, name) === path);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    // Anything else (no permission, a loop of links) means that a file is there and cannot be read: reading it says so.
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}
