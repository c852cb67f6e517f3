import { isDeepStrictEqual } from "node:util";
import type { Clock } from "@factotum/agent-contract";
import type { GatewayWarning } from "@factotum/protocol";

/** Polling interval while a client is connected: the health of channels has no events. */
const LOOK_MS = 5_000;

/** The dependencies of the watch. */
export interface WarningWatchOptions {
  /** The current warnings; cheap. */
  readonly read: () => readonly GatewayWarning[];
  /** Notifies all connected clients; false without any: then polling stops until the next `begin`. */
  readonly notify: (warnings: readonly GatewayWarning[] | undefined) => boolean;
  readonly clock: Clock;
}

/** Notifies connected clients when the warnings of the gateway have changed. Does not poll without clients. */
export class WarningWatch implements Disposable {
  readonly #options: WarningWatchOptions;
  #told: readonly GatewayWarning[] = [];
  #timer: Disposable | undefined;

  constructor(options: WarningWatchOptions) {
    this.#options = options;
  }

  /** A client has connected. */
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
      if (this.#options.notify(hasChanged ? now : undefined)) this.#schedule();
      else this.#timer = undefined;
    });
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
