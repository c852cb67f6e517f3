import type { Origin } from "@factotum/channel-contract";
import type { Page } from "./page.ts";
import type { DeadLetter, OutboxRecord, OutboxTransition, StoredOutbound } from "./outbox-records.ts";

/** A new row of the outbox. */
export interface NewOutbound {
  readonly sessionKey: string;
  readonly target: Origin;
  readonly outbound: StoredOutbound;
  readonly purpose: OutboxRecord["purpose"];
  /** Unique in the store: a second row with the same key is not made, the first one is returned. */
  readonly idempotencyKey: string;
  readonly dueAtMs: number;
  readonly expiresAtMs: number;
  readonly covers?: OutboxRecord["covers"];
  /** `sending` takes custody in the same commit: the caller sends it at once. */
  readonly state: "waiting" | "sending" | "suppressed";
}

/** What leaves, and what did not: the outbox and the dead letters. */
export interface OutboxStore {
  addOutbound(rows: readonly NewOutbound[], options?: { readonly turnId?: string }): Promise<readonly OutboxRecord[]>;
  /** Whether a turn that has just been running has rows in the outbox; of all rows, the newest 10,000 are looked through. */
  hasOutbound(turnId: string): Promise<boolean>;
  readOutbound(id: string): Promise<OutboxRecord | undefined>;
  /** The row with this idempotency key. Rejects with `damaged` for one that cannot be read. */
  findOutbound(idempotencyKey: string): Promise<OutboxRecord | undefined>;
  /** Rows that wait or are on the wire, in the order of their ids. */
  listPendingOutbound(options: { readonly limit: number; readonly afterId?: string }): Promise<readonly OutboxRecord[]>;
  /** Takes custody before I/O: `waiting` becomes `sending`, attempts + 1. False if the row was not waiting. */
  claimOutbound(id: string): Promise<boolean>;
  /**
   * Ends a row on the wire that was refused as it is, and adds those that are sent in its place, in one commit. They belong to its turn. Rejects with
   * `conflict` for a row that is not on the wire.
   */
  replaceOutbound(
    id: string,
    rows: readonly NewOutbound[],
    options: { readonly reason: string; readonly nowMs: number },
  ): Promise<readonly OutboxRecord[]>;
  settleOutbound(id: string, transition: OutboxTransition, options: { readonly nowMs: number }): Promise<OutboxRecord>;
  /** Terminal failures, newest first in each of the two types; reads at most `limit + 1` rows of each. */
  listDeadLetters(filter: {
    readonly type?: DeadLetter["type"];
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<DeadLetter>>;
  /** Undefined for what is no dead letter. */
  readDeadLetter(id: string): Promise<DeadLetter | undefined>;
  /** Puts a given up row back to waiting, with attempts of its own. The same refusals. */
  reviveOutbound(id: string, options: { readonly nowMs: number; readonly expiresAtMs: number }): Promise<OutboxRecord>;
  /**
   * Forgets dead letters: those named, or those that failed before a time, at most 500 at once. Of an input only that it came stays until maintenance
   * forgets it, so that a redelivery is not taken for news (R2). Gives how many were there.
   */
  purgeDeadLetters(
    which: { readonly ids: readonly string[] } | { readonly failedBeforeMs: number },
    options: { readonly nowMs: number },
  ): Promise<number>;
}
