import type { DatabaseLoss } from "./find-loss.ts";
import type { RestoredCopies } from "./restore-copies.ts";

/** What became of a database that was lost, or whose structure was damaged. */
export interface StoreRecovery {
  readonly loss: DatabaseLoss;
  /** Age of the copy that it stands on; absent when there was no usable one. */
  readonly snapshotAtMs?: number;
  /** Rows that could be read of the damaged one. */
  readonly salvagedRows: number;
  /** True when all of it could be read: then nothing is lost. */
  readonly isComplete: boolean;
  /** What the plain files of the conversations had and nothing else did. */
  readonly fromCopies: RestoredCopies;
  /** Where the damaged files lie now, for whoever wants to look. */
  readonly damagedFolder: string;
}
