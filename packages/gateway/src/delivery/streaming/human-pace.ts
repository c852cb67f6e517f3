import type { Random } from "@factotum/agent-contract";
import type { HumanDelayConfig } from "@factotum/config";

const NATURAL = { minMs: 800, maxMs: 2_500 };

/** Lets the messages of one answer come at the pace of a person: never a delay before the first one. */
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

  /** A message of the turn was due at this time: it was the first one, or a later one. */
  note(dueMs: number): void {
    this.#lastMs = Math.max(this.#lastMs ?? dueMs, dueMs);
  }

  /** When the next one is due; it counts as sent then. */
  next(): number {
    const nowMs = this.#now();
    // A clock that is set back takes along what is due by it.
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
