import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { Channel, Origin, Outbound, SendReceipt } from "@factotum/channel-contract";
import { isLocalError } from "@factotum/channel-kit";
import { rejectionReason, StoreError } from "@factotum/store";
import type { InboxStore, NewOutbound, OutboxRecord, OutboxStore, OutboxTransition, TurnStore } from "@factotum/store";
import type { ConversationMoves } from "../channels/conversation-moves.ts";
import type { CrashPointHook } from "../kernel/crash-point.ts";
import { rowIds } from "../kernel/row-ids.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { Observer } from "../observe/observer.ts";
import type { Rejection, SendPermit } from "./account-gates.ts";
import { asDamaged, isDamaged } from "./damaged-row.ts";
import { lookedAt } from "./looked-at.ts";
import { endOfTurn, readReplyContext } from "./reply-context.ts";
import { resolveOutbound } from "./resolve-outbound.ts";
import type { OutboundSources, RowKind } from "./resolve-outbound.ts";
import { isAccountWide, isRefusal, nextTry, OUTBOX_TTL_MS, SEND_TIMEOUT_MS } from "./retry-policy.ts";
import type { RowSchedule } from "./row-schedule.ts";

/** Dependencies of the row sender. */
export interface RowSenderOptions {
  readonly store: OutboxStore & Pick<InboxStore, "readInput"> & Pick<TurnStore, "readTurn">;
  /** The connected channel of an address; `undefined` if there is none. */
  readonly channelFor: (target: Origin) => Channel | undefined;
  /** Rows are sent to the newest address of their conversation. */
  readonly moves: ConversationMoves;
  readonly readFile: OutboundSources["readFile"];
  readonly times: RowSchedule;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly observer: Observer;
  readonly hooks: HookRunner;
  /** For crash tests only. */
  readonly crashPoint?: CrashPointHook | undefined;
}

/** What becomes of a row after an attempt: without `delayMs` it is settled. */
interface Decision {
  readonly receipt: SendReceipt;
  readonly options: { readonly isRefusal: boolean };
  readonly delayMs?: number;
}

/** Sends a row once and records the result. */
export class RowSender {
  readonly #options: RowSenderOptions;

  constructor(options: RowSenderOptions) {
    this.#options = options;
  }

  /** One attempt of a row that is due. Returns the row afterwards, or the rows that replace it. */
  async attempt(row: OutboxRecord, permit: SendPermit): Promise<readonly OutboxRecord[]> {
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
      return [await this.settle(row, receipt)];
    }
    const resolved = await this.#resolve(row);
    if (resolved !== undefined && "retry" in resolved) return this.#refused(row, resolved, { sentAs: "media", channel });
    if (resolved === undefined) return [await this.settle(row, { type: "accepted", messageIds: [] })];
    const outbound = await lookedAt(resolved, row, this.#options.hooks);
    if ("retry" in outbound) return [await this.settle(row, outbound)];
    this.#options.crashPoint?.("before-send");
    const sent = this.#options.observer.sendStarted(row);
    const receipt = editInstead(outbound, await this.#send(channel, row, outbound));
    sent(receipt);
    permit.report(receipt);
    this.#options.crashPoint?.("after-send");
    if (receipt.type === "rejected") return this.#refused(row, receipt, { sentAs: outbound.type, channel });
    return [await this.settle(row, receipt)];
  }

  /** Replaces a row that was rejected for good with a simpler form, if there is one. */
  async #refused(
    row: OutboxRecord,
    receipt: Rejection,
    { sentAs, channel }: { readonly sentAs: Outbound["type"]; readonly channel: Channel },
  ): Promise<readonly OutboxRecord[]> {
    const isFinal = receipt.retry.type === "never" && !isAccountWide(receipt);
    if (!isFinal) return [await this.settle(row, receipt)];
    // Loaded when it is needed: it brings a Markdown parser of its own.
    const { degradeRow } = await import("./degrade-row.ts");
    const others = degradeRow(row, { receipt, sentAs }, channel.capabilities);
    return others === undefined ? [await this.settle(row, receipt)] : this.#replace(row, receipt, others);
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
    for (const one of replacing) this.#options.times.takeInPlaceOf(one, row);
    return replacing;
  }

  /** Resolves a row's file: a temporary read error is retried; a permanent one rejects the row for good. */
  async #resolve(row: OutboxRecord): Promise<Outbound | undefined | Rejection> {
    try {
      const isFirstAttempt = row.state.type === "sending" ? row.attempts <= 1 : row.attempts === 0;
      return await resolveOutbound(row, this.#options, { isFirstAttempt, ...this.#movedAt(row) });
    } catch (error) {
      if (StoreError.isInstance(error)) throw error;
      this.#options.logger.error("A file on its way to a chat cannot be read", { outboxId: row.id, turnId: row.turnId, error });
      const message = "the file that belongs to it cannot be read";
      return isLocalError(error)
        ? { type: "rejected", code: "rejected", retry: { type: "never" }, message }
        : { type: "rejected", code: "unreachable", retry: { type: "backoff" }, message };
    }
  }

  #movedAt({ target }: OutboxRecord): { readonly movedAtMs?: number } {
    return withoutUndefined({ movedAtMs: this.#options.moves.current(target).movedAtMs });
  }

  async #send(channel: Channel, row: OutboxRecord, outbound: Outbound): Promise<SendReceipt> {
    const { store, clock, moves } = this.#options;
    const { target, movedAtMs } = moves.current(row.target);
    const replyContext =
      channel.capabilities.replyContext === true && movedAtMs === undefined
        ? await readReplyContext(row, { store, nowMs: clock.now() })
        : undefined;
    const endsTurn = replyContext === undefined ? undefined : await endOfTurn(row, store);
    const limit = new AbortController();
    using timer = clock.schedule(SEND_TIMEOUT_MS, () => limit.abort());
    try {
      return await channel.send(target, outbound, {
        idempotencyKey: row.idempotencyKey,
        signal: limit.signal,
        ...withoutUndefined({ replyContext, endsTurn }),
      });
    } catch (error) {
      // A channel that breaks its contract must not stop the conversation.
      this.#options.logger.error("A channel's send threw", { channel: row.target.channel, error });
      if (isLocalError(error))
        return { type: "rejected", code: "rejected", retry: { type: "never" }, message: "the channel failed before it sent" };
      // It is unknown whether the message was sent.
      return { type: "ambiguous", cause: "the channel failed while sending" };
    } finally {
      timer[Symbol.dispose]();
    }
  }

  /** Records the result of an attempt and schedules the next one. Returns the row afterwards. */
  async settle(row: OutboxRecord, result: SendReceipt, given?: { readonly isRefusal: boolean }): Promise<OutboxRecord> {
    const { clock, random } = this.#options;
    const idempotent = (await this.#isRepeatable(row)) ? ALWAYS : this.#options.channelFor(row.target)?.capabilities.idempotentSend;
    // A row that is `sending` was counted when it was claimed.
    const attempts = row.state.type === "sending" ? row.attempts : row.attempts + 1;
    const decide = (receipt: SendReceipt): Decision => {
      const options = receipt === result && given !== undefined ? given : { isRefusal: isRefusal(receipt) };
      const refusals = row.refusals + (options.isRefusal ? 1 : 0);
      const ageMs = this.#options.times.ageMs(row);
      const isLost = isAccountWide(receipt) && row.purpose === "preview";
      const delayMs = isLost ? undefined : nextTry(receipt, { attempts, refusals, ageMs, random, ...withoutUndefined({ idempotent }) });
      return { receipt, options, ...withoutUndefined({ delayMs }) };
    };
    const first = decide(result);
    const isGivenUp = result.type === "ambiguous" && first.delayMs === undefined && idempotent !== ALWAYS;
    const { receipt, options, delayMs } = isGivenUp ? decide(await this.#reconcile(row, result)) : first;
    if (delayMs !== undefined) this.#options.times.putOff(row, delayMs);
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

  /** Asks the channel, if it can look, whether a send whose answer was lost is shown; otherwise the row would be given up (R3). */
  async #reconcile(row: OutboxRecord, lost: SendReceipt): Promise<SendReceipt> {
    const { clock, logger, moves } = this.#options;
    const channel = this.#options.channelFor(row.target);
    if (channel === undefined || !canReconcile(channel)) return lost;
    const outbound = await this.#resolve(row);
    if (outbound === undefined || "retry" in outbound) return lost;
    const limit = new AbortController();
    using _timer = clock.schedule(SEND_TIMEOUT_MS, () => limit.abort());
    try {
      // An earlier attempt without an answer may be the one that is shown.
      const sentAtMs = row.possiblyDelivered ? row.createdAtMs : row.dueAtMs;
      const options = { idempotencyKey: row.idempotencyKey, sentAtMs, signal: limit.signal };
      const found = await channel.reconcile?.(moves.current(row.target).target, outbound, options);
      if (found?.type === "shown") return { type: "accepted", messageIds: found.messageIds };
      if (found?.type === "not-shown")
        return { type: "rejected", code: "unreachable", retry: { type: "backoff" }, message: "it did not arrive" };
    } catch (error) {
      logger.error("A channel's reconcile threw", { channel: row.target.channel, error });
    }
    return lost;
  }

  /** True for a change that has the same result however often it is made, such as an edit to the same text. */
  async #isRepeatable(row: OutboxRecord): Promise<boolean> {
    const { type } = row.outbound;
    const repeatable = IS_REPEATABLE[type];
    if (repeatable !== "as-it-is") return repeatable;
    return (await resolveOutbound(row, this.#options, this.#movedAt(row)))?.type === type;
  }

  /** Moves a row to another state; rejects if the row is damaged. */
  async transition(row: OutboxRecord, transition: OutboxTransition): Promise<OutboxRecord> {
    return this.#options.store.settleOutbound(row.id, transition, { nowMs: this.#options.clock.now() });
  }

  /** Records a result even if the row was damaged meanwhile; it is not retried then. */
  async #record(row: OutboxRecord, receipt: SendReceipt, transition: OutboxTransition): Promise<OutboxRecord> {
    try {
      return await this.transition(row, transition);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      if (receipt.type === "accepted") return { ...row, state: { type: "accepted", messageIds: receipt.messageIds } };
      return receipt.type === "ambiguous" ? { ...row, state: { type: "ambiguous", reason: receipt.cause } } : asDamaged(row);
    }
  }
}

/** Whether a second send of a kind shows nothing more; `as-it-is`: unless it becomes a message of its own, for lack of one to change. */
const IS_REPEATABLE: Readonly<Record<RowKind, boolean | "as-it-is">> = {
  text: false,
  media: false,
  album: false,
  poll: false,
  card: false,
  edit: "as-it-is",
  "edit-card": "as-it-is",
  delete: true,
  reaction: true,
};

/** True if the channel can look for a send whose answer was lost. */
export function canReconcile({ capabilities }: Channel): boolean {
  return capabilities.optional?.includes("reconcile") === true;
}

/** A refused last step of a stream is not the end: the answer is completed by an edit at once. */
function editInstead({ type }: Outbound, receipt: SendReceipt): SendReceipt {
  const isFinal = receipt.type === "rejected" && receipt.retry.type === "never" && !isAccountWide(receipt);
  return type === "stream" && isFinal ? { ...receipt, retry: { type: "after", delayMs: 0 } } : receipt;
}

/** Why a row waits whose account has no running channel. */
export function notRunning({ target }: OutboxRecord): string {
  return `the channel ${target.channel}:${target.accountId} is not running`;
}

const ALWAYS: NonNullable<Channel["capabilities"]["idempotentSend"]> = { windowMs: OUTBOX_TTL_MS, maxKeyLength: Number.POSITIVE_INFINITY };
