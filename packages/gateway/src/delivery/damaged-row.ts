import { StoreError } from "@factotum/store";

/** Why a row of the outbox was given up that is not what was written; the store says the same. */
export const DAMAGED_REASON = "damaged";

/** True when the store refuses a row because it is not what was written. */
export function isDamaged(error: unknown): boolean {
  return StoreError.isInstance(error) && error.code === "damaged";
}
