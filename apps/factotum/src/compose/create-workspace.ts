import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FolderError, makeFolder } from "@factotum/config";
import { assetPath } from "../runtime/assets.ts";
import { CliError } from "../runtime/cli-error.ts";

/** What was created in one workspace. */
export interface CreatedWorkspace {
  readonly path: string;
  /** Names of the created files. */
  readonly created: readonly string[];
}

const TEMPLATES = ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md"];
const FIRST_MEETING = "BOOTSTRAP.md";
/** Any of these shows that the workspace was used before. */
const TRACES = [...TEMPLATES, FIRST_MEETING, "HEARTBEAT.md", "MEMORY.md", "memory.md"];

/**
 * Creates a workspace and its missing files; existing ones are not changed. `BOOTSTRAP.md` is created only in a workspace without any other such file, so once
 * it has been deleted it stays away. With `skipBootstrap` only the folder is created. Rejects with a `CliError` if the folder cannot be created.
 */
export async function createWorkspace(path: string, { skipBootstrap }: { readonly skipBootstrap: boolean }): Promise<CreatedWorkspace> {
  await makeWorkspaceFolder(path);
  if (skipBootstrap) return { path, created: [] };
  const there = new Set(await readdir(path));
  const isNew = !TRACES.some((name) => there.has(name));
  const created: string[] = [];
  for (const name of isNew ? [...TEMPLATES, FIRST_MEETING] : TEMPLATES) {
    if (await copyTemplate(name, join(path, name))) created.push(name);
  }
  return { path, created };
}

/** How to choose another workspace. */
export const CHOOSE_WORKSPACE =
  'Choose another with "factotum config set agents.defaults.workspace <folder>", or with the workspace of the agent in agents.list.';

/** Creates the folder of a workspace. Rejects with a `CliError` that says why it cannot, and what to do. */
export async function makeWorkspaceFolder(path: string): Promise<void> {
  try {
    await makeFolder(path);
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    throw new CliError("failure", `The workspace ${error.message}.`, { fix: CHOOSE_WORKSPACE, cause: error });
  }
}

async function copyTemplate(name: string, target: string): Promise<boolean> {
  try {
    await writeFile(target, await readFile(join(assetPath("templates"), name)), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
