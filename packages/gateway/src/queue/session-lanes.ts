import type { Clock } from "@factotum/agent-contract";
import type { LanePlace } from "./lane-place.ts";
import { LaneShutdown, type LaneAbort, type LaneYield } from "../kernel/lane-abort.ts";
import { LANES, type LaneName } from "../run-policy/run-policy.ts";
import { waitInLine, type Waiter } from "../kernel/wait-in-line.ts";

/** Processes one item. Must not reject; after the signal fires it settles soon. */
type ProcessItem<Item> = (sessionKey: string, item: Item, options: LaneOptions) => Promise<void>;

/** Given to `process`. The item holds a place in its lane from its start; the place is released when the item ends. */
export interface LaneOptions {
  readonly signal: AbortSignal;
  readonly place: LanePlace;
}

/** Construction of the lanes. */
export interface SessionLanesOptions<Item> {
  /** Capacity of each lane over all sessions, read before each place is taken. Lanes do not borrow places from each other. */
  readonly capacities: () => Readonly<Record<LaneName, number>>;
  readonly laneOf: (item: Item) => LaneName;
  /** Monotonic time before which an item must not start; `undefined`: no limit. Items behind it in its session wait too. */
  readonly notBeforeMs: (item: Item) => number | undefined;
  /** True if a new item goes ahead of a waiting one. Called from the end of the queue forward while it returns true. */
  readonly overtakes: (item: Item, waiting: Item) => boolean;
  /** True for an item that starts ahead of others waiting for a place in its lane. */
  readonly goesFirst: (item: Item) => boolean;
  /** True for an item that must not run together with another solo item, over all sessions and lanes. Other items are not affected. */
  readonly isSolo: (item: Item) => boolean;
  readonly process: ProcessItem<Item>;
  /** Called with the number of waiting items of a session, also when only the reason for their wait may have changed. */
  readonly onQueueChange: (sessionKey: string, queued: number) => void;
  /** Called for an item that never starts because the lanes are closed. */
  readonly onForgotten: (sessionKey: string, item: Item) => void;
  /** Called when `process` rejects against its contract. The session continues. */
  readonly onError: (sessionKey: string, error: unknown) => void;
  readonly clock: Pick<Clock, "monotonic" | "schedule">;
}

interface Running<Item> {
  readonly item: Item;
  readonly abort: AbortController;
  readonly settled: Promise<void>;
}

interface Actor<Item> {
  queue: Item[];
  current: Running<Item> | undefined;
  /** Timer that re-checks the queue when its first item may start. */
  wake: Disposable | undefined;
}

/** A lane's capacity: places held, and sessions that wait for one. */
interface Lane {
  held: number;
  /** Running items that wait to hold their place again, ahead of all items that have not started. */
  readonly returning: Set<Waiter>;
  /** Sessions with an item ready to start, first come, first served: those whose item goes first, and the others. */
  readonly first: Set<string>;
  readonly others: Set<string>;
}

/**
 * One actor per session: the items of a session run one after the other, in order; sessions run concurrently. An item starts when its lane has a free place. It
 * may leave its place while it runs and enter again later, so that a lane bounds concurrent model calls and not running items. An item that holds a place never
 * waits for another place, so lanes cannot deadlock. An actor exists only while its session has work, so memory grows with the work and not with the number of
 * sessions.
 */
export class SessionLanes<Item> {
  readonly #options: SessionLanesOptions<Item>;
  readonly #actors = new Map<string, Actor<Item>>();
  readonly #lanes: Readonly<Record<LaneName, Lane>> = { main: createLane(), subagent: createLane(), cron: createLane() };
  #active = 0;
  #isSoloRunning = false;
  #idleWaiters: (() => void)[] = [];
  #closed = false;

  constructor(options: SessionLanesOptions<Item>) {
    this.#options = options;
  }

  /** Appends an item to its session's queue. After `close` it is only reported as forgotten: its durable copy is in the inbox. */
  enqueue(sessionKey: string, item: Item): void {
    if (this.#closed) return this.#options.onForgotten(sessionKey, item);
    const actor = this.#actorOf(sessionKey);
    let at = actor.queue.length;
    for (let waiting = actor.queue[at - 1]; waiting !== undefined && this.#options.overtakes(item, waiting); waiting = actor.queue[at - 1])
      at -= 1;
    actor.queue.splice(at, 0, item);
    this.#arrange(sessionKey, actor);
    if (actor.queue.length > 0) this.#options.onQueueChange(sessionKey, actor.queue.length);
  }

  /** Inserts an item ahead of everything that waits. */
  prepend(sessionKey: string, item: Item): void {
    if (this.#closed) return this.#options.onForgotten(sessionKey, item);
    const actor = this.#actorOf(sessionKey);
    actor.queue.unshift(item);
    this.#arrange(sessionKey, actor);
    if (actor.queue.length > 0) this.#options.onQueueChange(sessionKey, actor.queue.length);
  }

  /** Replaces a waiting item; false if it does not wait any more. */
  replace(sessionKey: string, waiting: Item, item: Item): boolean {
    const actor = this.#actors.get(sessionKey);
    const at = actor?.queue.indexOf(waiting) ?? -1;
    if (actor === undefined || at === -1) return false;
    actor.queue[at] = item;
    this.#arrange(sessionKey, actor);
    return true;
  }

  /** Removes a waiting item; false if it does not wait any more. */
  remove(sessionKey: string, item: Item): boolean {
    const actor = this.#actors.get(sessionKey);
    const at = actor?.queue.indexOf(item) ?? -1;
    if (actor === undefined || at === -1) return false;
    actor.queue.splice(at, 1);
    this.#options.onQueueChange(sessionKey, actor.queue.length);
    this.#arrange(sessionKey, actor);
    return true;
  }

  /** Items waiting behind the running one, in order. */
  waiting(sessionKey: string): readonly Item[] {
    return [...(this.#actors.get(sessionKey)?.queue ?? [])];
  }

  /** The running item. */
  current(sessionKey: string): Item | undefined {
    return this.#actors.get(sessionKey)?.current?.item;
  }

  /** True if the session has running or waiting work. */
  isBusy(sessionKey: string): boolean {
    return this.#actors.has(sessionKey);
  }

  /** Number of items waiting behind the running one. */
  queued(sessionKey: string): number {
    return this.#actors.get(sessionKey)?.queue.length ?? 0;
  }

  /** Number of waiting items over all sessions. */
  get queuedInAll(): number {
    return this.#actors.values().reduce((sum, { queue }) => sum + queue.length, 0);
  }

  /** Number of running items. */
  get active(): number {
    return this.#active;
  }

  /** Aborts the running item with this reason; false if none runs. */
  abort(sessionKey: string, reason: LaneAbort | LaneYield): boolean {
    const current = this.#actors.get(sessionKey)?.current;
    current?.abort.abort(reason);
    return current !== undefined;
  }

  /** Resolves when nothing is running or waiting. */
  async idle(): Promise<void> {
    while (this.#actors.size > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  /**
   * Starts nothing more and resolves when all running items have ended, by themselves within `drainMs`, otherwise by an abort. Waiting items are forgotten;
   * their durable copies stay in the inbox.
   */
  async close(reason: string, options: { readonly drainMs: number }): Promise<void> {
    this.#closed = true;
    for (const [sessionKey, actor] of this.#actors) {
      actor.wake?.[Symbol.dispose]();
      const forgotten = actor.queue;
      actor.queue = [];
      this.#arrange(sessionKey, actor);
      for (const item of forgotten) this.#options.onForgotten(sessionKey, item);
    }
    const items = [...this.#actors.values()].flatMap((actor) => actor.current ?? []);
    const end = (): void => {
      for (const { abort } of items) abort.abort(new LaneShutdown(reason));
    };
    if (options.drainMs <= 0) end();
    using _timer = this.#options.clock.schedule(options.drainMs, end);
    await Promise.all(items.map(({ settled }) => settled));
  }

  #actorOf(sessionKey: string): Actor<Item> {
    const actor = this.#actors.get(sessionKey) ?? { queue: [], current: undefined, wake: undefined };
    this.#actors.set(sessionKey, actor);
    return actor;
  }

  /** Decides what a session does next. Actors are removed only here. */
  #arrange(sessionKey: string, actor: Actor<Item>): void {
    actor.wake?.[Symbol.dispose]();
    actor.wake = undefined;
    if (actor.current !== undefined) return;
    const [next] = actor.queue;
    if (next === undefined) {
      this.#unready(sessionKey);
      this.#actors.delete(sessionKey);
      if (this.#actors.size === 0) for (const wake of this.#idleWaiters.splice(0)) wake();
      return;
    }
    const waitMs = (this.#options.notBeforeMs(next) ?? 0) - this.#options.clock.monotonic();
    const lane = this.#options.laneOf(next);
    const line = this.#options.goesFirst(next) ? this.#lanes[lane].first : this.#lanes[lane].others;
    this.#unready(sessionKey, waitMs > 0 ? undefined : line);
    if (waitMs > 0) actor.wake = this.#options.clock.schedule(waitMs, () => this.#goOn(sessionKey, actor));
    else line.add(sessionKey);
    this.#dispatch();
  }

  /** Removes a session from every line except `except`, where it keeps its position. */
  #unready(sessionKey: string, except?: Set<string>): void {
    for (const lane of LANES)
      for (const line of [this.#lanes[lane].first, this.#lanes[lane].others]) if (line !== except) line.delete(sessionKey);
  }

  #dispatch(): void {
    const capacities = this.#options.capacities();
    for (const name of LANES) {
      const lane = this.#lanes[name];
      // Running items may still finish while the lanes close.
      for (const { enter } of lane.returning) {
        if (lane.held >= capacities[name]) break;
        enter();
      }
      if (this.#closed) continue;
      for (const line of [lane.first, lane.others]) {
        for (const sessionKey of line) {
          if (lane.held >= capacities[name]) break;
          const actor = this.#actors.get(sessionKey);
          const head = actor?.queue[0];
          if (head !== undefined && this.#isSoloRunning && this.#options.isSolo(head)) continue;
          line.delete(sessionKey);
          const item = actor?.queue.shift();
          if (actor !== undefined && item !== undefined) this.#start(sessionKey, actor, item, name);
        }
      }
    }
  }

  #start(sessionKey: string, actor: Actor<Item>, item: Item, lane: LaneName): void {
    const abort = new AbortController();
    this.#active += 1;
    const isSolo = this.#options.isSolo(item);
    this.#isSoloRunning ||= isSolo;
    actor.current = { item, abort, settled: this.#run(sessionKey, actor, { item, lane, isSolo, signal: abort.signal }) };
  }

  /** Runs one item. A session and its lane's place are released only here, however the item ended. */
  async #run(
    sessionKey: string,
    actor: Actor<Item>,
    started: { readonly item: Item; readonly lane: LaneName; readonly isSolo: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    const place = this.#takePlace(started.lane);
    try {
      // Yield once before any work, so that `current` is set when `process` reads it.
      await Promise.resolve();
      this.#options.onQueueChange(sessionKey, actor.queue.length);
      await this.#options.process(sessionKey, started.item, { signal: started.signal, place });
    } catch (error) {
      this.#options.onError(sessionKey, error);
    } finally {
      actor.current = undefined;
      this.#active -= 1;
      if (started.isSolo) this.#isSoloRunning = false;
      place.close();
      this.#goOn(sessionKey, actor);
      this.#dispatch();
    }
  }

  /** The running item has ended or the first one has become ready; a session that still waits may wait for another reason now. */
  #goOn(sessionKey: string, actor: Actor<Item>): void {
    this.#arrange(sessionKey, actor);
    if (actor.current === undefined && actor.queue.length > 0) this.#options.onQueueChange(sessionKey, actor.queue.length);
  }

  /** Takes a free place in a lane. `close` releases it for good. */
  #takePlace(name: LaneName): LanePlace & { readonly close: () => void } {
    const lane = this.#lanes[name];
    let isHeld = true;
    let isClosed = false;
    lane.held += 1;
    const hold = (): void => {
      isHeld = true;
      lane.held += 1;
    };
    const release = (): void => {
      if (isHeld) lane.held -= 1;
      isHeld = false;
    };
    return {
      enter: async (signal) => {
        signal.throwIfAborted();
        if (isHeld || isClosed) return;
        if (lane.returning.size === 0 && lane.held < this.#options.capacities()[name]) return hold();
        await waitInLine(lane.returning, {}, { signal, onEnter: () => !isClosed && hold() });
      },
      leave: () => {
        release();
        this.#dispatch();
      },
      close: () => {
        isClosed = true;
        release();
      },
    };
  }
}

function createLane(): Lane {
  return { held: 0, returning: new Set(), first: new Set(), others: new Set() };
}
