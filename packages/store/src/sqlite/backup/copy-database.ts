import { chmodSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { BUSY_TIMEOUT_MS } from "../connection/database.ts";
import { toStoreError } from "../to-store-error.ts";

/**
 * Copies a database, as of one moment, into a new file with mode 600. The process that uses it continues: this is one read transaction of another connection,
 * and the copy contains what is only in the log. Blocks until it is done. Throws a `StoreError`: `damaged` if SQLite cannot read the original, `full` without
 * space for the copy.
 */
export function copyDatabase(path: string, target: string): void {
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    connection.prepare("VACUUM INTO ?").run(target);
    chmodSync(target, 0o600);
  } catch (error) {
    throw toStoreError(error);
  } finally {
    connection?.close();
  }
}
