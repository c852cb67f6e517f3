import { StoreError } from "@factotum/store";

/** True for a failure after which this process cannot continue: it ends, or the data is unreadable. The next start decides. */
export function isFinalStoreError(error: unknown): boolean {
  return StoreError.isInstance(error) && (error.code === "closed" || error.code === "lost-ownership" || error.code === "damaged");
}
