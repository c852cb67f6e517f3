import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { FileAccessError, systemCode } from "./file-access-error.ts";
import { requireWritable } from "./folder-chains.ts";
import { realPathOfAny } from "./grants.ts";
import type { OpenContext } from "./open-folder.ts";

/** Where a file is written. */
interface WriteTarget {
  /** Real, except for parts that do not exist yet. */
  readonly target: string;
  /** The nearest folder above it that exists. Real. */
  readonly ancestor: string;
}

/** Resolves the symbolic links of a path that is to be written, and refuses one that may not be. */
export async function resolveTarget(path: string, context: OpenContext): Promise<WriteTarget> {
  const target = await realPathOfAny(path);
  const stats = await unlessMissing(lstat(target));
  // A resolved path is a link only if the link could not be followed.
  if (stats?.isSymbolicLink()) throw new FileAccessError("not-found", `${context.show(path)} is a symbolic link that leads nowhere.`);
  await requireWritable(target, context);
  if (stats?.isDirectory())
    throw new FileAccessError(
      "not-a-file",
      `${context.show(path)} is a folder; name a file in it, such as ${join(context.show(path), "notes.md")}.`,
    );
  return { target, ancestor: await nearestExisting(dirname(target)) };
}

async function unlessMissing(stats: Promise<Stats>): Promise<Stats | undefined> {
  try {
    return await stats;
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

async function nearestExisting(folder: string): Promise<string> {
  let current = folder;
  while (current !== sep && (await unlessMissing(lstat(current))) === undefined) current = dirname(current);
  return current;
}
