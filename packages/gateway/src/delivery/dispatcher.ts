import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { Channel, Origin, SendReceipt } from "@factotum/channel-contract";
import { StoreError } from "@factotum/store";
import type { OutboxRecord, OutboxTransition, Store } from "@factotum/store";
import { conversationKey } from "./conversation-key.ts";
import { nextTry, SEND_TIMEOUT_MS } from "./retry-policy.ts";

/** What delivery needs of the rest. */
export interface DispatcherOptions {
  readonly store: Store;
  /** The connected channel of an address; `undefined` while there is none. */
  readonly channelFor: (target: Origin) => Channel | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** A row has reached a state from which it does not come back. */
  readonly onSettled: (row: OutboxRecord) => void;
}

/**
 * Sends what the outbox holds: in order per conversation, conversations side by side. Every row is claimed on disk before its request leaves, and what
 * became of it is on disk before the next one of the conversation leaves (R3).
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #queues = new Map<string, OutboxRecord[]>();
  readonly #workers = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Takes rows that were just committed, in their order. */
  dispatch(rows: readonly OutboxRecord[]): void {
    if (this.#closing.signal.aborted) return;
    for (const row of rows) {
      if (row.state.type !== "waiting" && row.state.type !== "sending") continue;
      const key = conversationKey(row.target);
      const queue = this.#queues.get(key);
      if (queue !== undefined) queue.push(row);
      else {
        const fresh = [row];
        this.#queues.set(key, fresh);
        this.#work(key, fresh);
      }
    }
  }

  /** Takes up what the last process left. A row that was on the wire then is ambiguous unless its channel recognises repeated sends. */
  async recover(): Promise<void> {
    let afterId: string | undefined;
    for (;;) {
      const rows = await this.#options.store.listPendingOutbound({ limit: 200, ...(afterId === undefined ? {} : { afterId }) });
      if (rows.length === 0) return;
      for (const row of rows) {
        if (row.state.type === "sending") {
          const receipt: SendReceipt = { type: "ambiguous", cause: "the gateway stopped while this was being sent" };
          this.dispatch([await this.#settle(row, receipt)]);
        } else this.dispatch([row]);
      }
      afterId = rows.at(-1)?.id;
    }
  }

  /** Conversations that have something to send. */
  get pending(): number {
    return this.#queues.size;
  }

  /** Resolves when nothing is left to send now. For tests and for a shutdown that drains. */
  async idle(): Promise<void> {
    while (this.#workers.size > 0) await Promise.all(this.#workers);
  }

  /** Starts no further send and waits for those on the wire. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#workers);
  }

  #work(key: string, queue: OutboxRecord[]): void {
    const worker = this.#drain(queue)
      .catch((error: unknown) => {
        // The store refused: the rows stay on disk and are taken up at the next start.
        this.#options.logger.error("Delivery of a conversation stopped", {
          error,
          reason: StoreError.isInstance(error) ? error.code : "internal",
        });
      })
      .finally(() => {
        this.#queues.delete(key);
        this.#workers.delete(worker);
      });
    this.#workers.add(worker);
  }

  async #drain(queue: OutboxRecord[]): Promise<void> {
    for (let row = queue[0]; row !== undefined && !this.#closing.signal.aborted; row = queue[0]) {
      const settled = await this.#deliver(row);
      if (settled.state.type === "waiting") queue[0] = settled;
      else {
        queue.shift();
        this.#options.onSettled(settled);
      }
    }
  }

  async #deliver(row: OutboxRecord): Promise<OutboxRecord> {
    const { clock, store } = this.#options;
    if (clock.now() > row.expiresAtMs)
      return this.#transition(row, { type: "dead", reason: "it could not be sent before its time ran out" });
    if (row.dueAtMs > clock.now() && row.state.type === "waiting") await this.#wait(row.dueAtMs - clock.now());
    const channel = this.#options.channelFor(row.target);
    if (channel === undefined) {
      const receipt: SendReceipt = {
        type: "rejected",
        code: "unreachable",
        retry: { type: "backoff" },
        message: `the channel ${row.target.channel}:${row.target.accountId} is not running`,
      };
      return this.#settle(row, receipt);
    }
    if (this.#closing.signal.aborted) return row;
    if (row.state.type === "waiting" && !(await store.claimOutbound(row.id))) return (await store.readOutbound(row.id)) ?? row;
    return this.#settle(row, await this.#send(channel, row));
  }

  async #send(channel: Channel, row: OutboxRecord): Promise<SendReceipt> {
    const limit = new AbortController();
    using timer = this.#options.clock.schedule(SEND_TIMEOUT_MS, () => limit.abort());
    try {
      return await channel.send(row.target, row.outbound, { idempotencyKey: row.idempotencyKey, signal: limit.signal });
    } catch (error) {
      // A channel that breaks its contract must not stop the conversation; whether the message left is unknown.
      this.#options.logger.error("A channel's send threw", { channel: row.target.channel, error });
      return { type: "ambiguous", cause: "the channel failed while sending" };
    } finally {
      timer[Symbol.dispose]();
    }
  }

  async #settle(row: OutboxRecord, receipt: SendReceipt): Promise<OutboxRecord> {
    const { clock, random } = this.#options;
    const idempotent = this.#options.channelFor(row.target)?.capabilities.idempotentSend;
    const attempts = row.attempts + 1;
    const retryAtMs = nextTry(receipt, {
      attempts,
      nowMs: clock.now(),
      createdAtMs: row.createdAtMs,
      random,
      ...(idempotent === undefined ? {} : { idempotent }),
    });
    const settled = await this.#transition(row, { type: "receipt", receipt, ...(retryAtMs === undefined ? {} : { retryAtMs }) });
    if (receipt.type !== "accepted") {
      this.#options.logger.warn("A message was not accepted", {
        outboxId: row.id,
        channel: row.target.channel,
        receipt: receipt.type,
        code: receipt.type === "rejected" ? receipt.code : undefined,
        detail: receipt.type === "rejected" ? receipt.message : receipt.cause,
        attempts,
        again: retryAtMs !== undefined,
      });
    }
    return settled;
  }

  async #transition(row: OutboxRecord, transition: OutboxTransition): Promise<OutboxRecord> {
    return this.#options.store.settleOutbound(row.id, transition, { nowMs: this.#options.clock.now() });
  }

  async #wait(delayMs: number): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = this.#options.clock.schedule(delayMs, done);
      function done(): void {
        timer[Symbol.dispose]();
        signal.removeEventListener("abort", done);
        resolve();
      }
      signal.addEventListener("abort", done);
    });
  }
}
