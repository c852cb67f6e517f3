import type { Origin } from "@factotum/channel-contract";
import type { Page } from "./page.ts";
import type { TranscriptBody } from "./transcript-records.ts";
import type { DeadLetter, OutboxRecord, OutboxTransition, StoredOutbound } from "./outbox-records.ts";

/** A notice that is stored once. */
export type KeyedNotice = Extract<TranscriptBody, { type: "notice" }> & { readonly key: string };

/** A new row of the outbox. */
export interface NewOutbound {
  readonly sessionKey: string;
  readonly target: Origin;
  readonly outbound: StoredOutbound;
  readonly purpose: OutboxRecord["purpose"];
  /** Unique in the store: if the key exists, its row is returned instead. */
  readonly idempotencyKey: string;
  readonly dueAtMs: number;
  readonly expiresAtMs: number;
  readonly covers?: OutboxRecord["covers"];
  readonly slot?: OutboxRecord["slot"];
  /** `sending` claims the row in the same commit: the caller sends it at once. */
  readonly state: "waiting" | "sending" | "suppressed";
}

/** The outbox and the dead letters. */
export interface OutboxStore {
  /** `notice`: added to a transcript in the same commit, unless one with its key exists. */
  addOutbound(
    rows: readonly NewOutbound[],
    options?: { readonly turnId?: string; readonly notice?: { readonly sessionId: string; readonly body: KeyedNotice } },
  ): Promise<readonly OutboxRecord[]>;
  /** The rows of a turn, oldest first, 200 at most; searches the newest 10,000 rows. */
  listTurnOutbound(turnId: string): Promise<readonly OutboxRecord[]>;
  /** True if a turn that has just been running has rows in the outbox; searches the newest 10,000 rows. */
  hasOutbound(turnId: string): Promise<boolean>;
  readOutbound(id: string): Promise<OutboxRecord | undefined>;
  /** The row with this idempotency key. Rejects with `damaged` for one that cannot be read. */
  findOutbound(idempotencyKey: string): Promise<OutboxRecord | undefined>;
  /**
   * The rows that made a message of the bot what it is, newest first: those whose receipt names it, and edits of these in any state. The chat is compared without
   * its thread; only if it has no such row do rows of the account's other chats count, since an address can differ from the chat that it leads to.
   */
  listSentMessage(chat: Origin, messageId: string): Promise<readonly OutboxRecord[]>;
  /** Rows that are waiting or being sent, in the order of their ids. */
  listPendingOutbound(options: { readonly limit: number; readonly afterId?: string }): Promise<readonly OutboxRecord[]>;
  /** Claims a row before I/O: `waiting` becomes `sending`, attempts + 1. False if the row was not waiting. */
  claimOutbound(id: string): Promise<boolean>;
  /**
   * Ends a row that the platform refused, and adds the rows sent in its place, in one commit. They belong to its turn. Rejects with `conflict` if the row is
   * not being sent.
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
  /** Undefined if it is not a dead letter. */
  readDeadLetter(id: string): Promise<DeadLetter | undefined>;
  /** Requeues a row that was given up, with its attempts reset. Rejects like `reviveInput`. */
  reviveOutbound(id: string, options: { readonly nowMs: number; readonly expiresAtMs: number }): Promise<OutboxRecord>;
  /**
   * Purges dead letters: those named, or those that failed before a time, at most 500 at once. The key of a purged input stays until maintenance prunes it, so
   * that a redelivery is recognised as a duplicate (R2). Resolves with the number purged.
   */
  purgeDeadLetters(
    which: { readonly ids: readonly string[] } | { readonly failedBeforeMs: number },
    options: { readonly nowMs: number },
  ): Promise<number>;
}
