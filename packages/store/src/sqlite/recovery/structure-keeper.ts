import type { Clock, Logger } from "@factotum/agent-contract";
import type { Database } from "../connection/database.ts";
import { isStructureDamage } from "../to-store-error.ts";
import { markDamaged } from "./damage-mark.ts";
import { listSnapshots, takeSnapshot } from "./snapshots.ts";

/** What the keeper looks after. */
export interface StructureKeeperOptions {
  readonly database: Pick<Database, "copyTo" | "pageBytes">;
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onStructureDamage: () => void;
}

/** Keeps copies for the day when the structure of the database is damaged, and notices that day: once it has, the next start puts the database together anew. */
export class StructureKeeper {
  readonly #options: StructureKeeperOptions;
  #isDamaged = false;

  constructor(options: StructureKeeperOptions) {
    this.#options = options;
  }

  async snapshot(): Promise<readonly string[]> {
    const { database, folder, clock } = this.#options;
    const problems = await takeSnapshot(database, folder, clock.now());
    if (problems.length > 0) this.#noteDamage(problems);
    return problems;
  }

  async lastSnapshotAtMs(): Promise<number | undefined> {
    const [newest] = await listSnapshots(this.#options.folder);
    return newest?.takenAtMs;
  }

  /** Looks at a failure of the database. */
  look(error: unknown): void {
    if (isStructureDamage(error)) this.#noteDamage([error instanceof Error ? String(error.cause) : ""]);
  }

  #noteDamage(problems: readonly string[]): void {
    if (this.#isDamaged) return;
    this.#isDamaged = true;
    const { folder, logger, onStructureDamage } = this.#options;
    logger.error("The structure of the database is damaged; it has to be put together anew", { problems });
    try {
      markDamaged(folder);
    } catch (error) {
      logger.error("That the database is damaged could not be noted for the next start, which finds it out again", { error });
    }
    onStructureDamage();
  }
}
