import type { CallOptions, ChannelErrorCode, ChannelHost, Outbound, SendReceipt } from "@factotum/channel-contract";
import { createKeyedQueue } from "./keyed-queue.ts";
import { reasonOf } from "./reason-of.ts";

/** One send of an adapter. */
export interface QueuedSend extends CallOptions {
  /** Sends of one key never overlap. */
  readonly key: string;
  readonly outbound: Outbound;
}

/** The order of an account's sends, and their end. */
export interface SendQueue {
  /**
   * Runs `task` after all earlier sends of the key, a sign of typing at once, which would be late behind a message; the signal of its options also fires when the queue gives up. Never rejects: a failure is logged and mapped
   * to a receipt, and a send that has not begun when its signal fires or the queue stops is rejected as unreachable.
   */
  run(send: QueuedSend, task: (options: CallOptions) => Promise<SendReceipt>): Promise<SendReceipt>;
  /** Accepts no further sends; resolves when those that have begun have a result, or gave up because the signal fired. */
  stop(options: CallOptions): Promise<void>;
}

/** Creates an empty queue. `toReceipt` maps what a task rejects with. */
export function createSendQueue(
  { logger }: Pick<ChannelHost, "logger">,
  { toReceipt }: { readonly toReceipt: (error: unknown) => SendReceipt },
): SendQueue {
  const queue = createKeyedQueue();
  const typing = createKeyedQueue();
  let typingCount = 0;
  const stopping = new AbortController();
  const givingUp = new AbortController();

  const begin = async ({ outbound, signal }: QueuedSend, task: (options: CallOptions) => Promise<SendReceipt>): Promise<SendReceipt> => {
    if (stopping.signal.aborted) return rejectedReceipt("unreachable", "the channel is stopped", "backoff");
    if (signal.aborted) return rejectedReceipt("unreachable", "the send was ended before it left", "backoff");
    try {
      return await task({ signal: AbortSignal.any([signal, givingUp.signal]) });
    } catch (error) {
      const receipt = toReceipt(error);
      const reason = reasonOf(error);
      logger.warn("send failed", { outbound: outbound.type, receipt: receipt.type, error: reason });
      return receipt;
    }
  };

  return {
    run(send, task) {
      if (send.outbound.type !== "typing") return queue.run(send.key, () => begin(send, task));
      typingCount += 1;
      return typing.run(String(typingCount), () => begin(send, task));
    },
    async stop({ signal }) {
      stopping.abort();
      const giveUp = (): void => givingUp.abort(new Error("the channel was stopped"));
      if (signal.aborted) giveUp();
      signal.addEventListener("abort", giveUp, { once: true });
      await Promise.all([queue.idle(), typing.idle()]);
      signal.removeEventListener("abort", giveUp);
    },
  };
}

/** The receipt of a send that was not made. Without `retry` another attempt would fail the same way. */
export function rejectedReceipt(
  code: ChannelErrorCode,
  message: string,
  retry: "never" | "backoff" = "never",
): SendReceipt & { readonly type: "rejected" } {
  return { type: "rejected", code, retry: { type: retry }, message };
}
