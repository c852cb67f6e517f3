import type { SendOptions } from "@factotum/channel-contract";
import { StoreError } from "@factotum/store";
import type { InboxStore, OutboxRecord, OutboxStore, TurnStore } from "@factotum/store";
import { conversationKey } from "../kernel/conversation-key.ts";
import { sendKey } from "../kernel/idempotency-key.ts";
import { MAX_FILES } from "./plan-media.ts";

/** Inputs of a turn that are searched, newest first. */
const MAX_INPUTS = 10;

/**
 * The valid reply context of the newest input that caused the row, if that input came from the conversation that the row is sent to. `undefined` if there is
 * none, or if the records that lead to it are damaged.
 */
export async function readReplyContext(
  row: Pick<OutboxRecord, "turnId" | "inputIds" | "target">,
  { store, nowMs }: { readonly store: Pick<InboxStore, "readInput"> & Pick<TurnStore, "readTurn">; readonly nowMs: number },
): Promise<string | undefined> {
  try {
    const ids = row.turnId === undefined ? row.inputIds : (await store.readTurn(row.turnId))?.inputIds;
    for (const id of (ids ?? []).toReversed().slice(0, MAX_INPUTS)) {
      const message = (await store.readInput(id))?.message;
      if (message?.replyContext === undefined || conversationKey(message.origin) !== conversationKey(row.target)) continue;
      const { data, expiresAtMs } = message.replyContext;
      if (expiresAtMs === undefined || expiresAtMs > nowMs) return data;
    }
  } catch (error) {
    // The row itself is intact: it is sent as an independent message.
    if (!StoreError.isInstance(error) || error.code !== "damaged") throw error;
  }
  return undefined;
}

/**
 * How the turn of a row has ended, if the row is the last one of its answer, or the notice why it has none; otherwise `undefined`. Files follow the text. Parts of
 * a text over the limit can follow the first one.
 */
export async function endOfTurn(
  { turnId, purpose, idempotencyKey }: Pick<OutboxRecord, "turnId" | "purpose" | "idempotencyKey">,
  store: Pick<TurnStore, "readTurn"> & Pick<OutboxStore, "findOutbound">,
): Promise<SendOptions["endsTurn"]> {
  if (turnId === undefined) return undefined;
  const files = Array.from({ length: MAX_FILES }, (_, index) => sendKey("turn", turnId, "reply", "media", index));
  const answer = [sendKey("turn", turnId, purpose, 0), ...files];
  const at = answer.indexOf(idempotencyKey);
  if (at === -1) return undefined;
  for (const key of answer.slice(at + 1)) if (await isThere(key, store)) return undefined;
  const state = (await store.readTurn(turnId))?.state;
  return state === "running" ? undefined : state;
}

/** A damaged row is no longer sent. */
async function isThere(idempotencyKey: string, store: Pick<OutboxStore, "findOutbound">): Promise<boolean> {
  try {
    return (await store.findOutbound(idempotencyKey)) !== undefined;
  } catch (error) {
    if (StoreError.isInstance(error) && error.code === "damaged") return false;
    throw error;
  }
}
