import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { StatePaths } from "@factotum/config";

/** The folder of the extensions that `factotum plugins` manages. */
export function extensionsFolder({ home }: Pick<StatePaths, "home">): string {
  return join(home, "extensions");
}

/** The installed project of a state directory: the folder that the file `current` names; `undefined` if nothing was installed. */
export async function currentProject(paths: Pick<StatePaths, "home">): Promise<string | undefined> {
  const name = (await readText(join(extensionsFolder(paths), "current")))?.trim();
  return name === undefined || !/^[\w-]+$/.test(name) ? undefined : join(extensionsFolder(paths), name);
}

/** The projects that earlier changes, or interrupted ones, have left: all but the installed one. None if nothing is installed. */
export async function earlierProjects(paths: Pick<StatePaths, "home">): Promise<readonly string[]> {
  const current = await currentProject(paths);
  if (current === undefined) return [];
  const names = await readdir(extensionsFolder(paths));
  return names
    .filter((name) => name.startsWith("project-"))
    .map((name) => join(extensionsFolder(paths), name))
    .filter((folder) => folder !== current);
}

/** The project that this command is installed in, from the folder of its own package; `undefined` in a clone and for a global installation without a list. */
export function deploymentOf(ownFolder: string): string | undefined {
  return /^(.+?)\/node_modules\/(?:\.pnpm\/[^/]+\/node_modules\/)?[^/]+\/?$/.exec(ownFolder)?.[1];
}

/** The text of a file; `undefined` if there is none. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}
