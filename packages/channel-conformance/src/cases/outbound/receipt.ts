import assert from "node:assert/strict";
import type { ChannelErrorCode, MessageId, SendReceipt } from "@factotum/channel-contract";

/** The id of a send that was accepted. */
export function acceptedId(receipt: SendReceipt): MessageId {
  assert.equal(receipt.type, "accepted", JSON.stringify(receipt));
  const [id] = receipt.type === "accepted" ? receipt.messageIds : [];
  assert.ok(id, "an accepted send names its message");
  return id;
}

/** Asserts that a send was refused with one of the codes. */
export function assertRejected(receipt: SendReceipt, ...codes: readonly ChannelErrorCode[]): void {
  assert.equal(receipt.type, "rejected", JSON.stringify(receipt));
  assert.ok(receipt.type === "rejected" && codes.includes(receipt.code), `${JSON.stringify(receipt)} is none of ${codes.join(", ")}`);
}
