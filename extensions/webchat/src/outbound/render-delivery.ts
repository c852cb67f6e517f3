import type { Origin, Outbound } from "@factotum/channel-contract";
import type { WebchatDelivery } from "@factotum/protocol";

/** Turns an outbound message into a delivery; `undefined` for what the capabilities do not declare. Markdown goes out as it is. */
export function renderDelivery(target: Origin, outbound: Outbound, idempotencyKey: string): WebchatDelivery | undefined {
  const sessionKey = target.conversation.id;
  switch (outbound.type) {
    case "text":
      return { type: "text", sessionKey, idempotencyKey, text: outbound.text };
    case "edit":
      return { type: "edit", sessionKey, idempotencyKey, targetId: outbound.targetId, text: outbound.text };
    case "media":
    case "delete":
    case "reaction":
    case "poll":
    case "card":
    case "typing":
      return undefined;
  }
}
