import { existsSync } from "node:fs";
import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { NO_USAGE_TOTALS } from "@factotum/agent-contract";
import { connect, DATABASE_NAME } from "../connection/connection.ts";
import type { ConnectionOptions } from "../connection/connection.ts";
import { toStoreError } from "../to-store-error.ts";
import { StoreError } from "../../port/store-error.ts";
import { checkFile } from "./check-file.ts";
import { markDamaged, unmarkDamaged } from "./damage-mark.ts";
import { salvageRows } from "./salvage-rows.ts";
import { listSnapshots, removeDatabase } from "./snapshots.ts";

/** What a database was put together from whose structure was damaged. */
export interface StoreRecovery {
  /** Age of the copy that it stands on; absent when it has only what could be read of the damaged one. */
  readonly snapshotAtMs?: number;
  /** Rows that could be read of the damaged one. */
  readonly salvagedRows: number;
  /** True when all of it could be read: then nothing is lost. */
  readonly isComplete: boolean;
  /** Where the damaged files lie now, for whoever wants to look. */
  readonly damagedFolder: string;
}

/** Why a row that was on its way is not sent, or answered, once more. */
const UNCERTAIN = "the database was damaged and restored from a copy: it may have been done since";

/**
 * Puts the database of a state folder together anew (R10): the newest sound snapshot, and over it every row of the damaged file that can still be read. What the
 * snapshot says is on its way, and the damaged file says nothing of, becomes a dead letter, since it may have been done: nothing is done twice. The damaged
 * files are kept. Nobody may have the database open. Rejects with `damaged` when there is neither a snapshot nor a readable row; then all stays as it was.
 */
export async function recoverDatabase(options: ConnectionOptions): Promise<StoreRecovery> {
  const { folder, clock, logger } = options;
  const path = join(folder, DATABASE_NAME);
  const damagedFolder = join(folder, `damaged-${clock.now()}`);
  const building = join(folder, "recovering");
  logger.error("The database's structure is damaged; it is put together anew", { path });
  await rm(building, { recursive: true, force: true });
  await mkdir(building, { mode: 0o700 });
  await mkdir(damagedFolder, { mode: 0o700 });
  try {
    for (const end of ["", "-wal"])
      if (existsSync(`${path}${end}`)) await copyFile(`${path}${end}`, join(damagedFolder, `${DATABASE_NAME}${end}`));
    const snapshotAtMs = await layFoundation(folder, building);
    const salvaged = build(join(damagedFolder, DATABASE_NAME), { ...options, folder: building });
    if (snapshotAtMs === undefined && salvaged.sessions === 0) throw toStoreError(salvaged.failure);
    // The log of the old file would be taken for one of the new; with the mark, a start in between begins again.
    markDamaged(folder);
    for (const end of ["-wal", "-shm"]) await rm(`${path}${end}`, { force: true });
    await rename(join(building, DATABASE_NAME), path);
    unmarkDamaged(folder);
    const { rows: salvagedRows, isComplete } = salvaged;
    const recovery = { ...(snapshotAtMs === undefined ? {} : { snapshotAtMs }), salvagedRows, isComplete, damagedFolder };
    logger.warn("The database was put together anew", { ...recovery });
    return recovery;
  } catch (error) {
    await rm(damagedFolder, { recursive: true, force: true });
    throw error;
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

/** Copies the newest snapshot that is still sound, and says how old it is. */
async function layFoundation(folder: string, building: string): Promise<number | undefined> {
  for (const { path, takenAtMs } of await listSnapshots(folder)) {
    await copyFile(path, join(building, DATABASE_NAME));
    if ((await checkFile(join(building, DATABASE_NAME))).length === 0) return takenAtMs;
    await removeDatabase(join(building, DATABASE_NAME));
  }
  return undefined;
}

interface Salvaged {
  readonly rows: number;
  readonly isComplete: boolean;
  readonly sessions: number;
  /** Why the damaged file could not be opened at all. */
  readonly failure?: unknown;
}

function build(damaged: string, options: ConnectionOptions): Salvaged {
  connect(options).close();
  const into = new DatabaseSync(join(options.folder, DATABASE_NAME), { enableForeignKeyConstraints: false });
  try {
    into.exec("BEGIN");
    giveUpWhatIsUnderWay(into, options.clock.now());
    const { rows, brokenTables, failure } = salvage(damaged, into);
    mend(into, options.clock.now());
    into.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
    const [sessions, check] = [
      into.prepare("SELECT count(*) AS count FROM sessions").get(),
      into.prepare("PRAGMA integrity_check(1)").get(),
    ];
    if (check?.["integrity_check"] !== "ok")
      throw new StoreError("damaged", "The database could not be put together anew.", { cause: check });
    return { rows, isComplete: brokenTables === 0 && failure === undefined, sessions: Number(sessions?.["count"]), failure };
  } finally {
    into.close();
  }
}

function salvage(damaged: string, into: DatabaseSync): ReturnType<typeof salvageRows> & { readonly failure?: unknown } {
  let from: DatabaseSync | undefined;
  try {
    from = new DatabaseSync(damaged, { timeout: 5000 });
    from.prepare("SELECT count(*) FROM sqlite_schema").get();
    return salvageRows(from, into);
  } catch (failure) {
    if (!(failure instanceof Error) || !("errcode" in failure)) throw failure;
    return { rows: 0, brokenTables: 0, failure };
  } finally {
    if (from?.isOpen === true) from.close();
  }
}

/** Of what a snapshot knows to be under way it does not know how it ended. What the damaged file still says comes over it. */
function giveUpWhatIsUnderWay(database: DatabaseSync, nowMs: number): void {
  database
    .prepare("UPDATE inbox SET state = 'dead', reason = ?, settled_at = ? WHERE state IN ('waiting', 'claimed')")
    .run(UNCERTAIN, nowMs);
  database
    .prepare("UPDATE outbox SET state = 'ambiguous', result = ?, may_be_shown = 1, settled_at = ? WHERE state IN ('waiting', 'sending')")
    .run(JSON.stringify(UNCERTAIN), nowMs);
  database
    .prepare("UPDATE turns SET state = 'failed', inputs = '[]', ended_at = ?, outcome = ? WHERE state = 'running'")
    .run(nowMs, JSON.stringify({ usage: NO_USAGE_TOTALS, failure: { code: "damaged", message: UNCERTAIN } }));
}

/** What rows say of rows that are gone. */
function mend(database: DatabaseSync, nowMs: number): void {
  removeOrphans(database);
  database
    .prepare(
      `UPDATE inbox SET state = 'dead', reason = ?, settled_at = ?
       WHERE state = 'claimed' AND (turn IS NULL OR turn NOT IN (SELECT n FROM turns WHERE state = 'running'))`,
    )
    .run(UNCERTAIN, nowMs);
  database.exec(`
    UPDATE conversations SET last_entry = (SELECT coalesce(max(id), 0) FROM transcript WHERE transcript.conversation = conversations.n)
      WHERE last_entry NOT IN (SELECT id FROM transcript);
    UPDATE totals SET sessions = (SELECT count(*) FROM sessions);
  `);
  // Numbers that were given out stay so, whoever has lost them.
  database.exec("UPDATE sqlite_sequence SET seq = seq + 1000");
}

/** Rows that belong to a row which is gone: until none is left, since they may have rows of their own. */
function removeOrphans(database: DatabaseSync): void {
  const keys = database
    .prepare(
      `SELECT tables.name AS child, keys."from" AS column, keys."table" AS parent, keys."to" AS target
       FROM pragma_table_list AS tables, pragma_foreign_key_list(tables.name) AS keys WHERE tables.schema = 'main' AND tables.type = 'table'`,
    )
    .all();
  let removed: number;
  do {
    removed = 0;
    for (const { child, column, parent, target } of keys) {
      const lost = `"${String(column)}" IS NOT NULL AND "${String(column)}" NOT IN (SELECT "${String(target)}" FROM "${String(parent)}")`;
      removed += Number(database.prepare(`DELETE FROM "${String(child)}" WHERE ${lost}`).run().changes);
    }
  } while (removed > 0);
}
