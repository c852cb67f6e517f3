import { EventEmitter } from "node:events";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { Channel, Origin, Outbound, SendReceipt } from "@factotum/channel-contract";
import { backoffDelay, isLocalError } from "@factotum/channel-kit";
import { rejectionReason, StoreError } from "@factotum/store";
import type { NewOutbound, OutboxRecord, OutboxStore, OutboxTransition } from "@factotum/store";
import type { CrashPointHook } from "../kernel/crash-point.ts";
import type { Observer } from "../observe/observer.ts";
import { conversationKey } from "../kernel/conversation-key.ts";
import type { AccountGates, Rejection, SendPermit } from "./account-gates.ts";
import { BlockedConversations } from "./blocked-conversations.ts";
import type { BlockedConversation } from "./blocked-conversations.ts";
import { asDamaged, isDamaged, stateGivenUp } from "./damaged-row.ts";
import { degradeRow } from "./degrade-row.ts";
import { OUTBOX_TTL_MS } from "./plan-message.ts";
import { EXPIRED_REASON } from "./expired-row.ts";
import { resolveOutbound } from "./resolve-outbound.ts";
import type { OutboundSources } from "./resolve-outbound.ts";
import { isAccountWide, isRefusal, nextTry, SEND_TIMEOUT_MS } from "./retry-policy.ts";
import { rowIds } from "../kernel/row-ids.ts";
import { compareRows } from "./row-order.ts";
import { RowSchedule } from "./row-schedule.ts";
import { wait } from "./wait.ts";
import { isFinalStoreError } from "../storage/is-final-store-error.ts";

/** What delivery tells. */
interface DeliveryEvents {
  /** A row has reached a state from which it does not come back. */
  readonly "row-settled": [row: OutboxRecord];
  /** A row will leave late: once a row. */
  readonly "row-late": [row: OutboxRecord, blocked: BlockedConversation];
}

/** What delivery needs of the rest. */
export interface DispatcherOptions {
  readonly store: OutboxStore;
  /** The connected channel of an address; `undefined` while there is none. */
  readonly channelFor: (target: Origin) => Channel | undefined;
  readonly readFile: OutboundSources["readFile"];
  /** Hold what is sent to accounts that their platform refuses. */
  readonly gates: AccountGates;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly observer: Observer;
  /** Does work that is not part of the turn that hands its rows over. */
  readonly outside: <Result>(work: () => Result) => Result;
  /** For crash tests alone. */
  readonly crashPoint?: CrashPointHook | undefined;
}

/**
 * Sends what the outbox holds: in order per conversation, conversations side by side. Every row is claimed on disk before its request leaves, and what
 * became of it is on disk before the next one of the conversation leaves (R3).
 */
export class Dispatcher {
  readonly events: EventEmitter<DeliveryEvents> = new EventEmitter();
  readonly #options: DispatcherOptions;
  readonly #queues = new Map<string, OutboxRecord[]>();
  /** Ids of what stands in the queues. */
  readonly #taken = new Set<string>();
  readonly #workers = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #times: RowSchedule;
  readonly #blocked: BlockedConversations;
  #sending = 0;
  /** Ids of rows that the last process may have been sending, and whose channel does not run. */
  readonly #undecided = new Set<string>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#times = new RowSchedule(options.clock);
    this.#blocked = new BlockedConversations(options.clock, (row, blocked) => this.events.emit("row-late", row, blocked));
  }

  /** Takes rows that were just committed, in their order. */
  dispatch(rows: readonly OutboxRecord[]): void {
    if (this.#closing.signal.aborted) return;
    for (const row of rows) {
      if (row.state.type !== "waiting" && row.state.type !== "sending") continue;
      // A row that was there already, under the key of one that was just added, comes again.
      if (this.#taken.has(row.id)) continue;
      this.#taken.add(row.id);
      this.#times.take(row);
      const key = conversationKey(row.target);
      const queue = this.#queues.get(key);
      if (queue !== undefined) queue.push(row);
      else {
        const fresh = [row];
        this.#queues.set(key, fresh);
        this.#work(key, fresh);
      }
    }
  }

  /** Takes up what the last process left. A row that was on the wire then is ambiguous unless its channel recognises repeated sends. */
  async recover(): Promise<void> {
    const pending: OutboxRecord[] = [];
    for (let more = true; more;) {
      const afterId = pending.at(-1)?.id;
      const rows = await this.#options.store.listPendingOutbound({ limit: 200, ...withoutUndefined({ afterId }) });
      pending.push(...rows);
      more = rows.length > 0;
    }
    const begun = new Set<string>();
    // What is sent in the place of an earlier row has a later id than the rows that it goes before.
    for (const row of pending.toSorted(compareRows)) {
      const isBehind = begun.has(conversationKey(row.target));
      // A preview goes past what waits.
      if (row.purpose !== "preview") begun.add(conversationKey(row.target));
      if (row.state.type === "sending" && row.purpose !== "preview" && this.#options.channelFor(row.target) === undefined) {
        this.#undecided.add(row.id);
        this.dispatch([row]);
      } else if (row.state.type === "sending" && !(isBehind && this.#isTakenAhead(row))) {
        const settled = await this.#settle(row, INTERRUPTED, { isRefusal: false });
        if (settled.state.type === "waiting") this.dispatch([settled]);
        else this.events.emit("row-settled", settled);
      } else this.dispatch([row]);
    }
  }

  /**
   * Waits for the channel of a row that may have been on the wire at the last stop: only the channel says whether the row may be sent again. Ends as
   * ambiguous when the row expires first.
   */
  async #decide(row: OutboxRecord): Promise<readonly OutboxRecord[]> {
    const { channelFor, random } = this.#options;
    for (let tries = 0; channelFor(row.target) === undefined && !this.#times.isExpired(row); tries += 1) {
      const delayMs = backoffDelay(tries, { baseMs: 500, maxMs: 60_000, random });
      this.#recordBlock(row, `unreachable: ${notRunning(row)}`, delayMs);
      await this.#wait(delayMs);
      if (this.#closing.signal.aborted) return [row];
    }
    this.#undecided.delete(row.id);
    return [await this.#settle(row, INTERRUPTED, { isRefusal: false })];
  }

  /** Custody of it was taken with its commit, before its turn to be sent: behind another row it has never left. */
  #isTakenAhead({ target, purpose }: OutboxRecord): boolean {
    return purpose !== "preview" && this.#options.channelFor(target)?.capabilities.idempotentSend !== undefined;
  }

  /** True while something waits for this conversation, or is on the wire to it. */
  isBusy(target: Origin): boolean {
    return this.#queues.has(conversationKey(target));
  }

  /** Whether this row stands in a queue, or is being sent. */
  holds(id: string): boolean {
    return this.#taken.has(id);
  }

  /** Conversations that have something to send. */
  get pending(): number {
    return this.#queues.size;
  }

  /** Conversations whose first unsent row waits for another try, each with the number of its unsent rows. */
  get blocked(): readonly (BlockedConversation & { readonly waiting: number })[] {
    return this.#blocked.list().map((one) => ({ ...one, waiting: this.waitingFor(one.target) }));
  }

  /** Unsent rows of a conversation. */
  waitingFor(target: Origin): number {
    return this.#queues.get(conversationKey(target))?.length ?? 0;
  }

  /** Rows that are being sent now. */
  get sending(): number {
    return this.#sending;
  }

  /** Resolves when nothing is left to send now. For tests and for a shutdown that drains. */
  async idle(): Promise<void> {
    while (this.#workers.size > 0) await Promise.all(this.#workers);
  }

  /** Starts no further send and waits for those on the wire. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#workers);
  }

  #work(key: string, queue: OutboxRecord[]): void {
    const worker = this.#options
      .outside(async () => this.#drain(key, queue))
      .catch((error: unknown) => {
        // The rows stay on disk and are taken up at the next start.
        this.#options.logger.error("Delivery of a conversation stopped", {
          error,
          reason: StoreError.isInstance(error) ? error.code : "internal",
        });
      })
      .finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  async #drain(key: string, queue: OutboxRecord[]): Promise<void> {
    try {
      for (let row = queue[0]; row !== undefined && !this.#closing.signal.aborted; row = queue[0]) {
        const after = await this.#deliverAtLast(row);
        const open = after.filter(({ state }) => state.type === "waiting");
        queue.splice(0, 1, ...open);
        this.#taken.delete(row.id);
        for (const one of open) this.#taken.add(one.id);
        if (!this.#taken.has(row.id)) {
          this.#times.forget(row);
          this.#blocked.clear(key);
        }
        for (const one of after) if (one.state.type !== "waiting") this.events.emit("row-settled", one);
      }
    } finally {
      // In the same step in which the queue was found empty: a row that comes a moment later begins a new one.
      this.#queues.delete(key);
      this.#blocked.clear(key);
      for (const row of queue) {
        this.#taken.delete(row.id);
        this.#times.forget(row);
      }
    }
  }

  /** While the store or the disk does not do its part, the conversation waits: nothing of it overtakes. Rejects when this process can do no more. */
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
        const delayMs = backoffDelay(failures, { baseMs: 500, maxMs: 60_000, random });
        this.#recordBlock(row, "storage: the message could not be handled", delayMs);
        await this.#wait(delayMs);
      }
    }
  }

  /** What has become of a row in whose handling something failed. */
  async #refreshState(row: OutboxRecord): Promise<OutboxRecord | undefined> {
    try {
      const now = await this.#options.store.readOutbound(row.id);
      if (now?.state.type !== "sending") return now;
      return await this.#settle(now, { type: "ambiguous", cause: "what became of it could not be noted" }, { isRefusal: false });
    } catch (error) {
      if (!isDamaged(error)) throw error;
      return asDamaged(row);
    }
  }

  /** The store has put aside what it could not read and will not send it: the conversation goes on with the next (R10). */
  async #deliverUndamaged(row: OutboxRecord): Promise<readonly OutboxRecord[]> {
    try {
      return await this.#deliver(row);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      return [asDamaged(row)];
    }
  }

  /** The row as it is then, or the rows that take its place. */
  async #deliver(row: OutboxRecord): Promise<readonly OutboxRecord[]> {
    if (this.#undecided.has(row.id)) return this.#decide(row);
    const waitMs = row.state.type === "waiting" ? this.#times.waitMs(row) : 0;
    if (waitMs > 0) {
      // A row that was never tried is due later by plan.
      if (row.state.type === "waiting" && row.state.delay !== undefined) this.#recordBlock(row, row.state.delay.reason, waitMs);
      await this.#wait(waitMs);
    }
    const { gates } = this.#options;
    const { signal } = this.#closing;
    const refusal = gates.refusalOf(row.target);
    if (refusal !== undefined && !signal.aborted) {
      // Nobody needs a preview later, and what custody was taken of at its commit has never left.
      if (row.purpose === "preview") return [await this.#transition(row, { type: "dropped", reason: rejectionReason(refusal) })];
      if (row.state.type === "sending") return [await this.#settle(row, refusal)];
    }
    const onWait = (reason: string, nextTryInMs: number): void => this.#recordBlock(row, reason, nextTryInMs);
    using permit = await gates.enter(row.target, { limitMs: this.#times.leftMs(row), signal, onWait });
    if (signal.aborted) return [row];
    if (permit === undefined || this.#times.isExpired(row))
      return [await this.#transition(row, { type: stateGivenUp(row), reason: EXPIRED_REASON })];
    this.#sending += 1;
    try {
      return await this.#attempt(row, permit);
    } finally {
      this.#sending -= 1;
    }
  }

  /** One try of a row that is due. */
  async #attempt(row: OutboxRecord, permit: SendPermit): Promise<readonly OutboxRecord[]> {
    const { store } = this.#options;
    if (row.state.type === "waiting" && !(await store.claimOutbound(row.id))) return [(await store.readOutbound(row.id)) ?? row];
    const channel = this.#options.channelFor(row.target);
    if (channel === undefined) {
      const receipt: SendReceipt = {
        type: "rejected",
        code: "unreachable",
        retry: { type: "backoff" },
        message: notRunning(row),
      };
      return [await this.#settle(row, receipt)];
    }
    const outbound = await this.#resolve(row);
    if (outbound !== undefined && "retry" in outbound) return this.#refused(row, outbound, { sentAs: "media", channel });
    if (outbound === undefined) return [await this.#settle(row, { type: "accepted", messageIds: [] })];
    this.#options.crashPoint?.("before-send");
    const sent = this.#options.observer.sendStarted(row);
    const receipt = await this.#send(channel, row, outbound);
    sent(receipt);
    permit.report(receipt);
    this.#options.crashPoint?.("after-send");
    if (receipt.type === "rejected") return this.#refused(row, receipt, { sentAs: outbound.type, channel });
    return [await this.#settle(row, receipt)];
  }

  /** What is refused for good is sent in another form where there is one. */
  async #refused(
    row: OutboxRecord,
    receipt: Rejection,
    { sentAs, channel }: { readonly sentAs: Outbound["type"]; readonly channel: Channel },
  ): Promise<readonly OutboxRecord[]> {
    const isFinal = receipt.retry.type === "never" && !isAccountWide(receipt);
    const others = isFinal ? degradeRow(row, { receipt, sentAs }, channel.capabilities) : undefined;
    return others === undefined ? [await this.#settle(row, receipt)] : this.#replace(row, receipt, others);
  }

  #recordBlock(row: OutboxRecord, reason: string, waitMs: number): void {
    this.#blocked.record(row, { reason, ageMs: this.#times.ageMs(row), waitMs });
  }

  async #replace(row: OutboxRecord, rejection: Rejection, others: readonly NewOutbound[]): Promise<readonly OutboxRecord[]> {
    const { store, clock, logger } = this.#options;
    const reason = rejectionReason(rejection);
    logger.info("A message was refused as it is and is sent in another form", {
      ...rowIds(row),
      channel: row.target.channel,
      reason,
      parts: others.length,
    });
    const replacing = await store.replaceOutbound(row.id, others, { reason, nowMs: clock.now() });
    for (const one of replacing) this.#times.takeInPlaceOf(one, row);
    return replacing;
  }

  /** A file that this process cannot read now is tried again; one that cannot be read at all is refused for good. */
  async #resolve(row: OutboxRecord): Promise<Outbound | undefined | Rejection> {
    try {
      return await resolveOutbound(row, this.#options);
    } catch (error) {
      if (StoreError.isInstance(error)) throw error;
      this.#options.logger.error("A file on its way to a chat cannot be read", { outboxId: row.id, turnId: row.turnId, error });
      const message = "the file that belongs to it cannot be read";
      return isLocalError(error)
        ? { type: "rejected", code: "rejected", retry: { type: "never" }, message }
        : { type: "rejected", code: "unreachable", retry: { type: "backoff" }, message };
    }
  }

  async #send(channel: Channel, row: OutboxRecord, outbound: Outbound): Promise<SendReceipt> {
    const limit = new AbortController();
    using timer = this.#options.clock.schedule(SEND_TIMEOUT_MS, () => limit.abort());
    try {
      return await channel.send(row.target, outbound, { idempotencyKey: row.idempotencyKey, signal: limit.signal });
    } catch (error) {
      // A channel that breaks its contract must not stop the conversation.
      this.#options.logger.error("A channel's send threw", { channel: row.target.channel, error });
      if (isLocalError(error))
        return { type: "rejected", code: "rejected", retry: { type: "never" }, message: "the channel failed before it sent" };
      // Whether the message left is unknown.
      return { type: "ambiguous", cause: "the channel failed while sending" };
    } finally {
      timer[Symbol.dispose]();
    }
  }

  async #settle(row: OutboxRecord, receipt: SendReceipt, options = { isRefusal: isRefusal(receipt) }): Promise<OutboxRecord> {
    const { clock, random } = this.#options;
    // To give a message the same text once more changes nothing.
    const isEdit = row.outbound.type === "edit" && (await resolveOutbound(row, this.#options))?.type === "edit";
    const idempotent = isEdit ? ALWAYS : this.#options.channelFor(row.target)?.capabilities.idempotentSend;
    // One that is on the wire already has been counted when custody of it was taken.
    const attempts = row.state.type === "sending" ? row.attempts : row.attempts + 1;
    const delayMs =
      isAccountWide(receipt) && row.purpose === "preview"
        ? undefined
        : nextTry(receipt, {
            attempts,
            refusals: row.refusals + (options.isRefusal ? 1 : 0),
            ageMs: this.#times.ageMs(row),
            random,
            ...withoutUndefined({ idempotent }),
          });
    if (delayMs !== undefined) this.#times.putOff(row, delayMs);
    const isLostPreview = receipt.type !== "accepted" && delayMs === undefined && row.purpose === "preview";
    const settled = await this.#record(
      { ...row, attempts },
      receipt,
      isLostPreview
        ? { type: "dropped", reason: receipt.type }
        : { type: "receipt", receipt, ...options, ...(delayMs === undefined ? {} : { retryAtMs: clock.now() + delayMs }) },
    );
    if (receipt.type !== "accepted") {
      this.#options.logger.warn("A message was not accepted", {
        ...rowIds(row),
        channel: row.target.channel,
        receipt: receipt.type,
        code: receipt.type === "rejected" ? receipt.code : undefined,
        detail: receipt.type === "rejected" ? receipt.message : receipt.cause,
        attempts,
        again: delayMs !== undefined,
      });
    }
    return settled;
  }

  async #transition(row: OutboxRecord, transition: OutboxTransition): Promise<OutboxRecord> {
    return this.#options.store.settleOutbound(row.id, transition, { nowMs: this.#options.clock.now() });
  }

  /** What became of a send is known also when the row was damaged meanwhile: it is not tried again then. */
  async #record(row: OutboxRecord, receipt: SendReceipt, transition: OutboxTransition): Promise<OutboxRecord> {
    try {
      return await this.#transition(row, transition);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      if (receipt.type === "accepted") return { ...row, state: { type: "accepted", messageIds: receipt.messageIds } };
      return receipt.type === "ambiguous" ? { ...row, state: { type: "ambiguous", reason: receipt.cause } } : asDamaged(row);
    }
  }

  async #wait(delayMs: number): Promise<void> {
    await wait(delayMs, { clock: this.#options.clock, signal: this.#closing.signal });
  }
}

/** Of a row that was claimed when the last process ended. */
const INTERRUPTED: SendReceipt = { type: "ambiguous", cause: "the gateway stopped while this was being sent" };

function notRunning({ target }: OutboxRecord): string {
  return `the channel ${target.channel}:${target.accountId} is not running`;
}

const ALWAYS: NonNullable<Channel["capabilities"]["idempotentSend"]> = { windowMs: OUTBOX_TTL_MS, maxKeyLength: Number.POSITIVE_INFINITY };
