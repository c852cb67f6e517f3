import type { ChannelErrorCode, Origin, Outbound, SendReceipt } from "@factotum/channel-contract";
import { fitKey, measure } from "@factotum/channel-kit";
import type { WebchatDelivery } from "@factotum/protocol";
import { WEBCHAT_CAPABILITIES } from "../capabilities.ts";
import { toUnsupportedError } from "../errors.ts";

/** The delivery for the socket, or why there is none. */
export type RenderedDelivery =
  | { readonly type: "delivery"; readonly delivery: WebchatDelivery }
  | { readonly type: "refused"; readonly receipt: Extract<SendReceipt, { type: "rejected" }> };

/** Renders an outbound message as a delivery. Markdown is passed on unchanged; undeclared capabilities are refused permanently. */
export function renderDelivery(target: Origin, outbound: Outbound, key: string): RenderedDelivery {
  const base = { sessionKey: target.conversation.id, idempotencyKey: shortKey(key) };
  switch (outbound.type) {
    case "text":
      if (outbound.onlyFor !== undefined) return refuse("rejected", toUnsupportedError("messages for one person").message);
      return checkText(outbound.text) ?? { type: "delivery", delivery: { type: "text", ...base, text: outbound.text } };
    // Entries of a conversation are immutable.
    case "edit":
    case "media":
    case "album":
    case "edit-card":
    case "stream":
    case "delete":
    case "reaction":
    case "poll":
    case "card":
    case "typing":
      return refuse("rejected", toUnsupportedError(`"${outbound.type}" messages`).message);
  }
}

function checkText(text: string): RenderedDelivery | undefined {
  const { maxLength, unit } = WEBCHAT_CAPABILITIES.text;
  if (text.trim() === "") return refuse("rejected", "There is nothing to show: the text is blank.");
  const length = measure(text, unit);
  return length > maxLength
    ? refuse("too-long", `The text has ${length} characters; WebChat takes ${maxLength} in one message.`)
    : undefined;
}

function refuse(code: ChannelErrorCode, message: string): RenderedDelivery {
  return { type: "refused", receipt: { type: "rejected", code, retry: { type: "never" }, message } };
}

/** The socket compares keys whole, so a long one becomes its hash. */
function shortKey(key: string): string {
  const maxLength = WEBCHAT_CAPABILITIES.idempotentSend?.maxKeyLength ?? 0;
  return fitKey(key, maxLength);
}
