import type { ChannelCapabilities, SendReceipt } from "@factotum/channel-contract";

/** Minimum milliseconds between two changes of a preview; platforms may require more. */
const INTERVAL_MS = 1_000;
const MAX_INTERVAL_MS = 60_000;

/** The interval between changes of a preview: it grows as the platform's allowed edits run out or when it rate-limits. One edit is reserved for the final text. */
export class PreviewPace {
  readonly #intervalMs: number;
  readonly #most: number;
  readonly #monotonic: () => number;
  #changes = 0;
  #slower = 1;
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  constructor({ maxPerMessage, minIntervalMs = 0 }: NonNullable<ChannelCapabilities["edits"]>, monotonic: () => number) {
    this.#intervalMs = Math.max(INTERVAL_MS, minIntervalMs);
    // Sending the message is not an edit.
    this.#most = maxPerMessage ?? Number.POSITIVE_INFINITY;
    this.#monotonic = monotonic;
  }

  /** True if only the edit for the final text is left. */
  get isSpent(): boolean {
    return this.#changes >= this.#most;
  }

  /** Milliseconds until the next change. */
  delayMs(): number {
    const quarters = Number.isFinite(this.#most) ? Math.floor((this.#changes / this.#most) * 4) : 0;
    const intervalMs = Math.min(MAX_INTERVAL_MS, this.#intervalMs * 2 ** quarters * this.#slower);
    return Math.max(intervalMs, this.#notBeforeMs - this.#monotonic());
  }

  /** Records the receipt of a change. */
  record(receipt: SendReceipt): void {
    if (receipt.type !== "rejected") {
      this.#changes += 1;
      return;
    }
    if (receipt.code !== "rate-limited") return;
    this.#slower *= 2;
    if (receipt.retry.type === "after") this.#notBeforeMs = this.#monotonic() + receipt.retry.delayMs;
  }
}
