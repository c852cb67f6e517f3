import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Clock, Logger } from "@factotum/agent-contract";
import { StoreError } from "../../port/store-error.ts";
import { BUSY_TIMEOUT_MS, Database } from "./database.ts";
import { DATABASE_NAME } from "./database-name.ts";
import { numberOf, textOf } from "../values/row.ts";
import { MIGRATIONS } from "./schema.ts";
import type { Migration } from "./schema.ts";
import { isSafeSqlite } from "./sqlite-version.ts";
import { toStoreError } from "../to-store-error.ts";

/** What the copy before a migration is called while it is written. */
const UNFINISHED_COPY = `${DATABASE_NAME}.copying`;

/** The application id that marks the file as ours: "fact". */
export const APPLICATION_ID = 0x66_61_63_74;

/** Magic numbers of network file systems, on which write-ahead logging is not safe. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB2"],
  [0xff534d42, "CIFS"],
]);

/** Options of opening. */
export interface ConnectionOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly migrations: readonly Migration[];
}

/**
 * Opens the database file and migrates it to the newest version. Never opens the file by any other way than SQLite: closing a second descriptor would drop the
 * process's locks (R10).
 */
export function connect(options: ConnectionOptions): Database {
  const path = join(options.folder, DATABASE_NAME);
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  refuseNetworkFolder(options.folder);
  const isNew = !existsSync(path);
  let connection: DatabaseSync;
  try {
    connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  } catch (error) {
    throw toStoreError(error);
  }
  const database = new Database(connection);
  try {
    probe(database);
    if (isNew) chmodSync(path, 0o600);
    // Before anything is changed in it.
    if (isForeign(database)) throw new StoreError("unsupported", `${path} is the database of another program. Move it away.`);
    configure(database);
    migrate(database, path, options);
    return database;
  } catch (error) {
    database.close();
    throw toStoreError(error);
  }
}

/** True for a database file that this program can use, after migrations if needed. No process may have it open. */
export function isOwnDatabase(path: string): boolean {
  const newest = MIGRATIONS.at(-1)?.version ?? 0;
  let database: Database | undefined;
  try {
    database = new Database(new DatabaseSync(path));
    const version = pragma(database, "user_version");
    return pragma(database, "application_id") === APPLICATION_ID && version > 0 && version <= newest;
  } catch (error) {
    if (error instanceof Error && "errcode" in error) return false;
    throw error;
  } finally {
    database?.close();
  }
}

/** True for a database that another program made. One without any content belongs to no program. */
export function isForeign(database: Database): boolean {
  if (pragma(database, "application_id") === APPLICATION_ID) return false;
  return pragma(database, "user_version") !== 0 || database.get("SELECT 1 FROM sqlite_schema LIMIT 1") !== undefined;
}

/** What to say of a database of ours whose schema is newer than this program; undefined for any other one. */
export function describeNewer(database: Database): string | undefined {
  const [version, newest] = [pragma(database, "user_version"), MIGRATIONS.at(-1)?.version ?? 0];
  if (pragma(database, "application_id") !== APPLICATION_ID || version <= newest) return undefined;
  return `its schema has version ${version}, and this program knows versions up to ${newest}`;
}

function refuseNetworkFolder(folder: string): void {
  const name = NETWORK_FILE_SYSTEMS.get(statfsSync(folder).type);
  if (name === undefined) return;
  throw new StoreError("unsupported", `The state folder ${folder} is on ${name}. Put FACTOTUM_HOME on a local disk.`);
}

/** Checks the loaded SQLite itself, not the package version. */
function probe(database: Database): void {
  const row = database.get("SELECT sqlite_version() AS version, ? AS echo", "a\u0000b");
  if (row === undefined) throw new StoreError("internal", "SQLite gave no answer.");
  const version = textOf(row, "version");
  if (!isSafeSqlite(version)) {
    throw new StoreError("unsupported", `SQLite ${version} can damage the database. Use a Node with SQLite 3.51.3 or newer.`);
  }
  if (textOf(row, "echo") !== "a\u0000b") {
    throw new StoreError("unsupported", "This Node cuts texts at NUL. Use Node 24.16 or newer.");
  }
}

/**
 * The log keeps its size under load until the next pause, when it is checkpointed and truncated: overwriting flushes faster than extending the file. The limit
 * applies to a log that one transaction has made larger.
 */
function configure(database: Database): void {
  database.execute(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 1000;
    PRAGMA journal_size_limit = 8388608;
    PRAGMA temp_store = MEMORY;
    PRAGMA trusted_schema = OFF;
  `);
}

function pragma(database: Database, name: "user_version" | "application_id"): number {
  const row = database.get(name === "user_version" ? "PRAGMA user_version" : "PRAGMA application_id");
  return row === undefined ? 0 : numberOf(row, name);
}

/** Forward only. A non-empty database is copied first, so that a rollback is a copy of one file. */
function migrate(database: Database, path: string, options: ConnectionOptions): void {
  const from = pragma(database, "user_version");
  const newest = options.migrations.at(-1)?.version ?? 0;
  if (from > newest) {
    throw new StoreError("unsupported", `${path} has version ${from}; this program knows ${newest}. Install the newer Factotum again.`);
  }
  const steps = options.migrations.filter((step) => step.version > from);
  if (steps.length === 0) return;
  if (from > 0) snapshot(database, path, from, options);
  database.execute("BEGIN EXCLUSIVE");
  for (const step of steps) take(database, step, path);
  database.execute(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${newest}; COMMIT`);
}

function take(database: Database, { version, sql, fill }: Migration, path: string): void {
  try {
    database.execute(sql);
    fill?.(database);
  } catch (cause) {
    const error = toStoreError(cause);
    // A full disk has its own error; anything else is a bug of the step, or a file that earlier steps did not make.
    if (error.code === "full") throw error;
    throw new StoreError("internal", `${path} could not be brought to version ${version}; nothing was changed. The cause says why.`, {
      cause,
    });
  }
}

/** Removes an unfinished copy that a killed migration left. */
export function removeUnfinishedMigrationCopy(folder: string): void {
  for (const end of ["", "-journal"]) rmSync(join(folder, `${UNFINISHED_COPY}${end}`), { force: true });
}

/** The copy is renamed, to the name that recovery looks for, once it is complete. */
function snapshot(database: Database, path: string, version: number, options: ConnectionOptions): void {
  const copy = `${path}.v${version}.${options.clock.now()}`;
  const unfinished = join(options.folder, UNFINISHED_COPY);
  removeUnfinishedMigrationCopy(options.folder);
  try {
    database.run("VACUUM INTO ?", unfinished);
    chmodSync(unfinished, 0o600);
    renameSync(unfinished, copy);
  } finally {
    removeUnfinishedMigrationCopy(options.folder);
  }
  options.logger.info("The database was copied before its migration.", { copy, version });
}
