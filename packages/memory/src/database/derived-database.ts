import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The tables of a file of derived data. */
export interface DerivedSchema {
  /** Statements that create the tables in an empty file. */
  readonly sql: string;
  /** Changes with the tables or with what their rows mean: a file of another version is replaced. */
  readonly version: number;
  /** A table whose rows are counted at the opening, which finds most damage. */
  readonly table: string;
}

/** Opens a file of derived data, in a private folder that is created if it is missing. A file that cannot be used is replaced by an empty one. */
export function openDerivedDatabase(file: string, schema: DerivedSchema): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  let database: DatabaseSync;
  try {
    database = open(file, schema);
  } catch {
    removeDatabase(file);
    database = open(file, schema);
  }
  chmodSync(file, 0o600);
  return database;
}

/** Removes a database with the files that SQLite keeps next to it. */
export function removeDatabase(file: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
}

/** Commits all changes of `work` together, or none if it throws. */
export function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    work();
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function open(file: string, { sql, version, table }: DerivedSchema): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 1_000, enableForeignKeyConstraints: true });
  try {
    // A journal that is removed with each commit: a closed database is one file, which another can replace. Deleted rows are overwritten: they hold what was said.
    database.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;");
    const found = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
    const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
    if (isEmpty) database.exec(`BEGIN; ${sql} PRAGMA user_version = ${version}; COMMIT;`);
    else if (found !== version) throw new Error(`${file} has version ${found}, not ${version}`);
    database.prepare(`SELECT count(*) FROM ${table}`).get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
