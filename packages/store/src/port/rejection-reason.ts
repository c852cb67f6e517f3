import type { SendReceipt } from "@factotum/channel-contract";

/** The reason of a rejected send, as shown in stored rows, the status and the log. */
export function rejectionReason({ code, message }: Pick<Extract<SendReceipt, { type: "rejected" }>, "code" | "message">): string {
  return message === undefined ? code : `${code}: ${message}`;
}
