import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assetPath } from "../runtime/assets.ts";

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
 * it has been deleted it stays away. With `skipBootstrap` only the folder is created.
 */
export async function createWorkspace(path: string, { skipBootstrap }: { readonly skipBootstrap: boolean }): Promise<CreatedWorkspace> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (skipBootstrap) return { path, created: [] };
  const there = new Set(await readdir(path));
  const isNew = !TRACES.some((name) => there.has(name));
  const created: string[] = [];
  for (const name of isNew ? [...TEMPLATES, FIRST_MEETING] : TEMPLATES) {
    if (await copyTemplate(name, join(path, name))) created.push(name);
  }
  return { path, created };
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
