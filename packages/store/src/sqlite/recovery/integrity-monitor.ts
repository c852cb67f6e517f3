import type { Clock, Logger } from "@factotum/agent-contract";
import type { DamageLog } from "../../damage/damage-log.ts";
import type { OpenedFiles } from "../connection/opened-files.ts";
import { removeUnfinishedMigrationCopy } from "../connection/connection.ts";
import type { Database } from "../connection/database.ts";
import { StoreError } from "../../port/store-error.ts";
import { isStructureDamage } from "../to-store-error.ts";
import { markDamaged } from "./damage-mark.ts";
import { removeUnfinishedRecovery } from "./recover-database.ts";
import { listSnapshots, removeUncheckedSnapshot, takeSnapshot } from "./snapshots.ts";

/** Dependencies of the monitor. */
export interface StructureKeeperOptions {
  readonly database: Pick<Database, "copyTo" | "pageBytes" | "get">;
  /** The id of the database, which its snapshots share. */
  readonly databaseId: string;
  readonly damage: Pick<DamageLog, "keepsEarlierSnapshots">;
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onStructureDamage: () => void;
  readonly files: Pick<OpenedFiles, "isUnlinked">;
}

/** Takes snapshots for the case that the structure of the database gets damaged, and detects that damage: then the next start rebuilds the database. */
export class IntegrityMonitor {
  readonly #options: StructureKeeperOptions;
  /** Rows that this connection had changed when the newest snapshot was started. */
  #changesInSnapshot: number;
  #isDamaged = false;
  /** Snapshots are taken one at a time: they are written under the same temporary name. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: StructureKeeperOptions) {
    this.#options = options;
    this.#changesInSnapshot = this.#changes();
  }

  snapshot(): Promise<readonly string[]> {
    const taken = this.#work.then(async () => this.#snapshot());
    this.#work = taken.catch(() => undefined);
    return taken;
  }

  /** True once the file of the database, or its log, was deleted or replaced while it is open. */
  get isUnlinked(): boolean {
    return this.#options.files.isUnlinked;
  }

  /**
   * Saves an unlinked database for the next start. `isLast`: it is not written to any more. Rejects if that fails: with `damaged` if its structure is damaged
   * as well. Then the next start restores the last sound snapshot.
   */
  async save({ isLast }: { readonly isLast: boolean }): Promise<void> {
    const { folder } = this.#options;
    const problems = await this.snapshot();
    if (problems.length === 0) return markDamaged(folder, isLast ? "saved" : "unlinked");
    // A file in its place is another database: its rows must not be mixed with those of the snapshot.
    if ((await this.lastSnapshotAtMs()) !== undefined) markDamaged(folder, "unlinked");
    throw new StoreError(
      "damaged",
      "The database is damaged as well. The next start restores its last sound snapshot and the plain files.",
      {
        cause: problems,
      },
    );
  }

  async #snapshot(): Promise<readonly string[]> {
    const { database, databaseId, folder, clock, damage } = this.#options;
    const changes = this.#changes();
    const problems = await takeSnapshot(database, {
      folder,
      databaseId,
      nowMs: clock.now(),
      keepsOthers: damage.keepsEarlierSnapshots,
    });
    if (problems.length > 0) this.#recordDamage(problems);
    else this.#changesInSnapshot = changes;
    return problems;
  }

  async lastSnapshotAtMs(): Promise<number | undefined> {
    const { folder, databaseId } = this.#options;
    const own = (await listSnapshots(folder)).find((snapshot) => (snapshot.databaseId ?? databaseId) === databaseId);
    return own?.takenAtMs;
  }

  /** True if the database has changed since its newest snapshot, in this process or an earlier one. */
  async hasChanged(): Promise<boolean> {
    if (this.#changes() !== this.#changesInSnapshot) return true;
    const newest = this.#options.database.get("SELECT max(updated_at) AS updated_at FROM sessions")?.["updated_at"];
    return typeof newest === "number" && newest > ((await this.lastSnapshotAtMs()) ?? 0);
  }

  async removeUnfinished(): Promise<void> {
    removeUnfinishedMigrationCopy(this.#options.folder);
    await removeUncheckedSnapshot(this.#options.folder);
    await removeUnfinishedRecovery(this.#options.folder);
  }

  /** Checks a failure for structural damage. */
  inspect(error: unknown): void {
    if (isStructureDamage(error)) this.#recordDamage([error instanceof Error ? String(error.cause) : ""]);
  }

  #changes(): number {
    return Number(this.#options.database.get("SELECT total_changes() AS changes")?.["changes"]);
  }

  #recordDamage(problems: readonly string[]): void {
    if (this.#isDamaged) return;
    this.#isDamaged = true;
    const { folder, logger, onStructureDamage } = this.#options;
    logger.error("The structure of the database is damaged; it has to be rebuilt", { problems });
    try {
      markDamaged(folder);
    } catch (error) {
      logger.error("That the database is damaged could not be noted for the next start, which finds it out again", { error });
    }
    onStructureDamage();
  }
}
