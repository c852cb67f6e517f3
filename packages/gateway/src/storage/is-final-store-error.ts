import { StoreError } from "@factotum/store";

/** True for a failure after which this process can do no more: it ends, or what it asked for cannot be read. The next start decides. */
export function isFinalStoreError(error: unknown): boolean {
  return StoreError.isInstance(error) && (error.code === "closed" || error.code === "lost-ownership" || error.code === "damaged");
}
