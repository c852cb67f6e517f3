import { isDeepStrictEqual } from "node:util";
import type { Clock } from "@factotum/agent-contract";

/** The dependencies of the watch. */
export interface ChangeWatchOptions<Value> {
  /** The current value; cheap. */
  readonly read: () => Value;
  /** Notifies all connected clients of a changed value, `undefined` without a change; false without any client: then polling stops until the next `begin`. */
  readonly notify: (changed: Value | undefined) => boolean;
  /** Milliseconds between two looks. */
  readonly everyMs: number;
  readonly clock: Clock;
}

/** Notifies connected clients when a value has changed that has no events of its own, such as the health of channels. Does not poll without clients. */
export class ChangeWatch<Value extends object> implements Disposable {
  readonly #options: ChangeWatchOptions<Value>;
  #told: Value | undefined;
  #timer: Disposable | undefined;

  constructor(options: ChangeWatchOptions<Value>) {
    this.#options = options;
  }

  /** A client has connected. */
  begin(): void {
    if (this.#timer !== undefined) return;
    this.#told = this.#options.read();
    this.#schedule();
  }

  #schedule(): void {
    const { read, notify, everyMs, clock } = this.#options;
    this.#timer = clock.schedule(everyMs, () => {
      const now = read();
      const hasChanged = !isDeepStrictEqual(now, this.#told);
      this.#told = now;
      if (notify(hasChanged ? now : undefined)) this.#schedule();
      else this.#timer = undefined;
    });
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
