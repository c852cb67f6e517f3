import { StoreError } from "@factotum/store";
import type { OutboxRecord } from "@factotum/store";

/** Why a row of the outbox was given up that is not what was written; the store says the same. */
export const DAMAGED_REASON = "damaged";

/** True when the store refuses a row because it is not what was written. */
export function isDamaged(error: unknown): boolean {
  return StoreError.isInstance(error) && error.code === "damaged";
}

/** Nobody is told of a preview that did not come: its answer does. */
export function stateGivenUp({ purpose }: OutboxRecord): "dead" | "dropped" {
  return purpose === "preview" ? "dropped" : "dead";
}

/** The store has given it up. */
export function asDamaged(row: OutboxRecord): OutboxRecord {
  return { ...row, state: stateGivenUp(row) === "dead" ? { type: "dead", reason: DAMAGED_REASON } : { type: "suppressed" } };
}
