import { ModelError, type Clock } from "@factotum/agent-contract";

/** The first pause after a failure; each further one doubles it. */
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 30 * 60_000;

/** Whether the model of embeddings works: after a failure it is left alone for a while, so that no search waits for it. */
export class EmbeddingHealth {
  readonly #clock: Clock;
  #failures = 0;
  #pausedUntilMs = 0;
  #problem: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Why the newest request failed; `undefined` once one has been answered. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Milliseconds until it may be asked again; 0 if now. */
  get pauseMs(): number {
    return Math.max(0, this.#pausedUntilMs - this.#clock.monotonic());
  }

  answered(): void {
    this.#failures = 0;
    this.#pausedUntilMs = 0;
    this.#problem = undefined;
  }

  failed(error: unknown): void {
    const asked = ModelError.isInstance(error) && error.retry.type === "after" ? error.retry.delayMs : 0;
    const pauseMs = Math.max(asked, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures));
    this.#failures += 1;
    this.#pausedUntilMs = this.#clock.monotonic() + pauseMs;
    this.#problem = error instanceof Error ? error.message : "it failed for an unknown reason";
  }
}
