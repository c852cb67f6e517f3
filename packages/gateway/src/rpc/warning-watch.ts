import { isDeepStrictEqual } from "node:util";
import type { Clock } from "@factotum/agent-contract";
import type { GatewayWarning } from "@factotum/protocol";

/** How often is looked while somebody is connected: health of channels is evidence that is asked for, and comes by no event. */
const LOOK_MS = 5_000;

/** What the watch works with. */
export interface WarningWatchOptions {
  /** The warnings of now; cheap. */
  readonly read: () => readonly GatewayWarning[];
  /** Tells everybody who is connected; false when nobody is: then looking ends until the next `begin`. */
  readonly tell: (warnings: readonly GatewayWarning[] | undefined) => boolean;
  readonly clock: Clock;
}

/** Tells connected clients when the warnings of the gateway have changed. Looks at nothing while nobody is connected. */
export class WarningWatch implements Disposable {
  readonly #options: WarningWatchOptions;
  #told: readonly GatewayWarning[] = [];
  #timer: Disposable | undefined;

  constructor(options: WarningWatchOptions) {
    this.#options = options;
  }

  /** Somebody has connected. */
  begin(): void {
    if (this.#timer !== undefined) return;
    this.#told = this.#options.read();
    this.#schedule();
  }

  #schedule(): void {
    this.#timer = this.#options.clock.schedule(LOOK_MS, () => {
      const now = this.#options.read();
      const hasChanged = !isDeepStrictEqual(now, this.#told);
      this.#told = now;
      if (this.#options.tell(hasChanged ? now : undefined)) this.#schedule();
      else this.#timer = undefined;
    });
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
