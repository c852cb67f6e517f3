import { StoreError } from "@factotum/store";

/** System error codes of a disk that cannot be written to at the moment. */
const CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EROFS"]);

/** True for a failure that ends once the disk has space or is writable again; the failed write was rolled back. */
export function isStorageFull(error: unknown): error is Error {
  if (StoreError.isInstance(error)) return error.code === "full";
  return error instanceof Error && "code" in error && CODES.has(error.code);
}
