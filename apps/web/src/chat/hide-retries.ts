import { retriedKey } from "@factotum/protocol";
import type { ChatItem } from "./chat-items.ts";

/** Hides further attempts at a message: the person sees it once, why it failed, and the result of the retry. Rows keep their identity. */
export function hideRetries(items: readonly ChatItem[]): readonly ChatItem[] {
  const shown = new Set<string>();
  return items.filter((item) => {
    if (item.type !== "user" || item.idempotencyKey === undefined) return true;
    const key = retriedKey(item.idempotencyKey) ?? item.idempotencyKey;
    if (key !== item.idempotencyKey && shown.has(key)) return false;
    shown.add(key);
    return true;
  });
}
