import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Random } from "@factotum/agent-contract";
import type { CopyOptions } from "../../copies/session-copier.ts";
import type { DamageLog } from "../../damage/damage-log.ts";
import { connect, isOwnDatabase } from "../connection/connection.ts";
import { DATABASE_NAME } from "../connection/database-name.ts";
import type { ConnectionOptions } from "../connection/connection.ts";
import { Database } from "../connection/database.ts";
import { toStoreError } from "../to-store-error.ts";
import { StoreError } from "../../port/store-error.ts";
import { checkFile } from "./check-file.ts";
import { countUncertain, findAffected, likelySince, UNCERTAIN } from "./find-affected.ts";
import type { UncertainRows } from "./find-affected.ts";
import { identify, listRestorable, wasUsed } from "./find-loss.ts";
import { hasCopiesNewerThan } from "./find-newer-copies.ts";
import type { DatabaseLoss } from "./find-loss.ts";
import { endRecovery, putBack, setAside } from "./recovery-journal.ts";
import { recoveryText } from "./recovery-text.ts";
import type { StoreRecovery } from "./store-recovery.ts";
import { restoreCopies } from "./restore-copies.ts";
import type { RestoredCopies } from "./restore-copies.ts";
import { salvageRows } from "./salvage-rows.ts";
import { abandonPending, removeOrphans, repairReferences } from "./settle-copy.ts";
import { removeDatabase } from "./snapshots.ts";
import type { Snapshot } from "./snapshots.ts";

/** Options of a recovery. */
export interface RecoveryOptions extends ConnectionOptions {
  readonly loss: DatabaseLoss;
  readonly copies: CopyOptions;
  readonly damage: Pick<DamageLog, "record">;
  readonly random: Random;
}

/** The copy of the damaged file that rows are salvaged from. */
const SALVAGED_NAME = "damaged.sqlite";

/** Sessions that the damage record lists. */
const MAX_NAMED_SESSIONS = 100;

const NOTHING_LEFT =
  "The database is lost, and none of its snapshots in the state folder can be used. Stop the gateway, move the state directory aside and restore a backup: `factotum backup restore FILE`. Without one, begin again with `factotum reset --state`: it deletes nothing and moves what is there aside.";

/**
 * Rebuilds the database of a state folder (R10) from the newest sound snapshot, every readable row of a damaged file, and the plain files of the conversations.
 * A sound database that is older than its plain files is the base itself, unless a snapshot of it is newer. Pending work that only the snapshot knows becomes a
 * dead letter, since it may have been done, and so does all pending work of a file that is older than the plain files: nothing is repeated. The previous files
 * are moved into a folder and kept unchanged, and the damage is recorded before the result is used. The result has a database id of its own, so earlier
 * snapshots stay. A recovery that was killed resumes with the same folder and the same record. No process may have the database open. Without
 * snapshots and readable conversations the result is empty. Rejects with `damaged` if there are snapshots and none can be used; then the folder is unchanged.
 */
export async function recoverDatabase(options: RecoveryOptions): Promise<StoreRecovery> {
  const { folder, clock, logger, loss } = options;
  const building = recoveryFolder(folder);
  logger.error("The database is damaged or lost; its recovery begins", { path: join(folder, DATABASE_NAME), loss });
  const journal = await setAside(folder, loss, clock.now());
  let recovery: StoreRecovery;
  try {
    await rm(building, { recursive: true, force: true });
    await mkdir(building, { recursive: true, mode: 0o700 });
    recovery = await restore(building, { ...options, damagedFolder: join(folder, journal.asideName) });
    await chmod(join(building, DATABASE_NAME), 0o600);
    await rename(join(building, DATABASE_NAME), join(folder, DATABASE_NAME));
  } catch (error) {
    await putBack(folder, journal).catch((cause: unknown) => {
      logger.error("The files of the database could not be moved back; the next start goes on with the recovery", { error: cause });
    });
    throw error;
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  endRecovery(folder);
  const outcome = recovery.isEmpty ? "Nothing of the database could be restored: a new one starts empty" : "The database was rebuilt";
  logger.warn(outcome, { ...recovery });
  return recovery;
}

/** Builds the new database in a separate folder and records the damage. */
async function restore(building: string, options: RecoveryOptions & { readonly damagedFolder: string }): Promise<StoreRecovery> {
  const { folder, loss, damage, damagedFolder } = options;
  const databaseId = options.random.uuid();
  const snapshots = await listRestorable(folder);
  const salvaged = join(building, SALVAGED_NAME);
  // SQLite would write to the file that must be kept.
  if (loss === "structure" || loss === "older") await copyDatabase(damagedFolder, salvaged);
  const isSalvaged = loss === "structure" || (loss === "older" && (await checkFile(salvaged, { isThorough: true })).length > 0);
  const isBase = loss === "older" && !isSalvaged;
  const snapshotAtMs = await (isBase ? restoreNewest(damagedFolder, snapshots, building) : restoreSnapshot(snapshots, building));
  const isExact = loss === "saved" && snapshotAtMs !== undefined;
  const built = await build(databaseId, { ...options, folder: building, isSalvaged, isExact });
  const isEmpty = snapshotAtMs === undefined && built.sessions === 0;
  if (loss !== "older" && isEmpty) refuseEmpty(snapshots, built.failure);
  const { rows: salvagedRows, isComplete, fromCopies, uncertain, affected } = built;
  const recovery = { loss, ...withoutUndefined({ snapshotAtMs }), salvagedRows, isEmpty, isComplete, fromCopies, uncertain, damagedFolder };
  const rebuilt = fromCopies.rebuiltKeys.slice(0, MAX_NAMED_SESSIONS);
  const others = [...new Set(snapshots.flatMap((snapshot) => snapshot.databaseId ?? []))];
  const event = { kind: "database" as const, text: recoveryText(recovery), isComplete, path: damagedFolder, rebuilt, affected };
  await damage.record(event, { database: { id: databaseId, others } });
  return recovery;
}

/** Nothing is begun empty while a later start, or another version, may still read the file or a snapshot. */
function refuseEmpty(snapshots: readonly Snapshot[], failure: unknown): void {
  const error = failure === undefined ? undefined : toStoreError(failure);
  if (error !== undefined && error.code !== "damaged") throw error;
  if (snapshots.length > 0) throw new StoreError("damaged", NOTHING_LEFT, { cause: failure });
}

/** Removes leftovers of a killed recovery. */
export async function removeUnfinishedRecovery(folder: string): Promise<void> {
  await rm(recoveryFolder(folder), { recursive: true, force: true });
}

function recoveryFolder(folder: string): string {
  return join(folder, "recovering");
}

/** Copies the newest sound snapshot, preferring one of a used database, and returns its age. */
async function restoreSnapshot(snapshots: readonly Snapshot[], building: string): Promise<number | undefined> {
  const target = join(building, DATABASE_NAME);
  const [used, unused] = [snapshots.filter(({ path }) => wasUsed(path)), snapshots.filter(({ path }) => !wasUsed(path))];
  for (const { path, takenAtMs } of [...used, ...unused]) {
    await copyFile(path, target);
    if (isOwnDatabase(target) && (await checkFile(target, { isThorough: true })).length === 0) return takenAtMs;
    await removeDatabase(target);
  }
  return undefined;
}

/** Copies the database itself, or a snapshot of it that has newer entries, and returns its age. */
async function restoreNewest(damagedFolder: string, snapshots: readonly Snapshot[], building: string): Promise<number | undefined> {
  const own = identify(join(damagedFolder, DATABASE_NAME));
  const newer = snapshots.filter(({ path }) => {
    const other = identify(path);
    if (own === undefined || other === undefined) return false;
    return other.databaseId === own.databaseId && other.newestEntry > own.newestEntry;
  });
  const snapshotAtMs = await restoreSnapshot(newer, building);
  if (snapshotAtMs === undefined) await copyDatabase(damagedFolder, join(building, DATABASE_NAME));
  return snapshotAtMs;
}

async function copyDatabase(from: string, to: string): Promise<void> {
  for (const end of ["", "-wal"]) {
    const source = join(from, `${DATABASE_NAME}${end}`);
    if (existsSync(source)) await copyFile(source, `${to}${end}`);
  }
}

interface BuiltDatabase {
  readonly rows: number;
  readonly isComplete: boolean;
  readonly sessions: number;
  readonly fromCopies: RestoredCopies;
  readonly uncertain: UncertainRows;
  /** Keys of sessions that may have lost something. */
  readonly affected: readonly string[];
  /** Why the damaged file could not be opened. */
  readonly failure?: unknown;
}

interface BuildOptions extends RecoveryOptions {
  readonly damagedFolder: string;
  /** Salvages the readable rows of the damaged file. */
  readonly isSalvaged: boolean;
  /** The snapshot is complete: what it says is pending is still pending. */
  readonly isExact: boolean;
}

async function build(databaseId: string, options: BuildOptions): Promise<BuiltDatabase> {
  const { clock, copies, loss, damagedFolder, isSalvaged, isExact } = options;
  const nowMs = clock.now();
  connect(options).close();
  const into = new DatabaseSync(join(options.folder, DATABASE_NAME), { enableForeignKeyConstraints: false });
  try {
    into.exec("BEGIN");
    if (!isExact) abandonPending(into, { nowMs, reason: UNCERTAIN });
    const salvaged = isSalvaged ? salvage(join(options.folder, SALVAGED_NAME), into) : NOTHING_SALVAGED;
    const { rows, brokenTables, failure, newestEntry } = salvaged;
    const isOlder = loss === "older" || (newestEntry !== undefined && (await hasCopiesNewerThan(newestEntry, copies)));
    // What an older file says is pending may have been done since, as with a snapshot.
    if (isOlder) abandonPending(into, { nowMs, reason: UNCERTAIN });
    const hasAll = brokenTables === 0 && failure === undefined;
    const isComplete = isExact || (isSalvaged && hasAll && !isOlder);
    const hasGaps = isSalvaged && !hasAll;
    if (hasGaps) removeOrphans(into);
    const likelySinceMs = likelySince(into);
    const restored = await restoreCopies(new Database(into), { copies, clock, asideFolder: damagedFolder, hasGaps });
    const { filled, ...fromCopies } = restored;
    repairReferences(into, { databaseId, nowMs, reason: UNCERTAIN });
    const affected = isComplete ? [] : findAffected(into, { conversations: filled, likelySinceMs, nowMs });
    const uncertain = countUncertain(into, nowMs);
    into.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
    const [sessions, check] = [
      into.prepare("SELECT count(*) AS count FROM sessions").get(),
      into.prepare("PRAGMA integrity_check(1)").get(),
    ];
    if (check?.["integrity_check"] !== "ok") throw new StoreError("damaged", "The database could not be rebuilt.", { cause: check });
    return { rows, isComplete, sessions: Number(sessions?.["count"]), fromCopies, uncertain, affected, failure };
  } finally {
    into.close();
  }
}

interface SalvagedRows extends ReturnType<typeof salvageRows> {
  readonly failure?: unknown;
  /** The number of its newest entry; absent if it cannot be read. */
  readonly newestEntry?: number;
}

/** Something is missing of a file that does not exist or was never used. */
const NOTHING_SALVAGED: SalvagedRows = { rows: 0, brokenTables: 1 };

function salvage(damaged: string, into: DatabaseSync): SalvagedRows {
  let from: DatabaseSync | undefined;
  try {
    from = new DatabaseSync(damaged, { timeout: 5000 });
    from.prepare("SELECT count(*) FROM sqlite_schema").get();
    const salvaged = salvageRows(from, into);
    const newestEntry = newestEntryOf(from);
    return { ...salvaged, ...withoutUndefined({ newestEntry }) };
  } catch (failure) {
    if (!(failure instanceof Error) || !("errcode" in failure)) throw failure;
    return { rows: 0, brokenTables: 0, failure };
  } finally {
    if (from?.isOpen === true) from.close();
  }
}

function newestEntryOf(database: DatabaseSync): number | undefined {
  try {
    return Number(database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'transcript'").get()?.["seq"] ?? 0);
  } catch (error) {
    if (!(error instanceof Error) || !("errcode" in error)) throw error;
    return undefined;
  }
}
