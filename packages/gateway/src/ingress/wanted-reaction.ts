import type { MsgContext } from "@factotum/channel-contract";
import type { AccountConfig } from "@factotum/config";

/** True if an event is no reaction, or one that the account wants (`reactionNotifications`). */
export function isWantedReaction({ event }: Pick<MsgContext, "event">, mode: AccountConfig["reactionNotifications"] = "own"): boolean {
  if (event.type !== "reaction" || mode === "all") return true;
  return mode === "own" && event.isOnOwnMessage !== false;
}
