import { EventEmitter } from "node:events";
import { withoutUndefined } from "@factotum/agent-contract";
import type { ChannelLimits, Origin, SendReceipt } from "@factotum/channel-contract";
import { rejectionReason, REMOVED_ACCOUNT_REASON, StoreError } from "@factotum/store";
import type { OutboxRecord } from "@factotum/store";
import { conversationKey } from "../kernel/conversation-key.ts";
import type { AccountGates } from "./account-gates.ts";
import { BlockedConversations } from "./blocked-conversations.ts";
import type { BlockedConversation } from "./blocked-conversations.ts";
import { asDamaged, isDamaged, stateGivenUp } from "./damaged-row.ts";
import { DiscardedAccounts } from "./discarded-accounts.ts";
import { EXPIRED_REASON } from "./expired-row.ts";
import { retryDelayMs } from "./retry-policy.ts";
import { compareRows } from "./row-order.ts";
import { RowSchedule } from "./row-schedule.ts";
import { canReconcile, notRunning, RowSender } from "./row-sender.ts";
import type { RowSenderOptions } from "./row-sender.ts";
import { SendRates } from "./send-rates.ts";
import { wait } from "./wait.ts";
import { isFinalStoreError } from "../storage/is-final-store-error.ts";

/** Events of delivery. */
interface DeliveryEvents {
  /** A row has reached a final state. */
  readonly "row-settled": [row: OutboxRecord];
  /** A row will be late; emitted once per row. */
  readonly "row-late": [row: OutboxRecord, blocked: BlockedConversation];
}

/** Dependencies of the dispatcher. */
export interface DispatcherOptions extends Omit<RowSenderOptions, "times"> {
  /** Hold messages to accounts that their platform rejects. */
  readonly gates: AccountGates;
  /** True once the channel of an address has been started. */
  readonly isStarted: (target: Origin) => boolean;
  /** True while the configuration has the account. */
  readonly isConfigured: (account: Pick<Origin, "channel" | "accountId">) => boolean;
  /** Runs work outside the async context of the turn that dispatches its rows. */
  readonly outside: <Result>(work: () => Result) => Result;
}

/**
 * Sends the rows of the outbox: in order within a conversation, conversations concurrently. Every row is claimed on disk before its request is sent, and its
 * result is recorded on disk before the next request of the conversation (R3).
 */
export class Dispatcher {
  readonly events: EventEmitter<DeliveryEvents> = new EventEmitter();
  readonly #options: DispatcherOptions;
  readonly #queues = new Map<string, OutboxRecord[]>();
  /** Ids of queued rows, with the keys of their queues. */
  readonly #taken = new Map<string, string>();
  /** By the keys of their queues. */
  readonly #workers = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();
  readonly #times: RowSchedule;
  readonly #rates: SendRates;
  readonly #blocked: BlockedConversations;
  readonly #discarded: DiscardedAccounts;
  readonly #sender: RowSender;
  #sending = 0;
  /** Ids of rows that the last process may have been sending, and whose channel is not running. */
  readonly #undecided = new Set<string>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#times = new RowSchedule(options.clock);
    this.#rates = new SendRates(options.clock);
    this.#discarded = new DiscardedAccounts(this.#closing.signal, options.isConfigured);
    const { store, channelFor, moves, readFile, clock, random, logger, observer, hooks, crashPoint } = options;
    const sending = { store, channelFor, moves, readFile, clock, random, logger, observer, hooks, crashPoint };
    this.#sender = new RowSender({ ...sending, times: this.#times });
    this.#blocked = new BlockedConversations(options.clock, (row, blocked) => this.events.emit("row-late", row, blocked));
  }

  /** Queues rows that were just committed, in order. */
  dispatch(rows: readonly OutboxRecord[]): void {
    if (this.#closing.signal.aborted) return;
    for (const row of rows) {
      if (row.state.type !== "waiting" && row.state.type !== "sending") continue;
      // A row that existed already, under the key of a newly added one, is dispatched again.
      if (this.#taken.has(row.id)) continue;
      const key = this.#keyOf(row.target);
      this.#taken.set(row.id, key);
      this.#times.take(row);
      const queue = this.#queues.get(key);
      if (queue !== undefined) queue.push(row);
      else {
        const fresh = [row];
        this.#queues.set(key, fresh);
        this.#work(key, fresh);
      }
    }
  }

  /** Queues rows that the last process left. A row that was on the wire is ambiguous unless its channel recognises repeated sends. */
  async recover(): Promise<void> {
    const pending: OutboxRecord[] = [];
    for (let more = true; more;) {
      const afterId = pending.at(-1)?.id;
      const rows = await this.#options.store.listPendingOutbound({ limit: 200, ...withoutUndefined({ afterId }) });
      pending.push(...rows);
      more = rows.length > 0;
    }
    const begun = new Set<string>();
    // A replacement has a higher id than the rows that it goes ahead of.
    for (const row of pending.toSorted(compareRows)) {
      const isBehind = begun.has(this.#keyOf(row.target));
      // Previews do not wait behind other rows.
      if (row.purpose !== "preview") begun.add(this.#keyOf(row.target));
      if (row.state.type === "sending" && row.purpose !== "preview" && !(isBehind && this.#isTakenAhead(row)) && this.#mustWait(row)) {
        this.#undecided.add(row.id);
        this.dispatch([row]);
      } else if (row.state.type === "sending" && !(isBehind && this.#isTakenAhead(row))) {
        const settled = await this.#sender.settle(row, INTERRUPTED, { isRefusal: false });
        if (settled.state.type === "waiting") this.dispatch([settled]);
        else this.events.emit("row-settled", settled);
      } else this.dispatch([row]);
    }
  }

  /**
   * Waits for the channel of a row that may have been on the wire at the last stop, because only the channel knows whether the row may be sent again. Ends as
   * ambiguous if the row expires first.
   */
  async #decide(row: OutboxRecord): Promise<readonly OutboxRecord[]> {
    const { random } = this.#options;
    for (let tries = 0; this.#mustWait(row) && !this.#times.isExpired(row) && !this.#discarded.has(row); tries += 1) {
      const delayMs = retryDelayMs(tries, random);
      this.#recordBlock(row, `unreachable: ${notRunning(row)}`, delayMs);
      await this.#wait(delayMs, this.#discarded.signalOf(row.target));
      if (this.#closing.signal.aborted) return [row];
    }
    this.#undecided.delete(row.id);
    return [await this.#sender.settle(row, INTERRUPTED, { isRefusal: false })];
  }

  /** True until the channel can say whether it recognises repeated sends, or look for the lost one. */
  #mustWait({ target }: OutboxRecord): boolean {
    const channel = this.#options.channelFor(target);
    return channel === undefined || (canReconcile(channel) && !this.#options.isStarted(target));
  }

  /** True if it was claimed at its commit and is queued behind another row: then it was never sent. */
  #isTakenAhead({ target, purpose }: OutboxRecord): boolean {
    return purpose !== "preview" && this.#options.channelFor(target)?.capabilities.idempotentSend !== undefined;
  }

  /**
   * Gives up every unsent row of an account that was removed, and those that come until it is configured again: the next account of its name may be of somebody
   * else. A row on the wire ends with its receipt. Resolves with the number of rows that were given up; they are dead letters.
   */
  async discard(account: Pick<Origin, "channel" | "accountId">): Promise<number> {
    const { channel, accountId } = account;
    const isOfAccount = ({ target }: OutboxRecord): boolean => target.channel === channel && target.accountId === accountId;
    const queues = [...this.#queues].filter(([, rows]) => rows.some(isOfAccount));
    const discard = this.#discarded.add(
      account,
      queues.flatMap(([, rows]) => rows.filter(isOfAccount)),
    );
    await Promise.all(queues.map(async ([key]) => this.#workers.get(key)));
    if (discard.count > 0)
      this.#options.logger.warn("Unsent messages of a removed account were given up", { ...account, rows: discard.count });
    return discard.count;
  }

  /** True while a row of this conversation is waiting or on the wire. */
  isBusy(target: Origin): boolean {
    return this.#queues.has(this.#keyOf(target));
  }

  /** True if this row is queued or being sent. */
  holds(id: string): boolean {
    return this.#taken.has(id);
  }

  /** True if the conversation has another address since: what is shown at this one cannot be changed any more. */
  hasMoved(target: Origin): boolean {
    return this.#options.moves.current(target).movedAtMs !== undefined;
  }

  /** A conversation that has moved has one queue, so that its order stays. */
  #keyOf(target: Origin): string {
    return conversationKey(this.#options.moves.original(target));
  }

  /** Counts a send besides the rows that may be left out; false if the account's rate does not allow it. */
  mayAlsoSend(target: Origin): boolean {
    return this.#rates.tryEnter(target, this.#rateOf(target));
  }

  /** Number of conversations with rows to send. */
  get pending(): number {
    return this.#queues.size;
  }

  /** Conversations whose first unsent row waits for a retry, each with its number of unsent rows. */
  get blocked(): readonly (BlockedConversation & { readonly waiting: number })[] {
    return this.#blocked.list().map((one) => ({ ...one, waiting: this.waitingFor(one.target) }));
  }

  /** Number of unsent rows of a conversation. */
  waitingFor(target: Origin): number {
    return this.#queues.get(this.#keyOf(target))?.length ?? 0;
  }

  /** Number of rows being sent. */
  get sending(): number {
    return this.#sending;
  }

  /** Resolves when nothing is left to send. For tests, and for a draining shutdown. */
  async idle(): Promise<void> {
    while (this.#workers.size > 0) await Promise.all(this.#workers.values());
  }

  /** Starts no further send and waits for those on the wire. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#workers.values());
  }

  #work(key: string, queue: OutboxRecord[]): void {
    const worker = this.#options
      .outside(async () => this.#drain(key, queue))
      .catch((error: unknown) => {
        // The rows stay on disk and are recovered at the next start.
        this.#options.logger.error("Delivery of a conversation stopped", {
          error,
          reason: StoreError.isInstance(error) ? error.code : "internal",
        });
      })
      .finally(() => {
        if (this.#workers.get(key) === worker) this.#workers.delete(key);
      });
    this.#workers.set(key, worker);
  }

  async #drain(key: string, queue: OutboxRecord[]): Promise<void> {
    try {
      for (let row = queue[0]; row !== undefined && !this.#closing.signal.aborted; row = queue[0]) {
        const after = await this.#deliverAtLast(row);
        const open = after.filter(({ state }) => state.type === "waiting");
        queue.splice(0, 1, ...open);
        this.#taken.delete(row.id);
        for (const one of open) this.#taken.set(one.id, key);
        if (!this.#taken.has(row.id)) {
          this.#discarded.settle(row, { isGivenUp: after.some(isGivenUpAsRemoved) });
          this.#times.forget(row);
          this.#blocked.clear(key);
        }
        for (const one of after) if (one.state.type !== "waiting") this.events.emit("row-settled", one);
      }
    } finally {
      // Synchronously with finding the queue empty: a later row starts a new queue.
      this.#queues.delete(key);
      this.#blocked.clear(key);
      for (const row of queue) {
        this.#taken.delete(row.id);
        this.#times.forget(row);
      }
    }
  }

  /** Delivers a row; while the store or the disk fails, the conversation waits in order. Rejects when this process can do nothing more. */
  async #deliverAtLast(row: OutboxRecord): Promise<readonly OutboxRecord[]> {
    const { logger, random } = this.#options;
    for (let failures = 0; ; failures += 1) {
      try {
        const current = failures === 0 ? row : await this.#refreshState(row);
        if (current === undefined) return [];
        const isOpen = current.state.type === "waiting" || failures === 0;
        return isOpen ? await this.#deliverUndamaged(current) : [current];
      } catch (error) {
        if (isFinalStoreError(error) || this.#closing.signal.aborted) throw error;
        logger.error("A message could not be handled and is looked at again", { outboxId: row.id, turnId: row.turnId, error });
        const delayMs = retryDelayMs(failures, random);
        this.#recordBlock(row, "storage: the message could not be handled", delayMs);
        await this.#wait(delayMs);
      }
    }
  }

  /** Reads the state of a row after a failure. */
  async #refreshState(row: OutboxRecord): Promise<OutboxRecord | undefined> {
    try {
      const now = await this.#options.store.readOutbound(row.id);
      if (now?.state.type !== "sending") return now;
      return await this.#sender.settle(now, { type: "ambiguous", cause: "its outcome could not be stored" }, { isRefusal: false });
    } catch (error) {
      if (!isDamaged(error)) throw error;
      return asDamaged(row);
    }
  }

  /** The store has quarantined a row that it could not read and will not send it; the conversation continues with the next (R10). */
  async #deliverUndamaged(row: OutboxRecord): Promise<readonly OutboxRecord[]> {
    try {
      return await this.#deliver(row);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      return [asDamaged(row)];
    }
  }

  /** Returns the row afterwards, or the rows that replace it. */
  async #deliver(row: OutboxRecord): Promise<readonly OutboxRecord[]> {
    if (this.#undecided.has(row.id)) return this.#decide(row);
    const signal = this.#discarded.signalOf(row.target);
    if (this.#discarded.has(row)) return [await this.#giveUp(row, REMOVED_ACCOUNT_REASON)];
    const waitMs = row.state.type === "waiting" ? this.#times.waitMs(row) : 0;
    if (waitMs > 0) {
      // A row that was never tried is due later on purpose.
      if (row.state.type === "waiting" && row.state.delay !== undefined) this.#recordBlock(row, row.state.delay.reason, waitMs);
      await this.#wait(waitMs, signal);
    }
    const { gates } = this.#options;
    const refusal = gates.refusalOf(row.target);
    if (refusal !== undefined && !signal.aborted) {
      // A late preview is useless, and a row claimed at its commit was never sent.
      if (row.purpose === "preview") return [await this.#sender.transition(row, { type: "dropped", reason: rejectionReason(refusal) })];
      if (row.state.type === "sending") return [await this.#sender.settle(row, refusal)];
    }
    await this.#rates.enter(row.target, this.#rateOf(row.target), { limitMs: this.#times.leftMs(row), signal });
    const onWait = (reason: string, nextTryInMs: number): void => this.#recordBlock(row, reason, nextTryInMs);
    using permit = await gates.enter(row.target, { limitMs: this.#times.leftMs(row), signal, onWait });
    if (this.#discarded.has(row)) return [await this.#giveUp(row, REMOVED_ACCOUNT_REASON)];
    if (signal.aborted) return [row];
    if (permit === undefined || this.#times.isExpired(row)) return [await this.#giveUp(row, EXPIRED_REASON)];
    this.#sending += 1;
    try {
      return await this.#sender.attempt(row, permit);
    } finally {
      this.#sending -= 1;
    }
  }

  async #giveUp(row: OutboxRecord, reason: string): Promise<OutboxRecord> {
    return this.#sender.transition(row, { type: stateGivenUp(row), reason });
  }

  #rateOf(target: Origin): ChannelLimits["sendRate"] {
    return this.#options.channelFor(target)?.capabilities.limits?.sendRate;
  }

  #recordBlock(row: OutboxRecord, reason: string, waitMs: number): void {
    this.#blocked.record(this.#taken.get(row.id) ?? this.#keyOf(row.target), row, { reason, ageMs: this.#times.ageMs(row), waitMs });
  }

  async #wait(delayMs: number, signal: AbortSignal = this.#closing.signal): Promise<void> {
    await wait(delayMs, { clock: this.#options.clock, signal });
  }
}

function isGivenUpAsRemoved({ state }: OutboxRecord): boolean {
  return state.type === "dead" && state.reason === REMOVED_ACCOUNT_REASON;
}

/** The receipt of a row that was claimed when the last process ended. */
const INTERRUPTED: SendReceipt = { type: "ambiguous", cause: "the gateway stopped while this was being sent" };
