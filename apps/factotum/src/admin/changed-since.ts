import { RpcError } from "@factotum/gateway";

/** The refusal to write over another text than the one that was read. */
export function changedSince(path: string, cause?: unknown): RpcError {
  return new RpcError("conflict", `${path} has changed since it was read. Read it again, and make your change there.`, { cause });
}
