import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** An entry of a folder. */
export interface FoundEntry {
  readonly type: "folder" | "file" | "link" | "other" | "unreadable";
  /** Absolute. */
  readonly file: string;
  /** Relative to the root of the walk, with `/`. */
  readonly path: string;
}

/** Options of `walkFolder`. */
export interface WalkOptions {
  /** True for entries to skip, with everything below them. */
  readonly skips: (entry: Pick<FoundEntry, "file" | "path">) => boolean;
}

/**
 * Yields all entries below a folder, each folder before its content, sorted by name. Links are yielded and not followed. Yields nothing for a missing folder.
 */
export async function* walkFolder(folder: string, options: WalkOptions, prefix = ""): AsyncIterable<FoundEntry> {
  const entries = await read(folder);
  if (entries === undefined) {
    yield { type: "unreadable", file: folder, path: prefix };
    return;
  }
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const found = { file: join(folder, entry.name), path: prefix === "" ? entry.name : `${prefix}/${entry.name}` };
    if (options.skips(found)) continue;
    yield { type: typeOf(entry), ...found };
    if (entry.isDirectory()) yield* walkFolder(found.file, options, found.path);
  }
}

function typeOf(entry: Dirent): FoundEntry["type"] {
  if (entry.isDirectory()) return "folder";
  if (entry.isFile()) return "file";
  return entry.isSymbolicLink() ? "link" : "other";
}

async function read(folder: string): Promise<readonly Dirent[] | undefined> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") return [];
    if (code === "EACCES" || code === "EPERM") return undefined;
    throw error;
  }
}
