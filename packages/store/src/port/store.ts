import type { UsageTotals } from "@factotum/agent-contract";
import type { InboxStore } from "./inbox-store.ts";
import type { LedgerStore } from "./ledger-store.ts";
import type { OutboxStore } from "./outbox-store.ts";
import type { SessionStore } from "./session-store.ts";
import type { TranscriptStore } from "./transcript-store.ts";
import type { TurnStore } from "./turn-store.ts";

/** What maintenance may forget. */
export interface MaintenanceOptions {
  readonly nowMs: number;
  /** How long a settled input is remembered, for redeliveries (R2). 14 days by default. */
  readonly keepInputsMs?: number;
  /** How long a settled row of the outbox is remembered. 14 days by default. */
  readonly keepOutboxMs?: number;
  /** How long the plain file of a deleted session is kept. 30 days by default. */
  readonly keepDeletedCopiesMs?: number;
  /** How long a model request is kept, for reports. 30 days by default. */
  readonly keepRequestsMs?: number;
  /** How many model requests are kept in all. 20,000 by default. */
  readonly keepRequests?: number;
}

/** Numbers for `status`; each is a count by index, not a scan. */
export interface StoreCounts {
  readonly sessions: number;
  readonly inputsWaiting: number;
  readonly inputsDead: number;
  /** Rows that are not settled, whether custody of them was taken or not. */
  readonly outboxWaiting: number;
  /** When the oldest of these was written; absent when there is none. */
  readonly outboxOldestMs?: number;
  readonly outboxDead: number;
  readonly outboxAmbiguous: number;
  readonly usage: UsageTotals;
}

/**
 * Everything durable. One process owns a store; every method that changes something is one transaction, and it resolves only when that is on disk;
 * those whose name ends in `Ahead` resolve before. Transactions that are ready at the same time may share one flush. Rejects with a `StoreError`.
 *
 * Writers are fenced: after another process has opened the store, every write of this one rejects with `lost-ownership`.
 */
export interface Store extends InboxStore, TurnStore, SessionStore, TranscriptStore, OutboxStore, LedgerStore {
  /** Bytes of the store that are in use; the plain files are not counted. */
  usedBytes(): Promise<number>;
  counts(): Promise<StoreCounts>;
  /** Forgets what is settled and old, a bounded amount per call; true when there is more. Dead letters are never forgotten. */
  maintain(options: MaintenanceOptions): Promise<boolean>;
  /** Writes and flushes something that means nothing. Rejects as every change would, with `full` while nothing can be stored. */
  probe(): Promise<void>;
  /** Waits until the plain copies are complete. */
  flushCopies(): Promise<void>;
  /** Finishes what was begun, completes the copies and closes. Twice is once. */
  close(): Promise<void>;
}
