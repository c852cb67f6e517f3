import { StoreError } from "@factotum/store";
import type { OutboxRecord, OutboxStore } from "@factotum/store";
import { sendKey } from "../../kernel/idempotency-key.ts";
import type { StreamedPreview } from "./reply-stream.ts";

/** The key of a turn's preview; there is at most one. */
export function previewKey(turnId: string): string {
  return sendKey("turn", turnId, "preview");
}

/** The preview that an earlier process left for a turn without a writer; `undefined` if there is none. */
export async function leftPreview(turnId: string, store: OutboxStore): Promise<StreamedPreview | undefined> {
  const row = await undamaged(store.findOutbound(previewKey(turnId)));
  return row === undefined ? undefined : { type: "preview", rowId: row.id, shown: row.covers?.end ?? 0 };
}

/** Ignores a damaged row: the answer is sent as without a preview. */
export async function undamaged(row: Promise<OutboxRecord | undefined>): Promise<OutboxRecord | undefined> {
  try {
    return await row;
  } catch (error) {
    if (StoreError.isInstance(error) && error.code === "damaged") return undefined;
    throw error;
  }
}
