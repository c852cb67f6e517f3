import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { CopyPosition } from "../copies/copy-book.ts";
import { SessionCopier } from "../copies/session-copier.ts";
import type { CopyOptions } from "../copies/session-copier.ts";
import type { StoreDamage } from "../port/store-damage.ts";
import { StoreError } from "../port/store-error.ts";
import { connect } from "./connection/connection.ts";
import { DATABASE_NAME } from "./connection/database-name.ts";
import { renderBootId } from "./connection/database-owner.ts";
import type { Database } from "./connection/database.ts";
import { OpenedFiles } from "./connection/opened-files.ts";
import { GroupWriter } from "./group-writer.ts";
import { numberOf, textOf } from "./values/row.ts";
import { MIGRATIONS } from "./connection/schema.ts";
import { DamageLog } from "../damage/damage-log.ts";
import { findForeignDatabase } from "./recovery/foreign-database.ts";
import { isReplaced } from "./recovery/find-loss.ts";
import { hasNewerCopies } from "./recovery/find-newer-copies.ts";
import type { DatabaseLoss } from "./recovery/find-loss.ts";
import { findNoted } from "./recovery/pending-recovery.ts";
import { recoverDatabase } from "./recovery/recover-database.ts";
import { takeInterrupted } from "./recovery/recovery-journal.ts";
import type { StoreRecovery } from "./recovery/store-recovery.ts";
import { listSnapshots } from "./recovery/snapshots.ts";
import { IntegrityMonitor } from "./recovery/integrity-monitor.ts";
import { SqliteCopyBook, storePositions } from "./sqlite-copy-book.ts";
import { createSqliteStore } from "./sqlite-store.ts";
import type { SqliteStore } from "./sqlite-store.ts";
import type { TableContext } from "./tables/table-context.ts";
import { createTables } from "./tables/tables.ts";
import { damagedFile, isReadOnly, toStoreError } from "./to-store-error.ts";
import { Transactions } from "./transactions.ts";

/** Options of a store. */
export interface SqliteStoreOptions {
  /** The state folder, absolute, on a local disk. Made with mode 700 if it is missing; the database is `factotum.sqlite` in it. */
  readonly folder: string;
  readonly copies: CopyOptions;
  /** Recorded in the database for `findDatabaseOwner`. */
  readonly processId?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Called once per damaged row. Must not throw. */
  readonly onDamage?: (damage: StoreDamage) => void;
  /** Called once when SQLite can no longer read the structure of the file. Must not throw. Close the store and open it again: that rebuilds it. */
  readonly onStructureDamage?: () => void;
  /** Called if the database was rebuilt while it was opened. Must not throw. */
  readonly onRecovery?: (recovery: StoreRecovery) => void;
}

/**
 * Opens the store and takes ownership: a process that had it open can no longer write. Rejects with `unsupported` for a database of a newer version, a SQLite
 * that damages files, or a network folder. A lost or structurally damaged database is rebuilt (`recoverDatabase`), empty if nothing is left of it; if none of its
 * snapshots can be used, it rejects with `damaged`.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { folder, copies, clock, random, logger, onRecovery } = options;
  const damage = new DamageLog(folder, { clock, logger });
  let loss = takeInterrupted(folder)?.loss ?? (await findNoted(folder, copies));
  if (loss === undefined) {
    const opened = await openUsable(options, damage);
    if (typeof opened !== "string") return opened;
    loss = opened;
  }
  const connection = { folder, clock, logger, migrations: MIGRATIONS };
  const recovery = await recoverDatabase({ ...connection, loss, copies, damage, random });
  onRecovery?.(recovery);
  const store = await openUsable(options, damage);
  if (typeof store === "string") throw new StoreError("damaged", "The database is damaged again just after its recovery. Check the disk.");
  return store;
}

/** Opens the database, or says why it has to be recovered first. */
async function openUsable(options: SqliteStoreOptions, damage: DamageLog): Promise<SqliteStore | DatabaseLoss> {
  const { folder, clock, logger } = options;
  let database: Database | undefined;
  try {
    database = connect({ folder, clock, logger, migrations: MIGRATIONS });
    const loss = await findLoss(database, options, damage);
    if (loss !== undefined) {
      database.close();
      return loss;
    }
    const store = assembleStore(database, options, damage);
    await recordDatabase(store.databaseId, options, damage);
    return store;
  } catch (error) {
    database?.close();
    const failure = database === undefined ? toStoreError(error) : toOpenError(error, folder);
    if (failure.code === "damaged") return "structure";
    throw (await describeForeign(failure, options)) ?? failure;
  }
}

/** A refusal because of another program's database, with what the start after its removal does. */
async function describeForeign(failure: StoreError, { folder, copies }: SqliteStoreOptions): Promise<StoreError | undefined> {
  const foreign = failure.code === "unsupported" ? await findForeignDatabase(folder, copies) : undefined;
  return foreign && new StoreError("unsupported", `${foreign.text} ${foreign.fix}`, { cause: failure });
}

/** Checks a readable database against the files beside it, which may be newer. */
async function findLoss(
  database: Database,
  { folder, copies }: SqliteStoreOptions,
  damage: Pick<DamageLog, "database">,
): Promise<DatabaseLoss | undefined> {
  if (await isReplaced(database, folder, copies)) return "replaced";
  const id = database.get("SELECT database_id FROM ownership")?.["database_id"];
  return (await hasNewerCopies(database, { copies, isSameDatabase: id === damage.database?.id })) ? "older" : undefined;
}

/**
 * Records which database is in use. Unreported snapshots of another one mean that somebody has replaced that one, even if the same was reported and
 * acknowledged earlier.
 */
async function recordDatabase(databaseId: string, { folder, logger }: SqliteStoreOptions, damage: DamageLog): Promise<void> {
  const last = damage.database?.id === databaseId ? damage.database : undefined;
  const others = new Set((await listSnapshots(folder)).flatMap((snapshot) => snapshot.databaseId ?? []));
  others.delete(databaseId);
  const database = { id: databaseId, others: [...others] };
  if (database.others.every((id) => last?.others.includes(id))) {
    if (last !== undefined) return;
    await damage
      .useDatabase(database)
      .catch((error: unknown) => logger.warn("Which database is used could not be noted; the next start tries it again", { error }));
    return;
  }
  const path = join(folder, "snapshots");
  const text = `My database is not the one that snapshots in ${path} were taken of. It is used as it is; those snapshots are kept until this is acknowledged.`;
  await damage.record({ kind: "snapshots", text, isComplete: false, path }, { database });
}

/** SQLite refuses a file whose header names a read-only format like a file on a read-only disk; but this file is writable. */
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
export function assembleStore(database: Database, options: SqliteStoreOptions, damage: DamageLog): SqliteStore {
  const { clock, logger } = options;
  const { epoch, databaseId } = takeOwnership(database, options);
  const positions = new Map<number, CopyPosition>();
  /** Conversations to check after the next commit; checking one whose change was rolled back is harmless. */
  const appended = new Set<number>();
  const writer = new GroupWriter(database, {
    epoch,
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
    quarantine: createQuarantine(writer, { ...options, damage, placeOf: (turn) => tables.turns.placeOf(turn) }),
    appended: (n) => appended.add(n),
  };
  const tables = createTables(context);
  const book = new SqliteCopyBook({ tables, writer, positions });
  const copier = new SessionCopier(book, options.copies, { clock, logger });
  copier.start();
  const keeper = new IntegrityMonitor({
    database,
    databaseId,
    damage,
    folder: options.folder,
    clock,
    logger,
    onStructureDamage: () => options.onStructureDamage?.(),
    files: new OpenedFiles(options.folder),
  });
  const transactions = new Transactions(tables, clock);
  return createSqliteStore({ tables, transactions, writer, copier, keeper, damage, databaseId, logger });
}

/** The next epoch: writers of older ones are refused from now on. A database without an id gets one. */
function takeOwnership(database: Database, options: SqliteStoreOptions): { readonly epoch: number; readonly databaseId: string } {
  // On a full disk the implicit commit of a statement that returns rows would fail unnoticed.
  database.execute("BEGIN IMMEDIATE");
  const row = database.get(
    `INSERT INTO ownership (id, epoch, boot_id, opened_at, database_id) VALUES (1, 1, ?, ?, ?)
     ON CONFLICT DO UPDATE SET epoch = ownership.epoch + 1, boot_id = excluded.boot_id, opened_at = excluded.opened_at,
       database_id = coalesce(ownership.database_id, excluded.database_id) RETURNING epoch, database_id`,
    renderBootId(options.random.uuid(), options.processId),
    options.clock.now(),
    options.random.uuid(),
  );
  database.execute("COMMIT");
  if (row === undefined) throw new StoreError("internal", "The store could not be taken over.");
  return { epoch: numberOf(row, "epoch"), databaseId: textOf(row, "database_id") };
}

/** The text for the owner about damaged rows, by kind. */
const LEFT_OUT: Readonly<Record<StoreDamage["type"], string>> = {
  entry: "Parts of a conversation were damaged on the disk and are left out.",
  turn: "What is known of turns was damaged on the disk and is left out.",
  session: "The settings of a session were damaged on the disk and are the defaults now.",
  input: "Received messages were damaged on the disk and are dead letters.",
  outbound: "Messages to be sent were damaged on the disk and are dead letters.",
  prompt: "A stored prompt was damaged on the disk and is rendered again.",
  request: "Kept model requests were damaged on the disk and are left out.",
  pairing: "Who may write on an account was damaged on the disk in one place: a person may have to ask to be admitted again.",
  exchange: "An exchange between two sessions was damaged on the disk and ends where it is.",
  focus: "A conversation was focused on another session, and that was damaged on the disk: its messages go to its own session again.",
  approval: "A decision on a tool call was damaged on the disk and is forgotten: the call is asked about again.",
  checkpoint:
    "The record of what a file held before a turn changed it was damaged on the disk and is gone: /undo cannot restore that file.",
  "account-state": "What a channel's account had kept was damaged on the disk and is gone: it may have to connect or log in again.",
  move: "The new address of a conversation was damaged on the disk and is forgotten: messages to its old address may not arrive.",
  job: "A scheduled job was damaged on the disk and is gone: make it again.",
  spawn: "What is known of a sub-agent was damaged on the disk: the conversation that started it may not learn of its end.",
  command: "Which commands run in the background was damaged on the disk in one place: a conversation may not learn of the end of one.",
};

/** Reports damage once, even if several reads find it before the row is excluded. */
function createQuarantine(
  writer: GroupWriter,
  options: SqliteStoreOptions & {
    readonly damage: DamageLog;
    readonly placeOf: (turn: number) => Pick<StoreDamage, "sessionKey" | "origin">;
  },
): TableContext["quarantine"] {
  const found = new Set<string>();
  return ({ turn, ...row }, exclude) => {
    const damage: StoreDamage = { ...row, ...(turn === undefined ? {} : options.placeOf(turn)) };
    const name = `${damage.type} ${damage.id}`;
    if (found.has(name)) return;
    found.add(name);
    options.logger.error("A stored row is damaged and is left out from now on.", { ...damage });
    options.onDamage?.(damage);
    const { type, sessionKey } = damage;
    const event = {
      kind: "rows" as const,
      text: LEFT_OUT[type],
      isComplete: type === "prompt",
      ...withoutUndefined({ sessionKey }),
    };
    options.damage.record(event).catch((error: unknown) => options.logger.warn("The list of damage could not be written", { error }));
    writer
      .write(exclude)
      .catch((error: unknown) => options.logger.warn("A damaged row could not be marked; it is found again later.", { ...damage, error }))
      .finally(() => found.delete(name));
  };
}
