import { chmodSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { BUSY_TIMEOUT_MS } from "../connection/database.ts";
import { COUNT_ACCOUNT_STATE } from "../tables/account-table.ts";
import { toStoreError } from "../to-store-error.ts";

/**
 * Copies a database, as of one moment, into a new file with mode 600. The process that uses it continues: this is one read transaction of another connection,
 * and the copy includes data that is only in the log. Blocks until it is done. Throws a `StoreError`: `damaged` if SQLite cannot read the original, `full`
 * without space for the copy. Without `secrets` the copy lacks the secret state of channel accounts, such as their logins.
 */
export function copyDatabase(path: string, target: string, { secrets }: { readonly secrets: boolean }): void {
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    connection.prepare("VACUUM INTO ?").run(target);
    chmodSync(target, 0o600);
    if (!secrets) removeSecrets(target);
  } catch (error) {
    throw toStoreError(error);
  } finally {
    connection?.close();
  }
}

/** Also overwrites them in the file. Older databases have no table for them. */
function removeSecrets(target: string): void {
  using copy = new DatabaseSync(target);
  if (copy.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'account_state'").get() === undefined) return;
  copy.exec(
    `PRAGMA secure_delete = ON; PRAGMA journal_mode = DELETE; BEGIN; DELETE FROM account_state WHERE is_secret = 1; ${COUNT_ACCOUNT_STATE} COMMIT`,
  );
}
