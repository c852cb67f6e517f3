import type { ChannelCapabilities, SendReceipt } from "@factotum/channel-contract";

/** Milliseconds between two changes of a preview, unless its platform wants more. */
const INTERVAL_MS = 1_000;
const MAX_INTERVAL_MS = 60_000;

/** How often a preview changes: at an interval that grows as the platform's edits run out, or as it asks for. One edit is left for the final text. */
export class PreviewPace {
  readonly #intervalMs: number;
  readonly #most: number;
  readonly #monotonic: () => number;
  #changes = 0;
  #slower = 1;
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  constructor({ maxPerMessage, minIntervalMs = 0 }: NonNullable<ChannelCapabilities["edits"]>, monotonic: () => number) {
    this.#intervalMs = Math.max(INTERVAL_MS, minIntervalMs);
    // The message itself is no edit.
    this.#most = maxPerMessage ?? Number.POSITIVE_INFINITY;
    this.#monotonic = monotonic;
  }

  /** Nothing but the final text may change the message any more. */
  get isSpent(): boolean {
    return this.#changes >= this.#most;
  }

  /** How long to wait from now. */
  delayMs(): number {
    const quarters = Number.isFinite(this.#most) ? Math.floor((this.#changes / this.#most) * 4) : 0;
    const intervalMs = Math.min(MAX_INTERVAL_MS, this.#intervalMs * 2 ** quarters * this.#slower);
    return Math.max(intervalMs, this.#notBeforeMs - this.#monotonic());
  }

  /** What the platform said to a change. */
  note(receipt: SendReceipt): void {
    if (receipt.type !== "rejected") {
      this.#changes += 1;
      return;
    }
    if (receipt.code !== "rate-limited") return;
    this.#slower *= 2;
    if (receipt.retry.type === "after") this.#notBeforeMs = this.#monotonic() + receipt.retry.delayMs;
  }
}
