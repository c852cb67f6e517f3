import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { addUnstored, createStoreQueue, reasonOf, type StoreQueue } from "@factotum/channel-kit";

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
  readonly #queue: StoreQueue;
  #isStopping = false;
  /** The position after the last event that was not passed on. */
  #unsaved: string | undefined;
  #flush: Disposable | undefined;

  constructor(host: QueueHost, onOverflow: () => void) {
    this.#host = host;
    this.#onOverflow = onOverflow;
    // One more for the position that a stop commits.
    this.#queue = createStoreQueue(host, { noun: "discord event", maxWaiting: MAX_WAITING + 1 });
  }

  async add(dispatch: Dispatch): Promise<void> {
    if (!this.#isStopping && this.#queue.size >= MAX_WAITING) {
      this.#host.logger.error("discord events dropped: too many wait to be stored; the platform sends them again", { count: MAX_WAITING });
      const reason = new Error("too many events wait to be stored");
      this.#queue.dropWaiting(reason);
      this.#onOverflow();
      throw reason;
    }
    const { cursor } = dispatch;
    return this.#queue.add(async (attempt) => {
      try {
        this.#unsaved = (await dispatch.run(attempt)) ? undefined : cursor;
      } catch (error) {
        // It is dropped: the position may pass it.
        if (error instanceof RangeError) this.#unsaved = cursor;
        throw error;
      } finally {
        this.#flushLater();
      }
    });
  }

  addTo(health: ChannelHealth): ChannelHealth {
    return addUnstored(health, { waiting: this.#queue.waiting, lost: this.#queue.lost });
  }

  async stop(options: CallOptions): Promise<void> {
    this.#isStopping = true;
    this.#flush?.[Symbol.dispose]();
    this.#queue.add(() => this.#save()).catch(() => undefined);
    await this.#queue.stop(options);
  }

  #flushLater(): void {
    if (this.#unsaved === undefined || this.#flush !== undefined || this.#isStopping) return;
    this.#flush = this.#host.clock.schedule(FLUSH_AFTER_MS, () => {
      this.#flush = undefined;
      // The events that are waiting soon have a later position.
      if (this.#queue.size === 0) this.#queue.add(() => this.#save()).catch(() => undefined);
    });
  }

  /** A position that cannot be saved costs nothing: a later one is, or the platform sends some events again that are not passed on. */
  async #save(): Promise<void> {
    const cursor = this.#unsaved;
    if (cursor === undefined) return;
    this.#unsaved = undefined;
    await this.#host.commit({ cursor }).catch((error: unknown) => {
      this.#host.logger.debug("discord position not saved", { error: reasonOf(error) });
    });
  }
}
