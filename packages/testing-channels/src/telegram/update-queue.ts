import type { FakeTelegramApp } from "./app.ts";
import { TelegramRefusal } from "./refusal.ts";

/** An update, with exactly one other key that names its type. */
export type TelegramUpdate = Readonly<Record<string, unknown>> & { readonly update_id: number };

/** The bot's reaction to an update: asked for later ones, or for the same again. */
export type TelegramDelivery = "acknowledged" | "unacknowledged";

interface Entry {
  readonly update: unknown;
  /** Absent for what is no update. */
  readonly id: number | undefined;
  readonly isPart: boolean;
  isFetched: boolean;
  readonly outcome: PromiseWithResolvers<TelegramDelivery>;
}

interface PendingPoll {
  readonly offset: number | undefined;
  readonly limit: number;
  answer(updates: readonly unknown[]): void;
  fail(error: Error): void;
  drop(): void;
}

/** Types that are delivered only if they are asked for by name. */
const UNASKED = ["chat_member", "message_reaction", "message_reaction_count"];

/** The updates that wait for a bot, and its long polls. One poll at a time: a second one ends the first with 409. */
export class TelegramUpdateQueue {
  readonly #app: FakeTelegramApp;
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  #entries: Entry[] = [];
  #poll: PendingPoll | undefined;
  #opened = 0;
  #isBroken = true;
  #dropsNext = false;

  constructor(app: FakeTelegramApp) {
    this.#app = app;
  }

  /** Polls that wait for an answer now. */
  get open(): number {
    return this.#poll === undefined ? 0 : 1;
  }

  /** How often the bot began to poll: at the start, and after its connection broke. */
  get opened(): number {
    return this.#opened;
  }

  /** Resolves once the bot has begun to poll `count` times. */
  async connected(count: number): Promise<void> {
    if (this.#opened >= count) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    await promise;
  }

  /** Adds an update, or an invalid one; resolves with the bot's reaction. An update that was confirmed is delivered again. */
  async deliver(update: unknown): Promise<TelegramDelivery> {
    const { id, type } = partsOf(update);
    const allowed = this.#app.allowedUpdates;
    if (allowed === undefined ? UNASKED.includes(type) : UNASKED.includes(type) && !allowed.includes(type)) return "unacknowledged";
    const isPart = JSON.stringify(update)?.includes('"media_group_id"') === true;
    const entry: Entry = { update, id, isPart, isFetched: false, outcome: Promise.withResolvers() };
    this.#entries.push(entry);
    this.#answer();
    return entry.outcome.promise;
  }

  /** The bot checks its token again although it has not asked for later updates: what it was given was not stored. */
  recordRestart(): void {
    for (const { id, isFetched, isPart, outcome } of this.#entries)
      if (isFetched && !isPart && id !== undefined) outcome.resolve("unacknowledged");
  }

  /** Begins a poll. */
  poll(poll: PendingPoll, timeoutMs: number): void {
    const { offset } = poll;
    const conflict = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
    this.#poll?.fail(new TelegramRefusal(409, conflict));
    this.#poll = poll;
    if (this.#isBroken) {
      this.#isBroken = false;
      this.#opened += 1;
      for (const { count, resolve } of this.#waiting) if (this.#opened >= count) resolve();
    }
    if (this.#dropsNext) return this.drop();
    // An answer with an album is asked for again until it is complete.
    const waitsForParts = this.#entries.some(({ isFetched, isPart }) => isFetched && isPart);
    this.#entries = this.#entries.filter((entry) => {
      const isConfirmed = entry.isFetched && (entry.id === undefined || (offset !== undefined && offset > entry.id));
      if (isConfirmed) entry.outcome.resolve("acknowledged");
      else if (entry.isFetched && !waitsForParts) entry.outcome.resolve("unacknowledged");
      return !isConfirmed;
    });
    const timer = setTimeout(() => this.#end(poll, []), timeoutMs);
    timer.unref();
    this.#answer();
  }

  /** The client has left. */
  forget(poll: PendingPoll): void {
    if (this.#poll !== poll) return;
    this.#poll = undefined;
    this.#isBroken = true;
  }

  /** Breaks the connection of the poll that waits, or of the next one. */
  drop(): void {
    const poll = this.#poll;
    this.#poll = undefined;
    this.#isBroken = true;
    this.#dropsNext = poll === undefined;
    poll?.drop();
  }

  #answer(): void {
    const poll = this.#poll;
    if (poll === undefined || this.#entries.length === 0) return;
    const given = this.#entries.slice(0, poll.limit);
    for (const entry of given) entry.isFetched = true;
    this.#end(
      poll,
      given.map(({ update }) => update),
    );
  }

  #end(poll: PendingPoll, updates: readonly unknown[]): void {
    if (this.#poll !== poll) return;
    this.#poll = undefined;
    poll.answer(updates);
  }
}

function partsOf(update: unknown): { readonly id: number | undefined; readonly type: string } {
  if (typeof update !== "object" || update === null) return { id: undefined, type: "" };
  const { update_id: id } = update as { readonly update_id?: unknown };
  return { id: typeof id === "number" ? id : undefined, type: Object.keys(update).find((key) => key !== "update_id") ?? "" };
}
