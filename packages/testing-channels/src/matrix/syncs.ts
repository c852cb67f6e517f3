import type { FakeMatrixApp } from "./app.ts";
import type { MatrixStore } from "./store.ts";
import { syncAnswer } from "./sync.ts";
import type { SyncRequest } from "./sync.ts";

/** The bot's reaction to an event: asked for later ones, or for the same again. */
export type MatrixDelivery = "acknowledged" | "unacknowledged";

interface PendingSync extends SyncRequest {
  answer(body: object): void;
  drop(): void;
}

interface Delivery {
  readonly position: number;
  isGiven: boolean;
  readonly outcome: PromiseWithResolvers<MatrixDelivery>;
}

/** The syncs that wait for something to happen, and the events whose outcome a test awaits. */
export class MatrixSyncs {
  readonly #app: FakeMatrixApp;
  readonly #store: MatrixStore;
  readonly #directSince: ReadonlyMap<string, number>;
  readonly #pending = new Map<PendingSync, NodeJS.Timeout>();
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  readonly #positioned = Promise.withResolvers<void>();
  readonly #waitingFor: { readonly position: number; readonly resolve: () => void }[] = [];
  readonly #waitingForSync: (() => void)[] = [];
  #deliveries: Delivery[] = [];
  #opened = 0;
  #isBroken = true;
  #dropsNext = false;

  constructor(app: FakeMatrixApp, store: MatrixStore, directSince: ReadonlyMap<string, number>) {
    this.#app = app;
    this.#store = store;
    this.#directSince = directSince;
    store.onChange(() => this.#answerAll());
  }

  /** Syncs of the bot that wait for an answer now. */
  get open(): number {
    return [...this.#pending.keys()].filter((sync) => this.#isBot(sync)).length;
  }

  /** How often the bot began to sync: at the start, and after its connection broke. */
  get opened(): number {
    return this.#opened;
  }

  /** Resolves once the bot has begun to sync `count` times. */
  async connected(count: number): Promise<void> {
    if (this.#opened >= count) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    await promise;
  }

  /** Resolves once a sync of the bot waits. */
  async syncing(): Promise<void> {
    if (this.open > 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waitingForSync.push(resolve);
    await promise;
  }

  /** Resolves once the bot has a position: only what happens later is given to it. */
  async positioned(): Promise<void> {
    await this.#positioned.promise;
  }

  /** Resolves once the bot asks for what happens behind a position. */
  async positionedAt(position: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waitingFor.push({ position, resolve });
    for (const { userId, since } of this.#pending.keys()) if (userId === this.#app.bot.id && since !== undefined) this.#reach(since);
    await promise;
  }

  /** Makes something happen once the bot has a position, at the position that `happen` returns; resolves with the bot's reaction. */
  async deliver(happen: () => number): Promise<MatrixDelivery> {
    await this.positioned();
    const delivery: Delivery = { position: this.#store.position + 1, isGiven: false, outcome: Promise.withResolvers() };
    this.#deliveries.push(delivery);
    happen();
    return delivery.outcome.promise;
  }

  /** The bot checks its token again although it has not asked for later events: what it was given was not stored. */
  recordRestart(): void {
    this.#isBroken = true;
    for (const { isGiven, outcome } of this.#deliveries) if (isGiven) outcome.resolve("unacknowledged");
  }

  /** Begins a sync. */
  begin(sync: PendingSync, timeoutMs: number): void {
    if (this.#isBot(sync) && sync.since !== undefined) {
      if (this.#isBroken) {
        this.#isBroken = false;
        this.#opened += 1;
        for (const { count, resolve } of this.#waiting) if (this.#opened >= count) resolve();
      }
      if (this.#dropsNext) {
        this.#dropsNext = false;
        this.#isBroken = true;
        return sync.drop();
      }
      this.#settle(sync.since);
      for (const resolve of this.#waitingForSync.splice(0)) resolve();
    }
    const timer = setTimeout(() => this.#end(sync), timeoutMs);
    timer.unref();
    this.#pending.set(sync, timer);
    if (sync.since === undefined) this.#end(sync);
    else this.#answer(sync);
  }

  /** The client has left. */
  forget(sync: PendingSync): void {
    const timer = this.#pending.get(sync);
    if (timer === undefined) return;
    clearTimeout(timer);
    this.#pending.delete(sync);
    if (this.#isBot(sync)) this.#isBroken = true;
  }

  /** Breaks the connection of the bot's sync that waits, or of the next one. */
  drop(): void {
    const own = [...this.#pending.keys()].filter((sync) => this.#isBot(sync));
    this.#dropsNext = own.length === 0;
    for (const sync of own) {
      this.forget(sync);
      sync.drop();
    }
  }

  close(): void {
    for (const sync of this.#pending.keys()) {
      this.forget(sync);
      sync.drop();
    }
  }

  #isBot({ userId }: SyncRequest): boolean {
    return userId === this.#app.bot.id;
  }

  #reach(since: number): void {
    for (const { position, resolve } of this.#waitingFor) if (since >= position) resolve();
  }

  #settle(since: number): void {
    this.#reach(since);
    this.#deliveries = this.#deliveries.filter(({ position, isGiven, outcome }) => {
      if (position <= since) outcome.resolve("acknowledged");
      else if (isGiven) outcome.resolve("unacknowledged");
      return position > since;
    });
  }

  #answerAll(): void {
    for (const sync of this.#pending.keys()) this.#answer(sync);
  }

  #answer(sync: PendingSync): void {
    const { isEmpty } = syncAnswer(this.#app, this.#store, this.#directSince, sync);
    if (!isEmpty) this.#end(sync);
  }

  #end(sync: PendingSync): void {
    const timer = this.#pending.get(sync);
    if (timer === undefined) return;
    clearTimeout(timer);
    this.#pending.delete(sync);
    const { body } = syncAnswer(this.#app, this.#store, this.#directSince, sync);
    if (this.#isBot(sync)) {
      this.#positioned.resolve();
      for (const delivery of this.#deliveries) delivery.isGiven = true;
    }
    sync.answer(body);
  }
}
