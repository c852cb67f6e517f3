import type { Dirent } from "node:fs";
import { lstat, opendir, realpath, rm } from "node:fs/promises";
import { join, sep } from "node:path";
import { isProcessAlive } from "../runtime/is-process-alive.ts";

/** A temporary file's name: the writing process, and a random part. */
const TEMPORARY = /^\.factotum-(\d+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;
/** The same in earlier versions, in workspaces and in the state directory; without the writing process. */
const EARLIER = /^\.(factotum-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** True for the name of a file that is renamed or removed once it is written. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name) || EARLIER.test(name);
}

/** Longer than any write takes. */
const EARLIER_AGE_MS = 60 * 60_000;
/** Maximum entries scanned, in all folders together. */
const MAX_ENTRIES = 100_000;
/** Folders of many small files that tools rarely write: scanned last, so that they do not use up the limit. */
const LAST: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/** The folders to clean. */
export interface TemporaryFileOptions {
  /** Recursive; links are not followed. */
  readonly folders: readonly string[];
  /** Folders among them that only the product writes to. */
  readonly ownFolders: readonly string[];
  /** When this process began, milliseconds since the epoch: files changed since are in use. */
  readonly startedAtMs: number;
  /** 100,000 by default. */
  readonly maxEntries?: number;
}

/**
 * Removes temporary files of processes that were killed before they could rename or remove them, and resolves with their number. A file is removed only if its
 * name is one of ours, its process is gone, and it was not changed since this process began. Unreadable folders are skipped.
 */
export async function removeTemporaryFiles(options: TemporaryFileOptions): Promise<number> {
  const { maxEntries = MAX_ENTRIES } = options;
  const own = await Promise.all(options.ownFolders.map(realOf));
  const [waiting, last] = [new Set(await Promise.all(options.folders.map(realOf))), new Set<string>()];
  let [removed, seen] = [0, 0];
  for (const queue of [waiting, last]) {
    for (const folder of queue) {
      const isOwn = own.some((path) => folder === path || folder.startsWith(`${path}${sep}`));
      for await (const entry of entriesOf(folder)) {
        seen += 1;
        if (seen > maxEntries) return removed;
        if (entry.isDirectory()) (LAST.has(entry.name) ? last : queue).add(join(folder, entry.name));
        else if (entry.isFile() && (await isAbandoned(entry, { ...options, isOwn }))) {
          await rm(pathOf(entry), { force: true });
          removed += 1;
        }
      }
    }
  }
  return removed;
}

async function isAbandoned(
  entry: Dirent,
  { startedAtMs, isOwn }: Pick<TemporaryFileOptions, "startedAtMs"> & { readonly isOwn: boolean },
): Promise<boolean> {
  const pid = TEMPORARY.exec(entry.name)?.[1];
  if (pid !== undefined) {
    // In a container every start has the same number.
    const isGone = Number(pid) === process.pid || !isProcessAlive(Number(pid));
    return isGone && (await changedAtMs(pathOf(entry))) < startedAtMs;
  }
  const earlier = EARLIER.exec(entry.name);
  if (earlier === null || (earlier[1] === undefined && !isOwn)) return false;
  return (await changedAtMs(pathOf(entry))) < startedAtMs - EARLIER_AGE_MS;
}

/** Joined only for the few files whose name matches. */
function pathOf(entry: Dirent): string {
  return join(entry.parentPath, entry.name);
}

/** A missing file counts as changed just now. */
async function changedAtMs(path: string): Promise<number> {
  try {
    return (await lstat(path)).mtimeMs;
  } catch (error) {
    if (isSkipped(error)) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

async function* entriesOf(folder: string): AsyncIterable<Dirent> {
  try {
    yield* await opendir(folder);
  } catch (error) {
    if (!isSkipped(error)) throw error;
  }
}

async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isSkipped(error)) return path;
    throw error;
  }
}

/** Missing or inaccessible. */
function isSkipped(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP"].includes(String(error.code));
}
