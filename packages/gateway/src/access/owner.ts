import type { MsgContext } from "@factotum/channel-contract";

/** True when the owner list names exactly this sender: `channel:id`, the whole string, case included. Display names never count. */
export function isListedOwner(message: Pick<MsgContext, "origin" | "sender">, ownerAllowFrom: readonly string[]): boolean {
  if (message.sender.isBot) return false;
  return ownerAllowFrom.includes(`${message.origin.channel}:${message.sender.id}`);
}
