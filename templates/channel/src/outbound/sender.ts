import type { CallOptions, ChannelErrorCode, ChannelHost, Origin, Outbound, SendOptions, SendReceipt } from "@factotum/channel-contract";
import { createKeyedQueue, measure } from "@factotum/channel-kit";
import type { SampleChatApi } from "../api/sample-chat-api.ts";
import { SAMPLE_CHAT_CAPABILITIES } from "../capabilities.ts";
import { toReceipt } from "../errors.ts";
import { renderKey, renderText } from "./render-text.ts";

/** The sending half of a channel. */
export interface Sender {
  /** As `Channel.send`. */
  send(target: Origin, outbound: Outbound, options: SendOptions): Promise<SendReceipt>;
  /** Accepts no further sends; resolves when those on the wire have a result, or were abandoned because the signal fired. */
  stop(options: CallOptions): Promise<void>;
}

/** One send after the other in a conversation, conversations side by side. */
export function createSender(api: SampleChatApi, host: Pick<ChannelHost, "logger">): Sender {
  const queue = createKeyedQueue();
  const stopping = new AbortController();
  const givingUp = new AbortController();

  const sendNow = async (target: Origin, outbound: Outbound, options: SendOptions): Promise<SendReceipt> => {
    if (stopping.signal.aborted) return refused("unreachable", "the channel is stopped", "backoff");
    if (options.signal.aborted) return refused("unreachable", "the send was ended before it left", "backoff");
    if (outbound.type !== "text") return refused("rejected", `this channel sends no ${outbound.type}`);
    if (outbound.onlyFor !== undefined) return refused("rejected", "this channel shows no message to one person alone");
    const { maxLength, unit } = SAMPLE_CHAT_CAPABILITIES.text;
    if (measure(outbound.text, unit) > maxLength) return refused("too-long", `the text is longer than ${maxLength}`);
    if (outbound.text.trim() === "") return refused("rejected", "the text is empty");
    const message = { body: renderText(outbound), key: renderKey(options.idempotencyKey) };
    try {
      const signal = AbortSignal.any([options.signal, givingUp.signal]);
      return { type: "accepted", messageIds: [await api.sendMessage(target.conversation.id, message, { signal })] };
    } catch (error) {
      const receipt = toReceipt(error);
      host.logger.warn("sample-chat send failed", { receipt: receipt.type, error: error instanceof Error ? error.message : "unknown" });
      return receipt;
    }
  };

  return {
    send: (target, outbound, options) => queue.run(target.conversation.id, () => sendNow(target, outbound, options)),
    async stop({ signal }) {
      stopping.abort();
      const giveUp = (): void => givingUp.abort(new Error("the channel was stopped"));
      if (signal.aborted) giveUp();
      signal.addEventListener("abort", giveUp, { once: true });
      await queue.idle();
      signal.removeEventListener("abort", giveUp);
    },
  };
}

function refused(code: ChannelErrorCode, message: string, retry: "never" | "backoff" = "never"): SendReceipt {
  return { type: "rejected", code, retry: { type: retry }, message };
}
