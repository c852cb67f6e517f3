import type { Clock } from "@factotum/agent-contract";
import type { OutboxRecord } from "@factotum/store";
import { OUTBOX_TTL_MS } from "./retry-policy.ts";

/** Maximum wait read from disk for a row that no attempt has delayed, so that a wrong clock cannot cost a day. */
const MAX_STORED_WAIT_MS: number = 15 * 60 * 1000;

interface Times {
  readonly dueMs: number;
  readonly expiresMs: number;
  /** Age when it was taken, by the times on disk. */
  readonly ageMs: number;
  readonly takenMs: number;
}

/**
 * When rows are due and when they expire, on the monotonic clock: wall-clock times are read once, when a row is taken, and later clock jumps have no effect.
 * Has the rows that the dispatcher holds.
 */
export class RowSchedule {
  readonly #clock: Clock;
  readonly #times = new Map<string, Times>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a row that was just committed, or that the last process left. */
  take(row: OutboxRecord): void {
    const [wallMs, takenMs] = [this.#clock.now(), this.#clock.monotonic()];
    // If the clock is behind the row's creation, it was set back and cannot be used for the row.
    const waitMs = wallMs < row.createdAtMs ? row.dueAtMs - row.createdAtMs : row.dueAtMs - wallMs;
    this.#times.set(row.id, {
      dueMs: takenMs + Math.min(Math.max(0, waitMs), delayOf(row) ?? MAX_STORED_WAIT_MS),
      expiresMs: takenMs + Math.min(row.expiresAtMs - wallMs, OUTBOX_TTL_MS),
      ageMs: Math.max(0, wallMs - row.createdAtMs),
      takenMs,
    });
  }

  /** Adds a row that replaces another, with the lifetime that one had left. */
  takeInPlaceOf(row: OutboxRecord, replaced: OutboxRecord): void {
    this.take(row);
    this.#change(row, { expiresMs: this.#of(replaced).expiresMs });
  }

  /** Schedules another attempt after a delay. */
  putOff(row: OutboxRecord, delayMs: number): void {
    this.#change(row, { dueMs: this.#clock.monotonic() + delayMs });
  }

  /** Milliseconds until it is due or expires. */
  waitMs(row: OutboxRecord): number {
    const { dueMs, expiresMs } = this.#of(row);
    return Math.max(0, Math.min(dueMs, expiresMs) - this.#clock.monotonic());
  }

  isExpired(row: OutboxRecord): boolean {
    return this.#clock.monotonic() >= this.#of(row).expiresMs;
  }

  /** Milliseconds until it expires. */
  leftMs(row: OutboxRecord): number {
    return Math.max(0, this.#of(row).expiresMs - this.#clock.monotonic());
  }

  /** Age of a row; clock jumps count only before it was taken. */
  ageMs(row: OutboxRecord): number {
    const { ageMs, takenMs } = this.#of(row);
    return ageMs + this.#clock.monotonic() - takenMs;
  }

  forget(row: OutboxRecord): void {
    this.#times.delete(row.id);
  }

  #of(row: OutboxRecord): Times {
    const known = this.#times.get(row.id);
    if (known !== undefined) return known;
    this.take(row);
    return this.#of(row);
  }

  #change(row: OutboxRecord, change: Partial<Times>): void {
    this.#times.set(row.id, { ...this.#of(row), ...change });
  }
}

/** The delay that the last attempt was answered with is kept across a restart, and no wrong clock makes it longer. */
function delayOf({ state }: OutboxRecord): number | undefined {
  return state.type === "waiting" ? state.delay?.delayMs : undefined;
}
