import type { Clock } from "@factotum/agent-contract";

/** Wrong tokens of one address before the first delay. */
const FREE_ATTEMPTS = 5;
const FIRST_DELAY_MS = 5000;
const MAX_DELAY_MS = 60_000;
/** An address without a wrong token for this long starts again. */
const FORGET_AFTER_MS = 15 * 60_000;
/** Maximum addresses remembered; the one with the oldest last wrong token is dropped first. */
const MAX_ADDRESSES = 1000;

interface Attempts {
  readonly count: number;
  readonly lastAtMs: number;
  readonly delayedUntilMs: number;
}

/** Counts wrong tokens by address and delays further attempts: after five, 5 s, doubled with each one up to a minute. */
export class TokenBackoff {
  readonly #clock: Pick<Clock, "monotonic">;
  /** In the order of the last wrong token. */
  readonly #attempts = new Map<string, Attempts>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Milliseconds until the address may try again; 0 if it may now. */
  delayMs(address: string): number {
    return Math.max(0, (this.#attempts.get(address)?.delayedUntilMs ?? 0) - this.#clock.monotonic());
  }

  recordWrong(address: string): void {
    const nowMs = this.#clock.monotonic();
    const before = this.#attempts.get(address);
    const count = before === undefined || nowMs - before.lastAtMs >= FORGET_AFTER_MS ? 1 : before.count + 1;
    const delayMs = count < FREE_ATTEMPTS ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - FREE_ATTEMPTS));
    this.#attempts.delete(address);
    this.#attempts.set(address, { count, lastAtMs: nowMs, delayedUntilMs: nowMs + delayMs });
    const [oldest] = this.#attempts.keys();
    if (oldest !== undefined && this.#attempts.size > MAX_ADDRESSES) this.#attempts.delete(oldest);
  }

  recordRight(address: string): void {
    this.#attempts.delete(address);
  }
}
