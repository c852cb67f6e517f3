import { StoreError } from "@factotum/store";

/** Codes of the system that say: not here, not now. */
const CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EROFS"]);

/** True for a failure that passes when the disk has space again, or may be written again; nothing of what failed was kept. */
export function isStorageFull(error: unknown): error is Error {
  if (StoreError.isInstance(error)) return error.code === "full";
  return error instanceof Error && "code" in error && CODES.has(error.code);
}
