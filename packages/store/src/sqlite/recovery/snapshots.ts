import { withoutUndefined } from "@factotum/agent-contract";
import { chmod, mkdir, readdir, rename, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../connection/database.ts";
import { StoreError } from "../../port/store-error.ts";
import { checkFile } from "./check-file.ts";

/** Snapshots kept per database: the newest ones, and the first of each of the last days, since damage may be noticed late. */
const KEPT_NEWEST = 2;
const KEPT_DAYS = 2;
const DAY_MS = 24 * 60 * 60_000;

const NAME = /^factotum-(\d+)(?:-([0-9a-f-]{36}))?\.sqlite$/;
const UNCHECKED = "unchecked.sqlite";

/** A whole copy of the database whose structure was sound when it was made. */
export interface Snapshot {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly takenAtMs: number;
  /** The id of the copied database; absent in snapshots of versions that gave databases no id. */
  readonly databaseId?: string;
}

/** The source of a snapshot. */
export interface SnapshotOptions {
  readonly folder: string;
  readonly databaseId: string;
  readonly nowMs: number;
  /** True while snapshots of other databases must stay. */
  readonly keepsOthers: boolean;
}

/** The snapshots of a state folder, newest first. */
export async function listSnapshots(folder: string): Promise<readonly Snapshot[]> {
  const names = await namesIn(snapshotFolder(folder));
  return names
    .flatMap((name) => {
      const [, time, databaseId] = NAME.exec(name) ?? [];
      const id = withoutUndefined({ databaseId });
      return time === undefined ? [] : [{ path: join(snapshotFolder(folder), name), takenAtMs: Number(time), ...id }];
    })
    .toSorted((a, b) => b.takenAtMs - a.takenAtMs);
}

/**
 * Copies the database while it is in use, over the connection that uses it (R10), and checks the copy, which has every fault of the original. A sound one
 * becomes a snapshot, and surplus ones are removed. Resolves with the problems found; empty if there are none. Rejects with `full` if the copy would leave less
 * free space than its own size.
 */
export async function takeSnapshot(
  database: Pick<Database, "copyTo" | "pageBytes">,
  { folder, databaseId, nowMs, keepsOthers }: SnapshotOptions,
): Promise<readonly string[]> {
  const copy = join(snapshotFolder(folder), UNCHECKED);
  await mkdir(snapshotFolder(folder), { recursive: true, mode: 0o700 });
  await removeDatabase(copy);
  await refuseFullDisk(folder, database.pageBytes());
  try {
    await database.copyTo(copy);
    await chmod(copy, 0o600);
    const problems = await checkFile(copy);
    if (problems.length > 0) return problems;
    await rename(copy, join(snapshotFolder(folder), `factotum-${nowMs}-${databaseId}.sqlite`));
  } finally {
    await removeDatabase(copy);
  }
  for (const { path } of surplusSnapshots(await listSnapshots(folder), { databaseId, keepsOthers })) await removeDatabase(path);
  return [];
}

/** Removes the unfinished copy of a killed process. */
export async function removeUncheckedSnapshot(folder: string): Promise<void> {
  await removeDatabase(join(snapshotFolder(folder), UNCHECKED));
}

/** Of snapshots, newest first, those that can be removed. */
function surplusSnapshots(
  snapshots: readonly Snapshot[],
  { databaseId, keepsOthers }: Pick<SnapshotOptions, "databaseId" | "keepsOthers">,
): readonly Snapshot[] {
  // One without an id was taken by an earlier version, most likely of this database; it stays while that is uncertain.
  const isOwn = (snapshot: Snapshot): boolean => snapshot.databaseId === databaseId || (snapshot.databaseId === undefined && !keepsOthers);
  const own = snapshots.filter(isOwn);
  const firstOfDay = new Map(own.map((snapshot) => [Math.floor(snapshot.takenAtMs / DAY_MS), snapshot]));
  const kept = new Set([...own.slice(0, KEPT_NEWEST), ...[...firstOfDay.values()].slice(0, KEPT_DAYS)]);
  return snapshots.filter((snapshot) => (isOwn(snapshot) ? !kept.has(snapshot) : !keepsOthers));
}

/** A database file is removed with the files that SQLite keeps beside it: left behind, SQLite would apply them to its successor. */
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
