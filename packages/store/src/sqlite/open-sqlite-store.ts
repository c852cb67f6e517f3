import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { CopyPosition } from "../copies/copy-book.ts";
import { SessionCopier } from "../copies/session-copier.ts";
import type { CopyOptions } from "../copies/session-copier.ts";
import type { StoreDamage } from "../port/store-damage.ts";
import { StoreError } from "../port/store-error.ts";
import { connect, DATABASE_NAME } from "./connection/connection.ts";
import type { Database } from "./connection/database.ts";
import { GroupWriter } from "./group-writer.ts";
import { numberOf } from "./values/row.ts";
import { MIGRATIONS } from "./connection/schema.ts";
import { isMarkedDamaged } from "./recovery/damage-mark.ts";
import { recoverDatabase } from "./recovery/recover-database.ts";
import type { StoreRecovery } from "./recovery/recover-database.ts";
import { StructureKeeper } from "./recovery/structure-keeper.ts";
import { SqliteCopyBook, storePositions } from "./sqlite-copy-book.ts";
import { SqliteStore } from "./sqlite-store.ts";
import type { TableContext } from "./tables/table-context.ts";
import { createTables } from "./tables/tables.ts";
import { damagedFile, isReadOnly, toStoreError } from "./to-store-error.ts";
import { Transactions } from "./transactions.ts";

/** What a store needs. */
export interface SqliteStoreOptions {
  /** The state folder, absolute, on a local disk. Made with mode 700 if it is missing; the database is `factotum.sqlite` in it. */
  readonly folder: string;
  readonly copies: CopyOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Told once of every row that is not what was written. Must not throw. */
  readonly onDamage?: (damage: StoreDamage) => void;
  /** Told once when SQLite cannot read its own structure any more. Must not throw. Close the store and open it again: that puts it together anew. */
  readonly onStructureDamage?: () => void;
  /** Told when the database was put together anew while it was opened. Must not throw. */
  readonly onRecovery?: (recovery: StoreRecovery) => void;
}

/**
 * Opens the store and takes it over: whoever had it open before can no longer write. Rejects with `unsupported` for a database of a newer
 * version, a SQLite that damages files, or a network folder. A database whose structure is damaged is put together anew (`recoverDatabase`); where that
 * cannot be done, because nothing of it can be read and there is no snapshot, it rejects with `damaged`.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  if (!isMarkedDamaged(options.folder)) {
    try {
      return open(options);
    } catch (error) {
      if (!StoreError.isInstance(error) || error.code !== "damaged") throw error;
    }
  }
  const { folder, clock, logger, onRecovery } = options;
  onRecovery?.(await recoverDatabase({ folder, clock, logger, migrations: MIGRATIONS }));
  return open(options);
}

function open(options: SqliteStoreOptions): SqliteStore {
  const { folder, clock, logger } = options;
  const database = connect({ folder, clock, logger, migrations: MIGRATIONS });
  try {
    return assembleStore(database, options);
  } catch (error) {
    database.close();
    throw toOpenError(error, folder);
  }
}

/** A file whose header names a format that SQLite only reads is refused like one on a read-only disk; but it can be written to. */
function toOpenError(error: unknown, folder: string): StoreError {
  const refusal = toStoreError(error);
  if (!isReadOnly(error)) return refusal;
  try {
    for (const path of [folder, join(folder, DATABASE_NAME)]) accessSync(path, constants.W_OK);
  } catch {
    return refusal;
  }
  return damagedFile(error);
}

/** Builds the store over an open database. */
export function assembleStore(database: Database, options: SqliteStoreOptions): SqliteStore {
  const { clock, logger } = options;
  const positions = new Map<number, CopyPosition>();
  /** Conversations to look at after the next commit; one whose change was rolled back is looked at in vain. */
  const appended = new Set<number>();
  const writer = new GroupWriter(database, {
    epoch: takeOwnership(database, options),
    clock,
    logger,
    beforeCommit: () => storePositions(database, positions),
    afterCommit: () => {
      positions.clear();
      for (const n of appended) copier.mark(n);
      appended.clear();
      tables.sessions.committed();
    },
    afterRollback: () => tables.sessions.rolledBack(),
  });
  const context: TableContext = {
    database,
    clock,
    quarantine: createQuarantine(writer, { ...options, placeOf: (turn) => tables.turns.placeOf(turn) }),
    appended: (n) => appended.add(n),
  };
  const tables = createTables(context);
  const book = new SqliteCopyBook({ database, transcripts: tables.transcripts, writer, positions });
  const copier = new SessionCopier(book, options.copies, { clock, logger });
  copier.start();
  const keeper = new StructureKeeper({
    database,
    folder: options.folder,
    clock,
    logger,
    onStructureDamage: () => options.onStructureDamage?.(),
  });
  return new SqliteStore({ tables, transactions: new Transactions(tables, clock), writer, copier, keeper });
}

/** The next epoch: every writer of an older one is refused from here on. */
function takeOwnership(database: Database, options: SqliteStoreOptions): number {
  const row = database.get(
    `INSERT INTO ownership (id, epoch, boot_id, opened_at) VALUES (1, 1, ?, ?)
     ON CONFLICT DO UPDATE SET epoch = ownership.epoch + 1, boot_id = excluded.boot_id, opened_at = excluded.opened_at RETURNING epoch`,
    options.random.uuid(),
    options.clock.now(),
  );
  if (row === undefined) throw new StoreError("internal", "The store could not be taken over.");
  return numberOf(row, "epoch");
}

/** Damage is told once, also when several reads find it before the row is excluded. */
function createQuarantine(
  writer: GroupWriter,
  options: SqliteStoreOptions & { readonly placeOf: (turn: number) => Pick<StoreDamage, "sessionKey" | "origin"> },
): TableContext["quarantine"] {
  const found = new Set<string>();
  return ({ turn, ...row }, exclude) => {
    const damage: StoreDamage = { ...row, ...(turn === undefined ? {} : options.placeOf(turn)) };
    const name = `${damage.type} ${damage.id}`;
    if (found.has(name)) return;
    found.add(name);
    options.logger.error("A stored row is damaged and is left out from now on.", { ...damage });
    options.onDamage?.(damage);
    writer
      .write(exclude)
      .catch((error: unknown) => options.logger.warn("A damaged row could not be marked; it is found again later.", { ...damage, error }))
      .finally(() => found.delete(name));
  };
}
