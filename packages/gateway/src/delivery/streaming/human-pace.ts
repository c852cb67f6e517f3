import type { Random } from "@factotum/agent-contract";
import type { HumanDelayConfig } from "@factotum/config";

const NATURAL = { minMs: 800, maxMs: 2_500 };

/** Spaces the messages of one answer like a person would; the first one is never delayed. */
export class HumanPace {
  readonly #config: HumanDelayConfig;
  readonly #random: Pick<Random, "float">;
  readonly #now: () => number;
  #lastMs: number | undefined;
  #seenMs: number = Number.NEGATIVE_INFINITY;

  constructor(config: HumanDelayConfig, options: { readonly random: Pick<Random, "float">; readonly now: () => number }) {
    this.#config = config;
    this.#random = options.random;
    this.#now = options.now;
  }

  /** Records the due time of a message that was planned without `next`. */
  record(dueMs: number): void {
    this.#lastMs = Math.max(this.#lastMs ?? dueMs, dueMs);
  }

  /** Returns the due time of the next message and records it. */
  next(): number {
    const nowMs = this.#now();
    // When the clock was set back, earlier due times move with it.
    if (this.#lastMs !== undefined && nowMs < this.#seenMs) this.#lastMs -= this.#seenMs - nowMs;
    this.#seenMs = nowMs;
    const { mode } = this.#config;
    const { minMs, maxMs } = mode === "custom" ? this.#config : NATURAL;
    const delayMs =
      mode === "off" || this.#lastMs === undefined ? 0 : minMs + Math.floor(this.#random.float() * Math.max(0, maxMs - minMs + 1));
    const dueMs = Math.max(nowMs, this.#lastMs ?? nowMs) + delayMs;
    this.#lastMs = dueMs;
    return mode === "off" ? nowMs : dueMs;
  }
}
