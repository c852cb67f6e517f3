import type { Stats } from "node:fs";
import { lstat, readdir, rm, rmdir } from "node:fs/promises";
import path from "node:path";
import { isMissing } from "./is-missing.ts";

interface MediaFile {
  readonly path: string;
  readonly recordPath: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

const FRESH_MS = 60 * 60 * 1000;

/** Deletes files that are too old, then the oldest until the rest fits; records are deleted with their files, empty folders too. */
export async function pruneMedia(options: {
  readonly filesFolder: string;
  readonly recordsFolder: string;
  readonly nowMs: number;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}): Promise<void> {
  const { filesFolder, recordsFolder, nowMs, maxBytes, maxAgeMs } = options;
  const files: MediaFile[] = [];
  for (const session of await namesIn(filesFolder)) {
    for (const name of await namesIn(path.join(filesFolder, session))) {
      const file = path.join(filesFolder, session, name);
      const stats = await lstatIfThere(file);
      const recordPath = path.join(recordsFolder, session, `${name.split(".")[0] ?? ""}.json`);
      if (stats !== undefined) files.push({ path: file, recordPath, sizeBytes: stats.size, modifiedAtMs: stats.mtimeMs });
    }
  }
  files.sort((one, other) => other.modifiedAtMs - one.modifiedAtMs);
  let keptBytes = 0;
  let full = false;
  for (const file of files) {
    full ||= keptBytes + file.sizeBytes > maxBytes;
    if (!full && nowMs - file.modifiedAtMs <= maxAgeMs) keptBytes += file.sizeBytes;
    else {
      await rm(file.recordPath, { force: true });
      await rm(file.path, { force: true });
    }
  }
  await removeOrphans(recordsFolder, new Set(files.map(({ recordPath }) => recordPath)), nowMs);
  for (const folder of [filesFolder, recordsFolder]) await removeEmptyFolders(folder, nowMs);
}

/** Records without a file; a recent one may belong to a file that is being stored. */
async function removeOrphans(recordsFolder: string, known: ReadonlySet<string>, nowMs: number): Promise<void> {
  for (const session of await namesIn(recordsFolder)) {
    for (const name of await namesIn(path.join(recordsFolder, session))) {
      const record = path.join(recordsFolder, session, name);
      const stats = known.has(record) ? undefined : await lstatIfThere(record);
      if (stats !== undefined && nowMs - stats.mtimeMs >= FRESH_MS) await rm(record, { force: true });
    }
  }
}

/** A recent folder may be about to get its first file. */
async function removeEmptyFolders(folder: string, nowMs: number): Promise<void> {
  for (const name of await namesIn(folder)) {
    const child = path.join(folder, name);
    const stats = await lstatIfThere(child);
    if (stats?.isDirectory() !== true || nowMs - stats.mtimeMs < FRESH_MS) continue;
    try {
      if ((await namesIn(child)).length === 0) await rmdir(child);
    } catch (error) {
      if (!isMissing(error) && !(error instanceof Error && "code" in error && error.code === "ENOTEMPTY")) throw error;
    }
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function lstatIfThere(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
