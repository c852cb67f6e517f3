import type { UsageTotals } from "@factotum/agent-contract";
import type { AccountStore } from "./account-store.ts";
import type { ApprovalStore } from "./approval-store.ts";
import type { CommandStore } from "./command-store.ts";
import type { CheckpointStore } from "./checkpoint-store.ts";
import type { ExchangeStore } from "./exchange-store.ts";
import type { FocusStore } from "./focus-store.ts";
import type { InboxStore } from "./inbox-store.ts";
import type { JobStore } from "./job-store.ts";
import type { LedgerStore } from "./ledger-store.ts";
import type { OptimisticWrites } from "./optimistic-writes.ts";
import type { OutboxStore } from "./outbox-store.ts";
import type { PairingStore } from "./pairing-store.ts";
import type { SessionStore } from "./session-store.ts";
import type { SpawnStore } from "./spawn-store.ts";
import type { TranscriptStore } from "./transcript-store.ts";
import type { TurnStore } from "./turn-store.ts";

/** Retention limits of maintenance. */
export interface MaintenanceOptions {
  readonly nowMs: number;
  /** How long a settled input is kept, for deduplication (R2). 14 days by default. */
  readonly keepInputsMs?: number;
  /** How long a settled row of the outbox is kept. 14 days by default. */
  readonly keepOutboxMs?: number;
  /** How long the plain file of a deleted session is kept. 30 days by default. */
  readonly keepDeletedCopiesMs?: number;
  /** How long a model request is kept, for reports. 30 days by default. */
  readonly keepRequestsMs?: number;
  /** How many model requests are kept in total. 20,000 by default. */
  readonly keepRequests?: number;
}

/** Counters for `status`; each is read from an index, not by a scan. */
export interface StoreCounts {
  readonly sessions: number;
  readonly inputsWaiting: number;
  readonly inputsDead: number;
  /** Rows that are not settled, claimed or not. */
  readonly outboxWaiting: number;
  /** When the oldest of these was written; absent if there is none. */
  readonly outboxOldestMs?: number;
  readonly outboxDead: number;
  readonly outboxAmbiguous: number;
  readonly usage: UsageTotals;
}

/**
 * Everything durable. One process owns a store; every method that changes something is one transaction and resolves once that is on disk, except
 * those of `OptimisticWrites`. Transactions that are ready at the same time may share one flush. Rejects with a `StoreError`.
 *
 * Writers are fenced: after another process has opened the store, every write of this one rejects with `lost-ownership`.
 */
export interface Store
  extends
    AccountStore,
    ApprovalStore,
    CommandStore,
    ExchangeStore,
    FocusStore,
    InboxStore,
    JobStore,
    PairingStore,
    TurnStore,
    OptimisticWrites,
    SessionStore,
    SpawnStore,
    TranscriptStore,
    OutboxStore,
    LedgerStore,
    CheckpointStore {
  /** Bytes of the database that are in use, without the plain files. */
  usedBytes(): Promise<number>;
  counts(): Promise<StoreCounts>;
  /** Prunes settled rows that are old enough, a bounded number per call; true if there is more. Dead letters are never pruned. */
  maintain(options: MaintenanceOptions): Promise<boolean>;
  /** Commits and flushes a no-op change. Rejects like every write, with `full` while the disk is full. */
  probe(): Promise<void>;
  /** Waits until the plain files are complete. */
  flushCopies(): Promise<void>;
  /** Finishes queued work, completes the plain files and closes. Repeated calls return the same promise. */
  close(): Promise<void>;
}
