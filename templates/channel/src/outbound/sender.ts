import type { ChannelHost, Origin, Outbound, SendOptions, SendReceipt } from "@factotum/channel-contract";
import { createSendQueue, rejectedReceipt, textProblem } from "@factotum/channel-kit";
import type { Sender } from "@factotum/channel-kit";
import type { SampleChatApi } from "../api/sample-chat-api.ts";
import { SAMPLE_CHAT_CAPABILITIES } from "../capabilities.ts";
import { errors } from "../errors.ts";
import { renderKey, renderText } from "./render-text.ts";

/** One send after the other in a conversation, conversations side by side. */
export function createSender(api: SampleChatApi, host: Pick<ChannelHost, "logger">): Sender {
  const queue = createSendQueue(host, { toReceipt: errors.toReceipt });

  const sendNow = async (target: Origin, outbound: Outbound, { signal, idempotencyKey }: SendOptions): Promise<SendReceipt> => {
    if (outbound.type !== "text") return rejectedReceipt("rejected", `this channel sends no ${outbound.type}`);
    if (outbound.onlyFor !== undefined) return rejectedReceipt("rejected", "this channel shows no message to one person alone");
    const problem = textProblem(outbound.text, SAMPLE_CHAT_CAPABILITIES.text);
    if (problem !== undefined) return problem;
    const message = { body: renderText(outbound), key: renderKey(idempotencyKey) };
    return { type: "accepted", messageIds: [await api.sendMessage(target.conversation.id, message, { signal })] };
  };

  return {
    send(target, outbound, options) {
      const { signal } = options;
      return queue.run({ key: target.conversation.id, outbound, signal }, (call) => sendNow(target, outbound, { ...options, ...call }));
    },
    stop: (options) => queue.stop(options),
  };
}
