import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expandHome, type Environment, type StatePaths } from "./state-paths.ts";

/** Where the configuration is, or where it would be written. */
export interface ConfigLocation {
  readonly path: string;
  readonly exists: boolean;
  /** Lower-priority files that are ignored because this one exists. */
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

/** True for a default path of the configuration, without `FACTOTUM_CONFIG`. */
export function isDefaultLocation({ home }: StatePaths, path: string): boolean {
  return NAMES.some((name) => join(home, name) === path);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    // Any other error (no permission, a loop of links) means that a file exists and cannot be read: reading it reports that.
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}
