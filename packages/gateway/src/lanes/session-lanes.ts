import type { Clock } from "@factotum/agent-contract";

/** Who shares the places for work: people's turns, sub-agents', and what no person waits for. */
export type LaneName = "main" | "subagent" | "cron";

/** Every lane. */
export const LANES: readonly LaneName[] = ["main", "subagent", "cron"];

/** What a lane does with its items. Must not reject; it is told to end by the signal and then settles soon. */
type ProcessItem<Item> = (sessionKey: string, item: Item, options: { readonly signal: AbortSignal }) => Promise<void>;

/** Construction of the lanes. */
export interface SessionLanesOptions<Item> {
  /** Items of a lane that may be worked on at the same time, over all sessions; asked before each. A lane never takes the place of another one. */
  readonly capacities: () => Readonly<Record<LaneName, number>>;
  readonly laneOf: (item: Item) => LaneName;
  /** Monotonic time before which an item is not begun; `undefined` for at once. What waits behind it in its session waits too. */
  readonly notBeforeMs: (item: Item) => number | undefined;
  /** True when a new item goes ahead of one that waits. Asked from the end of the queue on, as long as it is true. */
  readonly overtakes: (item: Item, waiting: Item) => boolean;
  /** True for an item that runs only while no other such item does, over all sessions and lanes. Other items start as usual. */
  readonly runsAlone: (item: Item) => boolean;
  readonly process: ProcessItem<Item>;
  /** How many items wait in a session now. */
  readonly onQueueChange: (sessionKey: string, queued: number) => void;
  /** Told of an item that is never begun, because the lanes are closed. */
  readonly onForgotten: (sessionKey: string, item: Item) => void;
  /** Told when `process` broke its promise and rejected. The session goes on. */
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
  running: Running<Item> | undefined;
  /** Looks at the queue again when its first item may be begun. */
  wake: Disposable | undefined;
}

/**
 * One actor per session: items of a session run one after the other, in order; different sessions run side by side up to the capacity of their lane.
 * An actor exists only while its session has work, so memory follows the work and not the number of sessions.
 */
export class SessionLanes<Item> {
  readonly #options: SessionLanesOptions<Item>;
  readonly #actors = new Map<string, Actor<Item>>();
  /** Sessions with work and no place, first come to a lane, first served in it. */
  readonly #ready: Readonly<Record<LaneName, Set<string>>> = { main: new Set(), subagent: new Set(), cron: new Set() };
  readonly #active: Record<LaneName, number> = { main: 0, subagent: 0, cron: 0 };
  #isOneAlone = false;
  #idleWaiters: (() => void)[] = [];
  #closed = false;

  constructor(options: SessionLanesOptions<Item>) {
    this.#options = options;
  }

  /** Puts an item into its session's queue. After `close` it stays where it is durable: in the inbox. */
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

  /** Puts an item before everything that waits. */
  prepend(sessionKey: string, item: Item): void {
    if (this.#closed) return this.#options.onForgotten(sessionKey, item);
    const actor = this.#actorOf(sessionKey);
    actor.queue.unshift(item);
    this.#arrange(sessionKey, actor);
    if (actor.queue.length > 0) this.#options.onQueueChange(sessionKey, actor.queue.length);
  }

  /** Puts an item in the place of one that waits; false when that one waits no more. */
  replace(sessionKey: string, waiting: Item, item: Item): boolean {
    const actor = this.#actors.get(sessionKey);
    const at = actor?.queue.indexOf(waiting) ?? -1;
    if (actor === undefined || at === -1) return false;
    actor.queue[at] = item;
    this.#arrange(sessionKey, actor);
    return true;
  }

  /** Takes a waiting item out of the queue; false when it waits no more. */
  remove(sessionKey: string, item: Item): boolean {
    const actor = this.#actors.get(sessionKey);
    const at = actor?.queue.indexOf(item) ?? -1;
    if (actor === undefined || at === -1) return false;
    actor.queue.splice(at, 1);
    this.#options.onQueueChange(sessionKey, actor.queue.length);
    this.#arrange(sessionKey, actor);
    return true;
  }

  /** Items that wait behind the running one, in their order. */
  waiting(sessionKey: string): readonly Item[] {
    return [...(this.#actors.get(sessionKey)?.queue ?? [])];
  }

  /** The item that is worked on. */
  running(sessionKey: string): Item | undefined {
    return this.#actors.get(sessionKey)?.running?.item;
  }

  /** Whether the session has work, running or waiting. */
  isBusy(sessionKey: string): boolean {
    return this.#actors.has(sessionKey);
  }

  /** How many items wait behind the running one. */
  queued(sessionKey: string): number {
    return this.#actors.get(sessionKey)?.queue.length ?? 0;
  }

  /** Items that wait, over all sessions. */
  get queuedInAll(): number {
    return this.#actors.values().reduce((sum, { queue }) => sum + queue.length, 0);
  }

  /** Items that are worked on now. */
  get active(): number {
    return LANES.reduce((sum, lane) => sum + this.#active[lane], 0);
  }

  /** Ends the running item with this reason; false when none runs. */
  abort(sessionKey: string, reason: LaneAbort | LaneYield): boolean {
    const running = this.#actors.get(sessionKey)?.running;
    running?.abort.abort(reason);
    return running !== undefined;
  }

  /** Resolves when nothing runs and nothing waits. */
  async idle(): Promise<void> {
    while (this.#actors.size > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  /**
   * Starts nothing more and resolves when everything that runs has ended: by itself within `drainMs`, else by an abort. What waits is forgotten here;
   * it is durable elsewhere.
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
    const running = [...this.#actors.values()].flatMap((actor) => actor.running ?? []);
    const end = (): void => {
      for (const { abort } of running) abort.abort(new LaneShutdown(reason));
    };
    if (options.drainMs <= 0) end();
    using _timer = this.#options.clock.schedule(options.drainMs, end);
    await Promise.all(running.map(({ settled }) => settled));
  }

  #actorOf(sessionKey: string): Actor<Item> {
    const actor = this.#actors.get(sessionKey) ?? { queue: [], running: undefined, wake: undefined };
    this.#actors.set(sessionKey, actor);
    return actor;
  }

  /** Decides what comes next for a session. The one place where actors are let go. */
  #arrange(sessionKey: string, actor: Actor<Item>): void {
    actor.wake?.[Symbol.dispose]();
    actor.wake = undefined;
    if (actor.running !== undefined) return;
    const [next] = actor.queue;
    if (next === undefined) {
      for (const lane of LANES) this.#ready[lane].delete(sessionKey);
      this.#actors.delete(sessionKey);
      if (this.#actors.size === 0) for (const wake of this.#idleWaiters.splice(0)) wake();
      return;
    }
    const waitMs = (this.#options.notBeforeMs(next) ?? 0) - this.#options.clock.monotonic();
    const lane = this.#options.laneOf(next);
    for (const other of LANES) if (other !== lane || waitMs > 0) this.#ready[other].delete(sessionKey);
    if (waitMs > 0) actor.wake = this.#options.clock.schedule(waitMs, () => this.#arrange(sessionKey, actor));
    else this.#ready[lane].add(sessionKey);
    this.#dispatch();
  }

  #dispatch(): void {
    if (this.#closed) return;
    const capacities = this.#options.capacities();
    for (const lane of LANES) {
      for (const sessionKey of this.#ready[lane]) {
        if (this.#active[lane] >= capacities[lane]) break;
        const actor = this.#actors.get(sessionKey);
        const head = actor?.queue[0];
        if (head !== undefined && this.#isOneAlone && this.#options.runsAlone(head)) continue;
        this.#ready[lane].delete(sessionKey);
        const item = actor?.queue.shift();
        if (actor !== undefined && item !== undefined) this.#start(sessionKey, actor, item, lane);
      }
    }
  }

  #start(sessionKey: string, actor: Actor<Item>, item: Item, lane: LaneName): void {
    const abort = new AbortController();
    this.#active[lane] += 1;
    const isAlone = this.#options.runsAlone(item);
    this.#isOneAlone ||= isAlone;
    actor.running = { item, abort, settled: this.#run(sessionKey, actor, { item, lane, isAlone, signal: abort.signal }) };
  }

  /** The one place where a session and its lane's place are released, however the work ended. */
  async #run(
    sessionKey: string,
    actor: Actor<Item>,
    {
      item,
      lane,
      isAlone,
      signal,
    }: { readonly item: Item; readonly lane: LaneName; readonly isAlone: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    try {
      // The first await comes before any work, so that `running` is set when `process` looks.
      await Promise.resolve();
      this.#options.onQueueChange(sessionKey, actor.queue.length);
      await this.#options.process(sessionKey, item, { signal });
    } catch (error) {
      this.#options.onError(sessionKey, error);
    } finally {
      actor.running = undefined;
      this.#active[lane] -= 1;
      if (isAlone) this.#isOneAlone = false;
      this.#arrange(sessionKey, actor);
      this.#dispatch();
    }
  }
}

/** Reason of a signal that a person fired. */
export class LaneAbort extends Error {
  /** Whoever waits for what is stopped does not see who stopped it, and is to be told. */
  readonly tellsSender: boolean;

  constructor(reason: string, { tellsSender = false }: { readonly tellsSender?: boolean } = {}) {
    super(reason);
    this.name = "LaneAbort";
    this.tellsSender = tellsSender;
  }
}

/** Reason of a signal that a newer message fired: what has not begun yet goes into that message's turn. */
export class LaneInterrupt extends LaneAbort {
  constructor() {
    super("a newer message came");
    this.name = "LaneInterrupt";
  }
}

/** Reason of a signal with which work that no person waits for makes way for a message. */
export class LaneYield extends Error {
  constructor() {
    super("a message came");
    this.name = "LaneYield";
  }
}

/** Reason of a signal that the end of the process fired: the turn stays open and is resumed at the next start. */
export class LaneShutdown extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "LaneShutdown";
  }
}
