import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { CopyOptions } from "../../copies/session-copier.ts";
import { readUsedDatabase } from "../../damage/damage-log.ts";
import { DATABASE_NAME } from "../connection/database-name.ts";
import type { Database } from "../connection/database.ts";
import { hasCopies } from "./session-copies.ts";
import type { CopyFolders } from "./session-copies.ts";
import { listSnapshots } from "./snapshots.ts";
import type { Snapshot } from "./snapshots.ts";

/**
 * What is wrong with a database as a whole. `structure`: SQLite cannot read it; `replaced`: a database that was never used is in its place; `older`: the plain
 * files hold entries that it does not have; `unlinked`: it was deleted or replaced while in use, and may have changed after its newest snapshot; `saved`: the
 * same, but its newest snapshot is complete.
 */
export type DatabaseLoss = "structure" | "missing" | "empty" | "replaced" | "older" | "unlinked" | "saved";

/** SQLite opens a file of less than a page as an empty database, without an error. */
const PAGE_BYTES = 4_096;

const MIGRATION_COPY = /^factotum\.sqlite\.v\d+\.(\d+)$/;

/**
 * Whether the database file of a state folder was lost: it is missing or has less than a page, although the list of damage names one, or snapshots of it or plain files of its
 * conversations exist. Without those it is a new state folder.
 */
export async function findLostFile(folder: string, copies: CopyFolders): Promise<DatabaseLoss | undefined> {
  const bytes = statSync(join(folder, DATABASE_NAME), { throwIfNoEntry: false })?.size;
  if (bytes !== undefined && bytes >= PAGE_BYTES) return undefined;
  const remains = readUsedDatabase(folder) !== undefined || (await listRestorable(folder)).length > 0 || (await hasCopies(copies));
  if (!remains) return undefined;
  return bytes === undefined ? "missing" : "empty";
}

/**
 * True if an open database was never used, although a used one was here before. Rows are not counted: a database whose owner has deleted everything still has
 * its id counters.
 */
export async function isReplaced(database: Pick<Database, "get">, folder: string, copies: CopyOptions): Promise<boolean> {
  if (database.get("SELECT 1 FROM sqlite_sequence LIMIT 1") !== undefined) return false;
  const snapshots = await listRestorable(folder);
  return snapshots.some(({ path }) => wasUsed(path)) || hasCopies(copies);
}

/** Everything that a database can be restored from, newest first: snapshots, and the copies from before migrations. */
export async function listRestorable(folder: string): Promise<readonly Snapshot[]> {
  const beforeMigrations = (await namesIn(folder)).flatMap((name) => {
    const time = MIGRATION_COPY.exec(name)?.[1];
    return time === undefined ? [] : [{ path: join(folder, name), takenAtMs: Number(time) }];
  });
  return [...(await listSnapshots(folder)), ...beforeMigrations].toSorted((a, b) => b.takenAtMs - a.takenAtMs);
}

/** True for a database file of ours that was used; false also for an unreadable one. No process may have it open. */
export function wasUsed(path: string): boolean {
  return peek(path, (connection) => connection.prepare("SELECT 1 FROM sqlite_sequence LIMIT 1").get()) !== undefined;
}

/** The id of a database file and the number of its newest entry; undefined for an unreadable one. No process may have it open. */
export function identify(path: string): { readonly databaseId: unknown; readonly newestEntry: number } | undefined {
  const row = peek(path, (connection) =>
    connection
      .prepare(
        `SELECT (SELECT database_id FROM ownership) AS database_id,
           (SELECT seq FROM sqlite_sequence WHERE name = 'transcript') AS newest_entry`,
      )
      .get(),
  );
  return row === undefined ? undefined : { databaseId: row["database_id"], newestEntry: Number(row["newest_entry"] ?? 0) };
}

function peek<Result>(path: string, read: (connection: DatabaseSync) => Result): Result | undefined {
  let connection: DatabaseSync | undefined;
  try {
    // No process writes to it: without this option, SQLite's reader files would stay beside it.
    const location = pathToFileURL(path);
    location.searchParams.set("immutable", "1");
    connection = new DatabaseSync(location, { readOnly: true });
    return read(connection);
  } catch (error) {
    if (error instanceof Error && "errcode" in error) return undefined;
    throw error;
  } finally {
    connection?.close();
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
