import type { Clock } from "@factotum/agent-contract";
import type { StoreDamage } from "../../port/store-damage.ts";
import type { Database } from "../connection/database.ts";

/** The shared dependencies of the tables. Mutating methods are called inside a transaction of the writer. */
export interface TableContext {
  readonly database: Database;
  readonly clock: Clock;
  /** Reports damage, and queues the change that excludes the row from now on. `turn`: the number of the turn that wrote it. */
  quarantine(damage: Omit<StoreDamage, "origin"> & { readonly turn?: number | undefined }, exclude: () => void): void;
  /** A conversation has new entries. */
  appended(conversation: number): void;
}
