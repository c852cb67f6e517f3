import type { PairedSender, PairingRequest } from "@factotum/protocol";
import { foreignText } from "../runtime/foreign-text.ts";

/** One line about a request, with its code. */
export function describeRequest(request: PairingRequest, nowMs: number): string {
  const minutes = Math.max(1, Math.ceil((request.expiresAtMs - nowMs) / 60_000));
  return `${request.code}  ${describeSender(request)}, valid for ${minutes} more ${minutes === 1 ? "minute" : "minutes"}`;
}

/** A person on a channel in one line. */
export function describeSender({ channel, accountId, senderId, senderName }: PairedSender | PairingRequest): string {
  const name = senderName === undefined ? "" : `, who writes as ${foreignText(senderName)}`;
  return `${channel}/${accountId} ${foreignText(senderId)}${name}`;
}
