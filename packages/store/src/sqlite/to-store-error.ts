import { StoreError } from "../port/store-error.ts";
import type { StoreErrorCode } from "../port/store-error.ts";

/** Primary result codes of SQLite that need a distinction. */
const ERROR = 1;
const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const CONSTRAINT = 19;
const NOTADB = 26;

/** SQLite's message, under its generic error code, for a file that does not match our statements. */
const OTHER_FILE = /^(?:unsupported file format|no such (?:table|column|index)\b)/;

/** The primary result code of a failure inside SQLite, or undefined for every other error. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}

const DAMAGED =
  "The database file is damaged. Stop the gateway, move the state directory aside and restore a backup: `factotum backup restore FILE`. Without one, begin again with `factotum reset --state`, which deletes nothing: the conversations also stand as plain files under agents.";

/** True if the whole transaction is in doubt, not only the statement. */
export function endsTransaction(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && code !== CONSTRAINT;
}

/** A row that its index has lost. SQLite reads both and does not notice. */
class LostByIndex extends Error {}

/** The error for a row that exists and is not found by its index. */
export function lostByIndex(row: string): StoreError {
  return damagedFile(new LostByIndex(`${row} is not in its index.`));
}

/** True if the structure of the database is damaged, not only a row's content: then nothing in the file is reliable. */
export function isStructureDamage(error: unknown): boolean {
  if (!StoreError.isInstance(error) || error.code !== "damaged") return false;
  if (error.cause instanceof LostByIndex) return true;
  const code = sqliteCode(error.cause);
  return code === CORRUPT || code === NOTADB;
}

/** True if SQLite may not write to the file. */
export function isReadOnly(error: unknown): boolean {
  return sqliteCode(error) === READONLY;
}

/** The advice for a database that is damaged as a whole. */
export function damagedFile(cause: unknown): StoreError {
  return new StoreError("damaged", DAMAGED, { cause });
}

/** The only code that knows SQLite's errors. */
export function toStoreError(error: unknown): StoreError {
  if (StoreError.isInstance(error)) return error;
  const isOtherFile = error instanceof Error && sqliteCode(error) === ERROR && OTHER_FILE.test(error.message);
  const [code, message] = describe(isOtherFile ? CORRUPT : sqliteCode(error));
  return new StoreError(code, message, { cause: error });
}

function describe(code: number | undefined): [StoreErrorCode, string] {
  switch (code) {
    case FULL:
      return ["full", "The disk is full: nothing was stored. Free some space; it works again by itself."];
    case READONLY:
      return ["full", "The state folder is read-only: nothing was stored. Make it writable; it works again by itself."];
    case IOERR:
      return ["full", "The disk refused to read or write: nothing was stored. Check the disk and its free space."];
    case CORRUPT:
    case NOTADB:
      return ["damaged", DAMAGED];
    case CONSTRAINT:
      return ["conflict", "The row contradicts what is stored already."];
    case BUSY:
      return ["internal", "Another program holds the database. Close it and try again."];
    case CANTOPEN:
      return [
        "internal",
        "The database cannot be opened: factotum.sqlite in the state folder has to be a file that this user may read and write. Move away what is in its place, or correct its permissions.",
      ];
    default:
      return ["internal", "The store failed; the cause says why."];
  }
}
