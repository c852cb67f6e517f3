import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DATABASE_NAME } from "./database-name.ts";

const SQLITE_BUSY = 5;

/** `123/…` of process 123; databases of earlier versions have no process in it. */
const BOOT_ID = /^(\d+)\//;

/** The value that identifies an owner; `processId` absent: not attributable to a process. */
export function renderBootId(uuid: string, processId: number | undefined): string {
  return processId === undefined ? uuid : `${processId}/${uuid}`;
}

/**
 * The process that owns the database of a state folder and has it open, even if its lock files were moved away. `isRunning` is asked about the process
 * that the database names, which may be a reused id; so the system's lock on the database file decides. Undefined for the calling process itself, for a database
 * that only other programs have open, and for one that cannot be read.
 */
export function findDatabaseOwner(folder: string, isRunning: (processId: number) => boolean): number | undefined {
  const path = join(folder, DATABASE_NAME);
  // An open database has a log file in its folder; one that was closed does not.
  if (!existsSync(`${path}-wal`) || !existsSync(path)) return undefined;
  const processId = readOwner(path);
  if (processId === undefined || processId === process.pid || !isRunning(processId)) return undefined;
  return isOpenElsewhere(path) ? processId : undefined;
}

function readOwner(path: string): number | undefined {
  const row = query(path, { readOnly: true }, (connection) => connection.prepare("SELECT boot_id FROM ownership").get());
  const [, processId] = BOOT_ID.exec(String(row === "busy" ? "" : row?.["boot_id"])) ?? [];
  return processId === undefined ? undefined : Number(processId);
}

/** Every open connection holds a shared lock on the file, which excludes an exclusive one. */
function isOpenElsewhere(path: string): boolean {
  const outcome = query(path, { readOnly: false }, (connection) => {
    connection.exec("PRAGMA locking_mode = EXCLUSIVE");
    return connection.prepare("SELECT count(*) FROM sqlite_schema").get();
  });
  return outcome === "busy";
}

/** The result of a query; undefined if SQLite refuses it: whether the file is damaged is for the start to decide. */
function query<Result>(
  path: string,
  { readOnly }: { readonly readOnly: boolean },
  run: (connection: DatabaseSync) => Result,
): Result | "busy" | undefined {
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(path, { readOnly, timeout: 0 });
    return run(connection);
  } catch (error) {
    if (!(error instanceof Error && "errcode" in error && typeof error.errcode === "number")) throw error;
    return (error.errcode & 0xff) === SQLITE_BUSY ? "busy" : undefined;
  } finally {
    connection?.close();
  }
}
