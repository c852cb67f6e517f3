import type { DatabaseLoss } from "./find-loss.ts";
import type { UncertainRows } from "./find-affected.ts";
import type { RestoredCopies } from "./restore-copies.ts";

/** The outcome of recovering a lost or damaged database. */
export interface StoreRecovery {
  readonly loss: DatabaseLoss;
  /** Age of the copy that it is based on; absent if there was no usable one. */
  readonly snapshotAtMs?: number;
  /** Rows salvaged from the damaged file. */
  readonly salvagedRows: number;
  /** True if no conversation was restored. */
  readonly isEmpty: boolean;
  /** True if all of it was readable: then nothing is lost. */
  readonly isComplete: boolean;
  /** Entries that only the plain files had. */
  readonly fromCopies: RestoredCopies;
  /** Pending work that may have been done, and is not repeated. */
  readonly uncertain: UncertainRows;
  /** Where the damaged files are kept. */
  readonly damagedFolder: string;
}
