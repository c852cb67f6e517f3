import { messageId } from "@factotum/channel-contract";
import type { ChannelHost, Origin, Outbound, SendOptions, SendReceipt } from "@factotum/channel-contract";
import { createSendQueue, measure, rejectedReceipt } from "@factotum/channel-kit";
import type { Sender } from "@factotum/channel-kit";
import type { ServiceApi } from "../api/service-api.ts";
import { WEBHOOK_CAPABILITIES } from "../capabilities.ts";
import { errors } from "../errors.ts";
import { renderKey, renderMessage } from "./render-message.ts";

/** One send after the other in a conversation, conversations side by side. */
export function createSender(api: ServiceApi, host: Pick<ChannelHost, "logger">): Sender {
  const queue = createSendQueue(host, { toReceipt: errors.toReceipt });

  const sendNow = async (target: Origin, outbound: Outbound, { signal, idempotencyKey }: SendOptions): Promise<SendReceipt> => {
    if (outbound.type !== "text" && outbound.type !== "media") return rejectedReceipt("rejected", `this channel sends no ${outbound.type}`);
    if (outbound.type === "text" && outbound.onlyFor !== undefined) {
      return rejectedReceipt("rejected", "this channel shows no message to one person alone");
    }
    const message = renderMessage(target.conversation, outbound);
    const { maxLength, unit } = WEBHOOK_CAPABILITIES.text;
    if (measure(message.text, unit) > maxLength) return rejectedReceipt("too-long", `the text is longer than ${maxLength}`);
    if (outbound.type === "text" && message.text.trim() === "") return rejectedReceipt("rejected", "the text is empty");
    if (outbound.type === "media") {
      const { bytes, kind } = outbound.media;
      const maxBytes = WEBHOOK_CAPABILITIES.media.find((one) => one.kind === kind)?.maxBytes ?? 0;
      if (bytes.byteLength > maxBytes) return rejectedReceipt("too-long", `the file is larger than ${maxBytes} bytes`);
    }
    const id = renderKey(idempotencyKey);
    const given = await api.post({ type: "message", ...message }, { id, signal });
    return { type: "accepted", messageIds: [messageId(given ?? id)] };
  };

  return {
    send(target, outbound, options) {
      const { signal } = options;
      return queue.run({ key: target.conversation.id, outbound, signal }, (call) => sendNow(target, outbound, { ...options, ...call }));
    },
    stop: (options) => queue.stop(options),
  };
}
