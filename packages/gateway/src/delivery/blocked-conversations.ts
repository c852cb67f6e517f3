import type { Clock } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import type { OutboxRecord } from "@factotum/store";
import { conversationKey } from "../kernel/conversation-key.ts";

/** From this delay of a message on, people are told about it. */
const LATE_MS = 15 * 60_000;

/** A conversation whose first unsent message waits for another try. Times are of the wall clock, as they were when it began to wait. */
export interface BlockedConversation {
  readonly sessionKey: string;
  readonly target: Origin;
  /** Since when its first unsent message has existed. */
  readonly sinceMs: number;
  /** Begins with the code of the last receipt. */
  readonly reason: string;
  readonly nextTryMs: number;
  /** Its first message will be late when it leaves at the next try. */
  readonly isLate: boolean;
}

/** Why and how long a row waits. */
export interface RowBlock {
  readonly reason: string;
  readonly ageMs: number;
  readonly waitMs: number;
}

/** What keeps the heads of the dispatcher's queues from leaving. */
export class BlockedConversations {
  readonly #clock: Clock;
  readonly #onLate: (row: OutboxRecord, blocked: BlockedConversation) => void;
  readonly #blocked = new Map<string, BlockedConversation>();
  /** Rows about which people were told, by their conversation. */
  readonly #told = new Map<string, string>();

  constructor(clock: Clock, onLate: (row: OutboxRecord, blocked: BlockedConversation) => void) {
    this.#clock = clock;
    this.#onLate = onLate;
  }

  /** The first row of a conversation begins to wait, or goes on waiting. Calls `onLate` once for a row that will leave late. */
  record(row: OutboxRecord, { reason, ageMs, waitMs }: RowBlock): void {
    const key = conversationKey(row.target);
    const nowMs = this.#clock.now();
    const isLate = ageMs + waitMs >= LATE_MS;
    const { sessionKey, target } = row;
    const blocked = { sessionKey, target, sinceMs: Math.round(nowMs - ageMs), reason, nextTryMs: Math.round(nowMs + waitMs), isLate };
    this.#blocked.set(key, blocked);
    if (!isLate || this.#told.get(key) === row.id) return;
    this.#told.set(key, row.id);
    this.#onLate(row, blocked);
  }

  /** The first row has left, or was given up. */
  clear(key: string): void {
    this.#blocked.delete(key);
    this.#told.delete(key);
  }

  /** The one that has waited longest comes first. */
  list(): readonly BlockedConversation[] {
    return [...this.#blocked.values()].toSorted((one, other) => one.sinceMs - other.sinceMs);
  }
}
