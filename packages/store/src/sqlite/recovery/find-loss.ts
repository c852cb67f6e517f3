import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { CopyOptions } from "../../copies/session-copier.ts";
import { DATABASE_NAME } from "../connection/connection.ts";
import type { Database } from "../connection/database.ts";
import { hasCopies } from "./session-copies.ts";
import type { CopyFolders } from "./session-copies.ts";
import { listSnapshots } from "./snapshots.ts";
import type { Snapshot } from "./snapshots.ts";

/**
 * What is wrong with a database as a whole. `structure`: SQLite cannot read it; `replaced`: a database that never held anything is in its place; `older`: the
 * plain files hold entries that it does not know of; `unlinked`: it was deleted or replaced while it was in use, and something may have been written after its newest
 * snapshot; `saved`: the same, and nothing was.
 */
export type DatabaseLoss = "structure" | "missing" | "empty" | "replaced" | "older" | "unlinked" | "saved";

const MIGRATION_COPY = /^factotum\.sqlite\.v\d+\.(\d+)$/;

/**
 * Says whether the database file of a state folder was lost: it is missing or has no bytes, although snapshots of it or plain files of its conversations
 * are there. Without those it is a new state folder.
 */
export async function findLostFile(folder: string, copies: CopyFolders): Promise<DatabaseLoss | undefined> {
  const bytes = statSync(join(folder, DATABASE_NAME), { throwIfNoEntry: false })?.size;
  if (bytes !== undefined && bytes > 0) return undefined;
  const remains = (await listRestorable(folder)).length > 0 || (await hasCopies(copies));
  if (!remains) return undefined;
  return bytes === undefined ? "missing" : "empty";
}

/**
 * True if an open database never held anything, although one that did was here before. Rows are not counted: a database whose owner has deleted everything
 * still knows that it had given out numbers.
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

/** True for a database file of ours that has held anything; false also for one that cannot be read. Nobody may have it open. */
export function wasUsed(path: string): boolean {
  return peek(path, (connection) => connection.prepare("SELECT 1 FROM sqlite_sequence LIMIT 1").get()) !== undefined;
}

/** Which database a file is and the number of its newest entry; undefined for one that cannot be read. Nobody may have it open. */
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
    // Nobody writes to it: without this, files for readers would stay beside it.
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
