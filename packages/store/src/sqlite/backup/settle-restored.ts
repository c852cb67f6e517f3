import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Clock, Logger, Random } from "@factotum/agent-contract";
import { connect } from "../connection/connection.ts";
import { DATABASE_NAME } from "../connection/database-name.ts";
import { MIGRATIONS } from "../connection/schema.ts";
import { abandonPending, repairReferences } from "../recovery/settle-copy.ts";
import type { AbandonedWork } from "../recovery/settle-copy.ts";
import { toStoreError } from "../to-store-error.ts";

/** Options of `settleRestoredDatabase`. */
export interface SettleRestoredOptions {
  /** The state folder that the database was restored into. No process may use it. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const REASON = "the database was restored from a backup: it may have been done since";

/**
 * Prepares a database that was restored from a backup for its first start: migrates it, ends its pending work as dead letters, since it may have been done
 * after the backup, and gives it a new id. Throws a `StoreError`.
 */
export function settleRestoredDatabase({ folder, clock, random, logger }: SettleRestoredOptions): AbandonedWork {
  connect({ folder, clock, logger, migrations: MIGRATIONS }).close();
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(join(folder, DATABASE_NAME), { enableForeignKeyConstraints: false });
    connection.exec("BEGIN");
    const settle = { nowMs: clock.now(), reason: REASON };
    const abandoned = abandonPending(connection, settle);
    repairReferences(connection, { ...settle, databaseId: random.uuid() });
    connection.exec("COMMIT");
    return abandoned;
  } catch (error) {
    throw toStoreError(error);
  } finally {
    connection?.close();
  }
}
