import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { addUnstored, backoffDelay } from "@factotum/channel-kit";

/** One event of the platform. */
interface Dispatch {
  /** Where the account stands once the event is stored. */
  readonly cursor: string;
  /**
   * Passes the event on. Resolves with whether `cursor` was committed. Rejects if it was not stored, or a fact about it could not be asked for: it is run again.
   * `attempt` counts from 0.
   */
  run(attempt: number): Promise<boolean>;
}

/** Events of an account in their order, each again until it is stored: the position never passes one that is not. */
export interface DispatchQueue {
  /** Resolves once the event is handled; rejects if it is lost, or dropped because too many wait. */
  add(dispatch: Dispatch): Promise<void>;
  /** The health with what waits or was lost: then at least `degraded`. */
  addTo(health: ChannelHealth): ChannelHealth;
  /** Accepts no more. Resolves once everything is stored, or the signal has fired: then the platform sends the rest again after the next start. */
  stop(options: CallOptions): Promise<void>;
}

type QueueHost = Pick<ChannelHost, "commit" | "clock" | "random" | "logger">;

interface Entry extends Dispatch {
  readonly handled: PromiseWithResolvers<void>;
}

const MIN_DELAY_MS = 250;
const MAX_DELAY_MS = 30_000;
/** How long the position after events that are not passed on waits to be committed. */
const FLUSH_AFTER_MS = 5_000;
const MAX_WAITING = 2_000;

/**
 * Creates an empty queue. `onOverflow` is called when too many events wait, and all but the one that is being stored are dropped: the connection has to be ended,
 * so that the platform sends them again after the stored position.
 */
export function createDispatchQueue(host: QueueHost, { onOverflow }: { readonly onOverflow: () => void }): DispatchQueue {
  return new Queue(host, onOverflow);
}

class Queue implements DispatchQueue {
  readonly #host: QueueHost;
  readonly #onOverflow: () => void;
  readonly #entries: Entry[] = [];
  readonly #drained = Promise.withResolvers<void>();
  readonly #stopped = new AbortController();
  #attempt = 0;
  #lost = 0;
  #isBusy = false;
  #isStopping = false;
  /** The position after the last event that was not passed on. */
  #unsaved: string | undefined;
  #retry: Disposable | undefined;
  #flush: Disposable | undefined;

  constructor(host: QueueHost, onOverflow: () => void) {
    this.#host = host;
    this.#onOverflow = onOverflow;
  }

  async add(dispatch: Dispatch): Promise<void> {
    if (this.#isStopping) throw new Error("the channel was stopped");
    if (this.#entries.length >= MAX_WAITING) {
      this.#host.logger.error("discord events dropped: too many wait to be stored; the platform sends them again", { count: MAX_WAITING });
      for (const { handled } of this.#entries.splice(1)) handled.reject(new Error("too many events wait to be stored"));
      this.#onOverflow();
      throw new Error("too many events wait to be stored");
    }
    const handled = Promise.withResolvers<void>();
    handled.promise.catch(() => undefined);
    this.#entries.push({ ...dispatch, handled });
    this.#pump();
    return handled.promise;
  }

  addTo(health: ChannelHealth): ChannelHealth {
    return addUnstored(health, { waiting: this.#attempt > 0 ? this.#entries.length : 0, lost: this.#lost });
  }

  async stop({ signal }: CallOptions): Promise<void> {
    this.#isStopping = true;
    this.#pump();
    const late = Promise.withResolvers<void>();
    if (signal.aborted) late.resolve();
    signal.addEventListener("abort", () => late.resolve(), { once: true });
    await Promise.race([this.#drained.promise, late.promise]);
    this.#stopped.abort();
    this.#retry?.[Symbol.dispose]();
    this.#flush?.[Symbol.dispose]();
    for (const { handled } of this.#entries.splice(0)) handled.reject(new Error("the channel was stopped"));
  }

  #pump(): void {
    if (this.#isBusy || this.#stopped.signal.aborted) return;
    const [first] = this.#entries;
    if (first !== undefined) {
      this.#isBusy = true;
      void this.#run(first);
      return;
    }
    if (!this.#isStopping) return this.#flushLater();
    if (this.#unsaved === undefined) this.#drained.resolve();
    else void this.#save().finally(() => this.#drained.resolve());
  }

  async #run(entry: Entry): Promise<void> {
    try {
      const isCommitted = await entry.run(this.#attempt);
      this.#unsaved = isCommitted ? undefined : entry.cursor;
      entry.handled.resolve();
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      if (!(error instanceof RangeError)) return this.#retryAfter(error);
      this.#lost += 1;
      this.#unsaved = entry.cursor;
      this.#host.logger.error("discord message dropped: it exceeds a limit", { error: error.message });
      entry.handled.reject(error);
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
      logger.error("discord event not stored; it waits in memory", { waiting: this.#entries.length, error: reason });
    }
    const delayMs = MIN_DELAY_MS + backoffDelay(this.#attempt, { baseMs: MIN_DELAY_MS, maxMs: MAX_DELAY_MS, random });
    this.#attempt += 1;
    this.#retry = clock.schedule(delayMs, () => {
      this.#isBusy = false;
      this.#pump();
    });
  }

  #flushLater(): void {
    if (this.#unsaved === undefined || this.#flush !== undefined) return;
    this.#flush = this.#host.clock.schedule(FLUSH_AFTER_MS, () => {
      this.#flush = undefined;
      // A busy queue soon has a later position.
      if (this.#unsaved === undefined || this.#isBusy || this.#isStopping) return;
      this.#isBusy = true;
      void this.#save().finally(() => {
        this.#isBusy = false;
        this.#pump();
      });
    });
  }

  /** A position that cannot be saved costs nothing: a later one is, or the platform sends some events again that are not passed on. */
  async #save(): Promise<void> {
    const cursor = this.#unsaved;
    if (cursor === undefined) return;
    this.#unsaved = undefined;
    await this.#host.commit({ cursor }).catch((error: unknown) => {
      this.#host.logger.debug("discord position not saved", { error: error instanceof Error ? error.message : "unknown" });
    });
  }
}
