import { ChannelError } from "@factotum/channel-contract";
import type { AccountProgress, CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { createConnectionSupervisor } from "./connection-supervisor.ts";
import type { ConnectionSupervisor, SupervisedConnection } from "./connection-supervisor.ts";
import { raceAbort } from "./race-abort.ts";
import { createUnreadableEvents } from "./unreadable-events.ts";
import type { UnreadableEvents } from "./unreadable-events.ts";
import type { EventOutcome } from "./webhook-receiver.ts";

/** One answer of the platform. */
export interface PollAnswer<Event> {
  /** In order. `cursor`: the position behind the event; omitted if only the whole answer has one. */
  readonly events: readonly { readonly event: Event; readonly cursor?: string }[];
  /** The position behind all events; that of the last event by default. */
  readonly cursor?: string;
}

/** How a platform is polled. */
export interface PollerOptions<Event> {
  readonly host: Pick<ChannelHost, "clock" | "commit" | "cursor" | "logger" | "random">;
  /** Asks the platform whether the credentials are right, before the first poll of a connection; rejects if it cannot be reached. */
  readonly check: (options: CallOptions) => Promise<unknown>;
  /** Asks for the events behind the cursor; a long poll is answered when there is one. The platform keeps them until it is asked with a later cursor. */
  readonly poll: (cursor: string | undefined, options: CallOptions) => Promise<PollAnswer<Event>>;
  /**
   * Passes one event on, or the parts of an album, in order; `progress` is committed with it. Resolves after the commit. Rejects if it was not stored: it is
   * asked for again.
   */
  readonly accept: (events: readonly Event[], progress: AccountProgress, options: CallOptions) => Promise<EventOutcome>;
  /**
   * Albums, whose parts are events of their own: `keyOf` names the album of an event. An answer that has one is asked for again after `waitMs` until no more
   * events arrive, so that it is complete.
   */
  readonly albums?: { readonly keyOf: (event: Event) => string | undefined; readonly waitMs: number };
}

/** Long polling of one account. */
export interface Poller {
  /** Resolves after `check`; rejects like it. Idempotent. From then on the platform is polled until `stop`, after failures with backoff. */
  start(options: CallOptions): Promise<void>;
  health(): ChannelHealth;
  /** Ends the poll; resolves when the event that is being stored is, or the signal has fired. */
  stop(options: CallOptions): Promise<void>;
}

/** A platform that answers empty at once is asked again after a second, not at once. */
const IDLE_MS = 1_000;
/** How often an answer with an album is asked for again at most. */
const MAX_ALBUM_POLLS = 5;

/** Creates a poller: one poll at a time, and none before the events of the last one are stored with their cursor. */
export function createPoller<Event>(options: PollerOptions<Event>): Poller {
  return new LongPoller(options);
}

class LongPoller<Event> implements Poller {
  readonly #options: PollerOptions<Event>;
  readonly #supervisor: ConnectionSupervisor<SupervisedConnection>;
  readonly #unreadable: UnreadableEvents;
  #evidenceAtMs: number | undefined;
  #isUnstored = false;

  constructor(options: PollerOptions<Event>) {
    const { host } = options;
    this.#options = options;
    this.#unreadable = createUnreadableEvents(host);
    this.#supervisor = createConnectionSupervisor({
      open: (call) => this.#open(call),
      minDelayMs: (failure) => (ChannelError.isInstance(failure) && failure.retry.type === "after" ? failure.retry.delayMs : 0),
      onRetry: (failure, delayMs) => host.logger.warn("polling failed", { delayMs, error: failure }),
      clock: host.clock,
      random: host.random,
    });
  }

  start(options: CallOptions): Promise<void> {
    return this.#supervisor.start(options);
  }

  stop(options: CallOptions): Promise<void> {
    return this.#supervisor.stop(options);
  }

  health(): ChannelHealth {
    const { state, failure } = this.#supervisor;
    if (state === "stopped") return { state };
    const isDown = failure !== undefined && state !== "connected";
    return this.#unreadable.addTo({
      state: isDown ? (this.#isUnstored ? "degraded" : "disconnected") : state === "connected" ? "connected" : "starting",
      ...(this.#evidenceAtMs !== undefined && { evidenceAtMs: this.#evidenceAtMs }),
      ...(isDown && { detail: failure.message }),
    });
  }

  async #open({ signal }: CallOptions): Promise<SupervisedConnection> {
    await this.#options.check({ signal });
    const cursor = await this.#options.host.cursor();
    this.#evidenceAtMs = this.#options.host.clock.now();
    const stopping = new AbortController();
    const ended = this.#run(cursor, { signal: stopping.signal });
    return {
      ended,
      async close(options) {
        stopping.abort(new Error("the poller was stopped"));
        await raceAbort(ended, options).catch(() => undefined);
      },
    };
  }

  /** Polls until something fails; resolves with the failure. */
  async #run(first: string | undefined, { signal }: CallOptions): Promise<Error> {
    const { clock } = this.#options.host;
    try {
      for (let cursor = first; ;) {
        const sinceMs = clock.monotonic();
        const answer = await this.#pollOnce(cursor, { signal });
        cursor = await this.#acceptAll(answer, cursor, { signal });
        this.#isUnstored = false;
        if (answer.events.length === 0 && clock.monotonic() - sinceMs < IDLE_MS) await this.#sleep(IDLE_MS, { signal });
      }
    } catch (error) {
      return error instanceof Error ? error : new Error("polling failed", { cause: error });
    }
  }

  async #pollOnce(cursor: string | undefined, options: CallOptions): Promise<PollAnswer<Event>> {
    const { albums, host, poll } = this.#options;
    const ask = async (): Promise<PollAnswer<Event>> => {
      options.signal.throwIfAborted();
      const answer = await poll(cursor, options);
      this.#evidenceAtMs = host.clock.now();
      return answer;
    };
    let answer = await ask();
    if (albums === undefined) return answer;
    for (let count = 0; count < MAX_ALBUM_POLLS && answer.events.some(({ event }) => albums.keyOf(event) !== undefined); count += 1) {
      await this.#sleep(albums.waitMs, options);
      const before = answer.events.length;
      answer = await ask();
      if (answer.events.length <= before) break;
    }
    return answer;
  }

  /** Passes the events on and returns the cursor behind them. */
  async #acceptAll(
    { events, cursor: end }: PollAnswer<Event>,
    start: string | undefined,
    options: CallOptions,
  ): Promise<string | undefined> {
    const { accept, albums, host } = this.#options;
    const keys = events.map(({ event }) => albums?.keyOf(event));
    const done = new Set<number>();
    let committed = start;
    let reached = start;
    for (const [index, { event }] of events.entries()) {
      options.signal.throwIfAborted();
      const key = keys[index];
      // An album is passed on with its last part, so that no cursor stands inside it.
      if (key !== undefined && keys.lastIndexOf(key) > index) continue;
      const parts = key === undefined ? [index] : keys.flatMap((one, at) => (one === key ? [at] : []));
      for (const part of parts) done.add(part);
      const missing = events.findIndex((_, at) => !done.has(at));
      const next = events[(missing === -1 ? events.length : missing) - 1]?.cursor ?? reached;
      const progress = next === undefined || next === committed ? {} : { cursor: next };
      const all = key === undefined ? [event] : parts.flatMap((part) => events[part]?.event ?? []);
      const outcome = await accept(all, progress, options).catch((cause: unknown): EventOutcome => {
        // Over a limit of the contract: it can never be stored, and must not hold up the others.
        if (cause instanceof RangeError) return { type: "unreadable", reason: cause.message };
        this.#isUnstored = true;
        throw new Error("an event could not be read or stored; it is asked for again", { cause });
      });
      reached = next;
      if (outcome.type === "accepted" || outcome.type === "duplicate") committed = next;
      else if (outcome.type === "unreadable") this.#unreadable.record(outcome.reason);
      else host.logger.debug("event ignored", { reason: outcome.type === "ignored" ? outcome.reason : "it belongs to another account" });
    }
    const last = end ?? reached;
    if (last !== undefined && last !== committed) await host.commit({ cursor: last });
    return last;
  }

  async #sleep(delayMs: number, options: CallOptions): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    using _timer = this.#options.host.clock.schedule(delayMs, resolve);
    await raceAbort(promise, options);
  }
}
