import type { Clock } from "@factotum/agent-contract";

/** How often a process rebuilds its database within an hour: with a disk that damages it repeatedly, that does not help. */
const MAX_RECOVERIES = 3;
const WINDOW_MS = 60 * 60_000;

/** Counts the recoveries of one process. Those far apart are unrelated. */
export class RecoveryLimit {
  readonly #clock: Pick<Clock, "monotonic">;
  #startedAt: readonly number[] = [];

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Counts one more; false if there were too many recently. */
  take(): boolean {
    const now = this.#clock.monotonic();
    this.#startedAt = this.#startedAt.filter((at) => now - at < WINDOW_MS);
    if (this.#startedAt.length >= MAX_RECOVERIES) return false;
    this.#startedAt = [...this.#startedAt, now];
    return true;
  }
}
