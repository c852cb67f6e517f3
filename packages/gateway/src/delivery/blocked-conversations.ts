import type { Clock } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import type { OutboxRecord } from "@factotum/store";

/** People are notified of messages that are delayed for longer than this. */
const LATE_MS = 15 * 60_000;

/** A conversation whose first unsent message waits for a retry. Times are wall-clock times from when the wait began. */
export interface BlockedConversation {
  readonly sessionKey: string;
  readonly target: Origin;
  /** When its first unsent message was created. */
  readonly sinceMs: number;
  /** Starts with the code of the last receipt. */
  readonly reason: string;
  readonly nextTryMs: number;
  /** True if its first message will be late even if the next attempt succeeds. */
  readonly isLate: boolean;
}

/** Why and how long a row waits. */
export interface RowBlock {
  readonly reason: string;
  readonly ageMs: number;
  readonly waitMs: number;
}

/** Tracks which conversations are blocked by the first row of their queue. */
export class BlockedConversations {
  readonly #clock: Clock;
  readonly #onLate: (row: OutboxRecord, blocked: BlockedConversation) => void;
  readonly #blocked = new Map<string, BlockedConversation>();
  /** Rows that people were notified about, by conversation. */
  readonly #told = new Map<string, string>();

  constructor(clock: Clock, onLate: (row: OutboxRecord, blocked: BlockedConversation) => void) {
    this.#clock = clock;
    this.#onLate = onLate;
  }

  /** Records that the first row of a conversation waits; `key` is the key of its queue. Calls `onLate` once per row that will be late. */
  record(key: string, row: OutboxRecord, { reason, ageMs, waitMs }: RowBlock): void {
    const nowMs = this.#clock.now();
    const isLate = ageMs + waitMs >= LATE_MS;
    const { sessionKey, target } = row;
    const blocked = { sessionKey, target, sinceMs: Math.round(nowMs - ageMs), reason, nextTryMs: Math.round(nowMs + waitMs), isLate };
    this.#blocked.set(key, blocked);
    if (!isLate || this.#told.get(key) === row.id) return;
    this.#told.set(key, row.id);
    this.#onLate(row, blocked);
  }

  /** The first row was sent or given up. */
  clear(key: string): void {
    this.#blocked.delete(key);
    this.#told.delete(key);
  }

  /** Longest wait first. */
  list(): readonly BlockedConversation[] {
    return [...this.#blocked.values()].toSorted((one, other) => one.sinceMs - other.sinceMs);
  }
}
