import type { OutboxRecord } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";

/** By what the log's lines about a row are found: itself, and the turn or the inputs whose answer it is. */
export function rowIds({ id, turnId, inputIds }: OutboxRecord): Pick<OutboxRecord, "turnId" | "inputIds"> & { readonly outboxId: string } {
  return { outboxId: id, ...withoutUndefined({ turnId, inputIds }) };
}
