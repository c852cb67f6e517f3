import type { Origin } from "@factotum/channel-contract";
import { addressId } from "./conversation-id.ts";

/** An address, also behind `user:` and the like; a mail there begins a thread. */
export function resolveTarget(query: string, accountId: string): Origin | undefined {
  const id = addressId(query.trim().replace(/^(?:user|channel|group|mailto):/, ""));
  return id === undefined ? undefined : { channel: "email", accountId, conversation: { kind: "direct", id } };
}
