/** What a lane does with its items. Must not reject; it is told to end by the signal and then settles soon. */
type ProcessItem<Item> = (sessionKey: string, item: Item, options: { readonly signal: AbortSignal }) => Promise<void>;

/** Construction of the lanes. */
export interface SessionLanesOptions<Item> {
  /** Items that may be worked on at the same time, over all sessions. */
  readonly capacity: number;
  readonly process: ProcessItem<Item>;
  /** How many items wait in a session now. */
  readonly onQueueChange: (sessionKey: string, queued: number) => void;
  /** Told when `process` broke its promise and rejected. The session goes on. */
  readonly onError: (sessionKey: string, error: unknown) => void;
}

interface Actor<Item> {
  readonly queue: Item[];
  running: { readonly abort: AbortController; readonly settled: Promise<void> } | undefined;
}

/**
 * One actor per session: items of a session run one after the other, in order; different sessions run side by side up to the capacity.
 * An actor exists only while its session has work, so memory follows the work and not the number of sessions.
 */
export class SessionLanes<Item> {
  readonly #options: SessionLanesOptions<Item>;
  readonly #actors = new Map<string, Actor<Item>>();
  /** Sessions with work and no slot, first come, first served. */
  readonly #ready = new Set<string>();
  #active = 0;
  #closed = false;

  constructor(options: SessionLanesOptions<Item>) {
    this.#options = options;
  }

  /** Puts an item at the end of its session's queue. After `close` it stays where it is durable: in the inbox. */
  enqueue(sessionKey: string, item: Item): void {
    if (this.#closed) return;
    const actor = this.#actors.get(sessionKey) ?? { queue: [], running: undefined };
    this.#actors.set(sessionKey, actor);
    actor.queue.push(item);
    if (actor.running === undefined) this.#ready.add(sessionKey);
    this.#dispatch();
    if (actor.queue.length > 0) this.#options.onQueueChange(sessionKey, actor.queue.length);
  }

  /** Items that wait behind the running one. */
  queued(sessionKey: string): number {
    return this.#actors.get(sessionKey)?.queue.length ?? 0;
  }

  /** Items that wait, over all sessions. */
  get waiting(): number {
    return this.#actors.values().reduce((sum, { queue }) => sum + queue.length, 0);
  }

  /** Items that are worked on now. */
  get active(): number {
    return this.#active;
  }

  /** Ends the running item, takes what is to be dropped of those that wait out of the queue and hands it back. */
  abort(
    sessionKey: string,
    options: { readonly reason: string; readonly drop: (item: Item) => boolean },
  ): { readonly aborted: boolean; readonly dropped: readonly Item[] } {
    const actor = this.#actors.get(sessionKey);
    if (actor === undefined) return { aborted: false, dropped: [] };
    const dropped = actor.queue.filter((item) => options.drop(item));
    const kept = actor.queue.filter((item) => !options.drop(item));
    actor.queue.splice(0, actor.queue.length, ...kept);
    if (dropped.length > 0) this.#options.onQueueChange(sessionKey, actor.queue.length);
    const aborted = actor.running !== undefined;
    actor.running?.abort.abort(new LaneAbort(options.reason));
    return { aborted, dropped };
  }

  /** Takes the first waiting item that `matches` out of the queue; `undefined` when none waits. */
  remove(sessionKey: string, matches: (item: Item) => boolean): Item | undefined {
    const queue = this.#actors.get(sessionKey)?.queue;
    const at = queue?.findIndex(matches) ?? -1;
    if (queue === undefined || at === -1) return undefined;
    const [item] = queue.splice(at, 1);
    this.#options.onQueueChange(sessionKey, queue.length);
    return item;
  }

  /** Resolves when nothing runs and nothing waits. */
  async idle(): Promise<void> {
    for (let running = this.#running(); running.length > 0; running = this.#running()) await Promise.all(running.map((run) => run.settled));
  }

  /** Starts nothing more, ends what runs and waits for it. */
  async close(reason: string): Promise<void> {
    this.#closed = true;
    const running = this.#running();
    for (const run of running) run.abort.abort(new LaneShutdown(reason));
    await Promise.all(running.map((run) => run.settled));
    this.#actors.clear();
    this.#ready.clear();
  }

  #running(): readonly NonNullable<Actor<Item>["running"]>[] {
    return [...this.#actors.values()].flatMap((actor) => (actor.running === undefined ? [] : [actor.running]));
  }

  #dispatch(): void {
    while (!this.#closed && this.#active < this.#options.capacity) {
      const next = this.#ready.values().next();
      if (next.done === true) return;
      this.#ready.delete(next.value);
      this.#start(next.value);
    }
  }

  #start(sessionKey: string): void {
    const actor = this.#actors.get(sessionKey);
    const item = actor?.queue.shift();
    if (actor === undefined) return;
    if (item === undefined) {
      // Everything that waited for a slot was dropped.
      this.#actors.delete(sessionKey);
      return;
    }
    const abort = new AbortController();
    this.#active += 1;
    const settled = this.#run(sessionKey, actor, item, abort.signal);
    actor.running = { abort, settled };
  }

  async #run(sessionKey: string, actor: Actor<Item>, item: Item, signal: AbortSignal): Promise<void> {
    try {
      // The first await comes before any work, so that `running` is set when `process` looks.
      await Promise.resolve();
      this.#options.onQueueChange(sessionKey, actor.queue.length);
      await this.#options.process(sessionKey, item, { signal });
    } catch (error) {
      this.#options.onError(sessionKey, error);
    } finally {
      actor.running = undefined;
      this.#active -= 1;
      if (actor.queue.length > 0) this.#ready.add(sessionKey);
      else this.#actors.delete(sessionKey);
      this.#dispatch();
    }
  }
}

/** Reason of a signal that a person fired. */
export class LaneAbort extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "LaneAbort";
  }
}

/** Reason of a signal that the end of the process fired: the turn stays open and is resumed at the next start. */
export class LaneShutdown extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "LaneShutdown";
  }
}
