import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { backoffDelay } from "./backoff-delay.ts";
import { reasonOf } from "./reason-of.ts";

/** What a queue of this kind holds, and how much of it. */
export interface StoreQueueOptions {
  /** One of them in log lines: `message`, `discord event`. */
  readonly noun: string;
  /** Kept at most, including the one that is being stored. */
  readonly maxWaiting: number;
}

/** Stores what a platform sent, one at a time and in order, each again with backoff until it is stored. The core of `ReceiveQueue`. */
export interface StoreQueue {
  /** Everything in it, including the one that is being stored. */
  readonly size: number;
  /** How many wait because storing has failed; 0 while it works. */
  readonly waiting: number;
  /** Dropped since the start because they exceed a limit of the contract. */
  readonly lost: number;
  /** True if nothing more is accepted now: `maxWaiting` is reached, or the queue is stopped. */
  readonly isClosed: boolean;
  /**
   * Adds one. `store` gets the number of failed attempts so far, and is called again after each failure, except a RangeError: over a limit of the contract, it
   * can never be stored. Resolves once it is stored; rejects if it is dropped, or not accepted.
   */
  add(store: (attempt: number) => Promise<unknown>): Promise<void>;
  /** Drops all but the one that is being stored. */
  dropWaiting(reason: Error): void;
  /** Accepts no more. Resolves once everything is stored, or the signal has fired, with the number of dropped ones. Idempotent. */
  stop(options: CallOptions): Promise<number>;
}

type QueueHost = Pick<ChannelHost, "clock" | "random" | "logger">;

interface Entry {
  readonly store: (attempt: number) => Promise<unknown>;
  readonly stored: PromiseWithResolvers<void>;
}

const MIN_DELAY_MS = 250;
const MAX_DELAY_MS = 30_000;

/** Creates an empty queue. */
export function createStoreQueue(host: QueueHost, options: StoreQueueOptions): StoreQueue {
  return new Queue(host, options);
}

class Queue implements StoreQueue {
  readonly #host: QueueHost;
  readonly #options: StoreQueueOptions;
  readonly #entries: Entry[] = [];
  readonly #drained = Promise.withResolvers<void>();
  #attempt = 0;
  #lost = 0;
  #isBusy = false;
  #isStopping = false;
  #timer: Disposable | undefined;

  constructor(host: QueueHost, options: StoreQueueOptions) {
    this.#host = host;
    this.#options = options;
  }

  get size(): number {
    return this.#entries.length;
  }

  get waiting(): number {
    return this.#attempt > 0 ? this.#entries.length : 0;
  }

  get lost(): number {
    return this.#lost;
  }

  get isClosed(): boolean {
    return this.#isStopping || this.#entries.length >= this.#options.maxWaiting;
  }

  async add(store: Entry["store"]): Promise<void> {
    if (this.#isStopping) throw new Error("the channel was stopped");
    if (this.isClosed) throw new Error("too many wait to be stored");
    const stored = Promise.withResolvers<void>();
    this.#entries.push({ store, stored });
    this.#pump();
    return stored.promise;
  }

  dropWaiting(reason: Error): void {
    for (const { stored } of this.#entries.splice(1)) stored.reject(reason);
  }

  async stop({ signal }: CallOptions): Promise<number> {
    this.#isStopping = true;
    this.#pump();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const onAbort = (): void => resolve();
    if (signal.aborted) resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    await Promise.race([this.#drained.promise, late]);
    signal.removeEventListener("abort", onAbort);
    this.#timer?.[Symbol.dispose]();
    const rest = this.#entries.splice(0);
    for (const { stored } of rest) stored.reject(new Error("the channel was stopped"));
    this.#drained.resolve();
    return rest.length;
  }

  #pump(): void {
    if (this.#isBusy) return;
    const [first] = this.#entries;
    if (first === undefined) {
      if (this.#isStopping) this.#drained.resolve();
      return;
    }
    this.#isBusy = true;
    void this.#store(first);
  }

  async #store(entry: Entry): Promise<void> {
    try {
      await entry.store(this.#attempt);
      entry.stored.resolve();
    } catch (error) {
      // Stopped meanwhile: it was counted as dropped.
      if (!this.#entries.includes(entry)) return;
      if (!(error instanceof RangeError)) return this.#retryAfter(error);
      this.#lost += 1;
      this.#host.logger.error(`${this.#options.noun} dropped: it exceeds a limit`, { error: error.message });
      entry.stored.reject(error);
    }
    this.#isBusy = false;
    this.#attempt = 0;
    this.#entries.shift();
    this.#pump();
  }

  #retryAfter(error: unknown): void {
    const { clock, logger, random } = this.#host;
    if (this.#attempt === 0) {
      const reason = reasonOf(error);
      logger.error(`${this.#options.noun} not stored; it waits in memory`, { waiting: this.#entries.length, error: reason });
    }
    const delayMs = MIN_DELAY_MS + backoffDelay(this.#attempt, { baseMs: MIN_DELAY_MS, maxMs: MAX_DELAY_MS, random });
    this.#attempt += 1;
    this.#timer = clock.schedule(delayMs, () => {
      this.#isBusy = false;
      this.#pump();
    });
  }
}
