import type { AccountProgress, CallOptions, ChannelHealth, ChannelHost, MsgContext } from "@factotum/channel-contract";
import { backoffDelay } from "./backoff-delay.ts";
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

interface Entry {
  readonly message: MsgContext;
  readonly progress: AccountProgress | undefined;
}

const MIN_DELAY_MS = 250;
const MAX_DELAY_MS = 30_000;

/**
 * Makes a queue in memory: one call of `receive` at a time, in order. A message over a limit of the contract (RangeError) can never be stored: it is dropped and
 * logged. Every other failure is retried, since the platform will not deliver the message again.
 */
export function createReceiveQueue(host: QueueHost, { maxWaiting = 1_000 }: ReceiveQueueOptions = {}): ReceiveQueue {
  return new Queue(host, maxWaiting);
}

class Queue implements ReceiveQueue {
  readonly #host: QueueHost;
  readonly #maxWaiting: number;
  readonly #entries: Entry[] = [];
  readonly #drained = Promise.withResolvers<void>();
  #attempt = 0;
  #lost = 0;
  #isBusy = false;
  #isStopping = false;
  #timer: Disposable | undefined;

  constructor(host: QueueHost, maxWaiting: number) {
    this.#host = host;
    this.#maxWaiting = maxWaiting;
  }

  add(message: MsgContext, progress?: AccountProgress): void {
    if (this.#isStopping || this.#entries.length >= this.#maxWaiting) {
      this.#lost += 1;
      this.#host.logger.error("message lost: too many wait to be stored", { waiting: this.#entries.length });
      return;
    }
    this.#entries.push({ message, progress });
    this.#pump();
  }

  addTo(health: ChannelHealth): ChannelHealth {
    return addUnstored(health, { waiting: this.#attempt > 0 ? this.#entries.length : 0, lost: this.#lost });
  }

  async stop({ signal }: CallOptions): Promise<void> {
    this.#isStopping = true;
    this.#pump();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const onAbort = (): void => resolve();
    if (signal.aborted) resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    await Promise.race([this.#drained.promise, late]);
    signal.removeEventListener("abort", onAbort);
    this.#timer?.[Symbol.dispose]();
    const rest = this.#entries.splice(0).length;
    if (rest > 0) this.#host.logger.error("messages lost: not stored before the stop", { count: rest });
    this.#drained.resolve();
  }

  #pump(): void {
    if (this.#isBusy) return;
    const [first] = this.#entries;
    if (first === undefined) {
      if (this.#isStopping) this.#drained.resolve();
      return;
    }
    this.#isBusy = true;
    void this.#pass(first);
  }

  async #pass({ message, progress }: Entry): Promise<void> {
    try {
      await this.#host.receive(message, progress);
    } catch (error) {
      if (!(error instanceof RangeError)) return this.#entries.length > 0 ? this.#retryAfter(error) : undefined;
      this.#lost += 1;
      this.#host.logger.error("message dropped: it exceeds a limit", { error: error.message });
    }
    this.#isBusy = false;
    this.#attempt = 0;
    this.#entries.shift();
    this.#pump();
  }

  #retryAfter(error: unknown): void {
    const { clock, logger, random } = this.#host;
    if (this.#attempt === 0) {
      const reason = error instanceof Error ? error.message : "unknown";
      logger.error("message not stored; it waits in memory", { waiting: this.#entries.length, error: reason });
    }
    const delayMs = MIN_DELAY_MS + backoffDelay(this.#attempt, { baseMs: MIN_DELAY_MS, maxMs: MAX_DELAY_MS, random });
    this.#attempt += 1;
    this.#timer = clock.schedule(delayMs, () => {
      this.#isBusy = false;
      this.#pump();
    });
  }
}
