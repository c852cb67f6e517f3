import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ForgetPlaces } from "./forget-places.ts";

/** A note, or an earlier version of one. */
export interface KeptNote {
  readonly agentId: string;
  readonly file: string;
  readonly text: string;
  /** When it was last changed; of a version, when it was replaced. Milliseconds since the epoch. */
  readonly atMs: number;
  readonly mode: number;
}

/** Of a workspace; the daily ones are in the folder `memory`. */
const NOTES = ["MEMORY.md", "memory.md", "USER.md"];
/** In the name of a version, the time in UTC. */
const VERSION = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})Z-[0-9a-f]{8}(?:\.untrusted)?\.md$/;

/** The notes of every agent. Links in the folder `memory` are not followed. */
export async function readNotes({ agents }: ForgetPlaces): Promise<readonly KeptNote[]> {
  const found: KeptNote[] = [];
  for (const { id: agentId, workspace } of agents) {
    const files = [...NOTES.map((name) => join(workspace, name)), ...(await filesBelow(join(workspace, "memory")))];
    for (const file of files.filter((path) => path.endsWith(".md"))) {
      const note = await readIfThere(file, agentId);
      if (note !== undefined) found.push(note);
    }
  }
  return found;
}

/** The versions of notes in the state folder. */
export async function readVersions({ paths }: ForgetPlaces): Promise<readonly KeptNote[]> {
  const folder = join(paths.stateFolder, "note-versions");
  const found: KeptNote[] = [];
  for (const file of await filesBelow(folder)) {
    const [, ...time] = VERSION.exec(basename(file)) ?? [];
    if (time.length === 0) continue;
    const [year, month, day, hour, minute, second, ms] = time.map(Number);
    const version = await readIfThere(file, file.slice(folder.length + 1).split(/[\\/]/)[0] ?? "");
    const atMs = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second, ms);
    if (version !== undefined) found.push({ ...version, atMs });
  }
  return found;
}

/** Every file below a folder, absolute; none if there is no such folder. Links are not followed. */
export async function filesBelow(folder: string): Promise<readonly string[]> {
  let entries: readonly Dirent[];
  try {
    entries = await readdir(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return [];
    throw error;
  }
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

async function readIfThere(file: string, agentId: string): Promise<KeptNote | undefined> {
  try {
    const { mtimeMs, mode } = await stat(file);
    return { agentId, file, text: await readFile(file, "utf8"), atMs: mtimeMs, mode };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
