import { StoreError } from "@factotum/store";
import type { OutboxRecord } from "@factotum/store";

/** The reason of an outbox row that was given up as damaged; the store uses the same text. */
export const DAMAGED_REASON = "damaged";

/** True if the store rejects a row because it is damaged. */
export function isDamaged(error: unknown): boolean {
  return StoreError.isInstance(error) && error.code === "damaged";
}

/** The final state of a damaged row. A lost preview is not reported, because its answer follows. */
export function stateGivenUp({ purpose }: OutboxRecord): "dead" | "dropped" {
  return purpose === "preview" ? "dropped" : "dead";
}

/** The row as the store has given it up. */
export function asDamaged(row: OutboxRecord): OutboxRecord {
  return { ...row, state: stateGivenUp(row) === "dead" ? { type: "dead", reason: DAMAGED_REASON } : { type: "suppressed" } };
}
