import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../port/store-error.ts";
import { APPLICATION_ID } from "../connection/connection.ts";
import { MIGRATIONS } from "../connection/schema.ts";
import { checkFile } from "../recovery/check-file.ts";
import { toStoreError } from "../to-store-error.ts";

/** Facts about a database file that no process uses. */
export interface DatabaseFacts {
  /** The version of its schema; an older one is migrated by the first start. */
  readonly version: number;
  readonly sessions: number;
  /** The bytes of each conversation's plain file that the database knows, by session id. */
  readonly copiedBytes: ReadonlyMap<string, number>;
}

/**
 * Opens a database file that no process uses, and checks its structure. Rejects with `damaged` if the structure is not sound, and with `unsupported` if the
 * file belongs to another program or has a newer schema than this program knows.
 */
export async function inspectDatabase(path: string): Promise<DatabaseFacts> {
  const [problem] = await checkFile(path);
  if (problem !== undefined) throw new StoreError("damaged", `SQLite finds it damaged: ${problem}`);
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(path, { readOnly: true });
    return readFacts(connection);
  } catch (error) {
    throw toStoreError(error);
  } finally {
    connection?.close();
  }
}

function readFacts(connection: DatabaseSync): DatabaseFacts {
  const newest = MIGRATIONS.at(-1)?.version ?? 0;
  const version = Number(connection.prepare("PRAGMA user_version").get()?.["user_version"]);
  const application = Number(connection.prepare("PRAGMA application_id").get()?.["application_id"]);
  if (application !== APPLICATION_ID || version < 1) throw new StoreError("unsupported", "It is no database of Factotum.");
  if (version > newest) {
    throw new StoreError("unsupported", `Its schema has version ${version}, and this program knows versions up to ${newest}.`);
  }
  const sessions = Number(connection.prepare("SELECT count(*) AS count FROM sessions").get()?.["count"]);
  const rows = connection.prepare("SELECT session_id, copied_bytes FROM conversations").all();
  return { version, sessions, copiedBytes: new Map(rows.map((row) => [String(row["session_id"]), Number(row["copied_bytes"])])) };
}
