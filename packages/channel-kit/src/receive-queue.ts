import type { AccountProgress, CallOptions, ChannelHealth, ChannelHost, MsgContext } from "@factotum/channel-contract";
import { createStoreQueue, type StoreQueue } from "./store-queue.ts";
import { addUnstored } from "./unstored-health.ts";

/** Limits of a queue. */
export interface ReceiveQueueOptions {
  /** Messages kept at most, including the one that is being stored; 1,000 by default. Later ones are lost, and counted in the health. */
  readonly maxWaiting?: number;
}

/** Passes messages to the gateway for a platform that delivers each of them once. */
export interface ReceiveQueue {
  /** Passes a message on after all earlier ones, again with backoff until it is stored. */
  add(message: MsgContext, progress?: AccountProgress): void;
  /** The health with what waits or was lost: then at least `degraded`. */
  addTo(health: ChannelHealth): ChannelHealth;
  /** Accepts no more. Resolves once everything is stored, or the signal has fired: the rest is lost, and logged. Idempotent. */
  stop(options: CallOptions): Promise<void>;
}

type QueueHost = Pick<ChannelHost, "receive" | "clock" | "random" | "logger">;

/**
 * Makes a queue in memory: one call of `receive` at a time, in order. A message over a limit of the contract (RangeError) can never be stored: it is dropped and
 * logged. Every other failure is retried, since the platform will not deliver the message again.
 */
export function createReceiveQueue(host: QueueHost, { maxWaiting = 1_000 }: ReceiveQueueOptions = {}): ReceiveQueue {
  return new Queue(host, createStoreQueue(host, { noun: "message", maxWaiting }));
}

class Queue implements ReceiveQueue {
  readonly #host: QueueHost;
  readonly #queue: StoreQueue;
  #refused = 0;

  constructor(host: QueueHost, queue: StoreQueue) {
    this.#host = host;
    this.#queue = queue;
  }

  add(message: MsgContext, progress?: AccountProgress): void {
    if (this.#queue.isClosed) {
      this.#refused += 1;
      this.#host.logger.error("message lost: too many wait to be stored", { waiting: this.#queue.size });
      return;
    }
    // A dropped one is logged by the queue, or counted by `stop`.
    this.#queue.add(() => this.#host.receive(message, progress)).catch(() => undefined);
  }

  addTo(health: ChannelHealth): ChannelHealth {
    return addUnstored(health, { waiting: this.#queue.waiting, lost: this.#queue.lost + this.#refused });
  }

  async stop(options: CallOptions): Promise<void> {
    const count = await this.#queue.stop(options);
    if (count > 0) this.#host.logger.error("messages lost: not stored before the stop", { count });
  }
}
