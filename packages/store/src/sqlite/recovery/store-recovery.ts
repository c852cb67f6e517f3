import type { DatabaseLoss } from "./find-loss.ts";
import type { RestoredCopies } from "./restore-copies.ts";

/** The outcome of recovering a lost or damaged database. */
export interface StoreRecovery {
  readonly loss: DatabaseLoss;
  /** Age of the copy that it stands on; absent when there was no usable one. */
  readonly snapshotAtMs?: number;
  /** Rows that could be read of the damaged one. */
  readonly salvagedRows: number;
  /** True when all of it could be read: then nothing is lost. */
  readonly isComplete: boolean;
  /** Entries that only the plain files had. */
  readonly fromCopies: RestoredCopies;
  /** Where the damaged files are kept. */
  readonly damagedFolder: string;
}
