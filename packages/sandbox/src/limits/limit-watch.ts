import type { Clock, Logger } from "@factotum/agent-contract";
import type { ChildIdentity } from "../host/child-family.ts";
import { findExcess } from "./command-limits.ts";
import type { CommandLimits, Excess } from "./command-limits.ts";
import { measureCommands } from "./measure-commands.ts";

const INTERVAL_MS = 250;
/** Measuring takes at most this fraction (one part in N) of the time. */
const MIN_IDLE_FACTOR = 20;
const MAX_INTERVAL_MS = 5_000;

interface Watched {
  readonly child: ChildIdentity;
  readonly stop: (excess: Excess) => void;
}

export interface LimitWatchOptions {
  readonly clock: Clock;
  readonly logger: Pick<Logger, "warn">;
  /** The current limits. */
  readonly limits: () => CommandLimits;
}

/**
 * Counts and measures the processes of all running commands on a timer. If they exceed a limit together, the command with the largest share is stopped. A
 * command that ends within the first interval is never measured.
 */
export class LimitWatch {
  readonly #options: LimitWatchOptions;
  readonly #watched = new Set<Watched>();
  /** A measurement is running, or the next one is scheduled. */
  #isMeasuring = false;
  #failed = false;

  constructor(options: LimitWatchOptions) {
    this.#options = options;
  }

  /** Watches a command until the result is disposed. `stop` is called at most once. */
  add(child: ChildIdentity, stop: (excess: Excess) => void): Disposable {
    const watched = { child, stop };
    this.#watched.add(watched);
    if (!this.#isMeasuring) this.#schedule(INTERVAL_MS);
    return { [Symbol.dispose]: () => void this.#watched.delete(watched) };
  }

  #schedule(delayMs: number): void {
    this.#isMeasuring = true;
    this.#options.clock.schedule(delayMs, () => void this.#check());
  }

  async #check(): Promise<void> {
    const { clock, logger } = this.#options;
    const startedMs = clock.monotonic();
    try {
      await this.#stopLargest();
      this.#failed = false;
    } catch (error) {
      // Once, not four times a second.
      if (!this.#failed)
        logger.warn("The processes of running commands could not be measured; their limits do not hold meanwhile", { error });
      this.#failed = true;
    }
    const pauseMs = Math.max(INTERVAL_MS, (clock.monotonic() - startedMs) * MIN_IDLE_FACTOR);
    if (this.#watched.size === 0) this.#isMeasuring = false;
    else this.#schedule(Math.min(pauseMs, MAX_INTERVAL_MS));
  }

  async #stopLargest(): Promise<void> {
    const watched = [...this.#watched];
    if (watched.length === 0) return;
    const allowed = this.#options.limits();
    const usages = await measureCommands(
      watched.map(({ child }) => child),
      allowed.maxMemoryBytes,
    );
    const found = findExcess(usages, allowed);
    const largest = found === undefined ? undefined : watched[found.index];
    if (found === undefined || largest === undefined) return;
    if (this.#watched.delete(largest)) largest.stop(found.excess);
  }
}
