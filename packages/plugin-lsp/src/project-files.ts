import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { extensionOf } from "./languages.ts";

const MAX_DEPTH = 4;
const MAX_ENTRIES = 5_000;
const SKIPPED = new Set(["node_modules", "dist", "build", "target", "vendor"]);

/** The folder of the project that a file of the workspace is in: the nearest one with a marker, else the workspace. */
export function projectRoot(path: string, workspace: string, markers: readonly string[]): string {
  for (let folder = dirname(path); folder.startsWith(workspace); folder = dirname(folder)) {
    if (markers.some((marker) => existsSync(join(folder, marker)))) return folder;
    if (folder === workspace || folder === dirname(folder)) break;
  }
  return workspace;
}

/** One of the files with these ends of names, near the top of the workspace; `undefined` without one. Looks at 5,000 entries at most. */
export async function findFile(
  workspace: string,
  extensions: ReadonlySet<string> | ReadonlyMap<string, string>,
): Promise<string | undefined> {
  let folders = [workspace];
  let seen = 0;
  for (let depth = 0; depth <= MAX_DEPTH && folders.length > 0; depth += 1) {
    const below: string[] = [];
    for (const folder of folders) {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        seen += 1;
        if (seen > MAX_ENTRIES) return undefined;
        if (entry.isFile() && extensions.has(extensionOf(entry.name))) return join(folder, entry.name);
        if (entry.isDirectory() && !entry.name.startsWith(".") && !SKIPPED.has(entry.name)) below.push(join(folder, entry.name));
      }
    }
    folders = below;
  }
  return undefined;
}

/** True for a path in a folder. Both are absolute. */
export function isInside(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== "" && !below.startsWith("..");
}
