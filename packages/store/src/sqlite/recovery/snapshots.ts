import { chmod, mkdir, readdir, rename, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../connection/database.ts";
import { StoreError } from "../../port/store-error.ts";
import { checkFile } from "./check-file.ts";

/** Copies that are kept: the newest, and one before it, since a fault may be noticed late. */
const KEPT = 2;

const NAME = /^factotum-(\d+)\.sqlite$/;

/** A whole copy of the database whose structure was sound when it was made. */
export interface Snapshot {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly takenAtMs: number;
}

/** The snapshots of a state folder, newest first. */
export async function listSnapshots(folder: string): Promise<readonly Snapshot[]> {
  const names = await namesIn(snapshotFolder(folder));
  return names
    .flatMap((name) => {
      const time = NAME.exec(name)?.[1];
      return time === undefined ? [] : [{ path: join(snapshotFolder(folder), name), takenAtMs: Number(time) }];
    })
    .toSorted((a, b) => b.takenAtMs - a.takenAtMs);
}

/**
 * Copies the database while it is in use, over the connection that uses it (R10), and checks the copy, which has every fault of the original. A sound one
 * becomes a snapshot, and the oldest goes. Resolves with what is wrong; empty when nothing is. Rejects with `full` where the copy would leave the disk with
 * less than it takes.
 */
export async function takeSnapshot(
  database: Pick<Database, "copyTo" | "pageBytes">,
  folder: string,
  nowMs: number,
): Promise<readonly string[]> {
  const copy = join(snapshotFolder(folder), "unchecked.sqlite");
  await mkdir(snapshotFolder(folder), { recursive: true, mode: 0o700 });
  await removeDatabase(copy);
  await refuseFullDisk(folder, database.pageBytes());
  try {
    await database.copyTo(copy);
    await chmod(copy, 0o600);
    const problems = await checkFile(copy);
    if (problems.length > 0) return problems;
    await rename(copy, join(snapshotFolder(folder), `factotum-${nowMs}.sqlite`));
  } finally {
    await removeDatabase(copy);
  }
  for (const old of (await listSnapshots(folder)).slice(KEPT)) await removeDatabase(old.path);
  return [];
}

/** A database file goes with the files that SQLite keeps beside it: left behind, they would be taken for those of its successor. */
export async function removeDatabase(path: string): Promise<void> {
  for (const end of ["", "-wal", "-shm"]) await rm(`${path}${end}`, { force: true });
}

async function refuseFullDisk(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < 2 * bytes) throw new StoreError("full", "There is too little space for a snapshot of the database: free some.");
}

function snapshotFolder(folder: string): string {
  return join(folder, "snapshots");
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
