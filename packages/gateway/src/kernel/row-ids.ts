import type { OutboxRecord } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";

/** The ids in log lines about a row: its own, and that of its turn or its inputs. */
export function rowIds({ id, turnId, inputIds }: OutboxRecord): Pick<OutboxRecord, "turnId" | "inputIds"> & { readonly outboxId: string } {
  return { outboxId: id, ...withoutUndefined({ turnId, inputIds }) };
}
