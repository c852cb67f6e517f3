import { readFile } from "node:fs/promises";
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
