import { EventEmitter, once } from "node:events";
import { PluginError } from "./plugin-error.ts";

/** A plugin that holds a place. */
export interface PlaceHolder {
  readonly isBusy: boolean;
  stop(why: string): void;
}

/** Bounds how many plugins have a process: the one that waits longest for a call makes room. */
export class PluginPlaces {
  readonly #max: number;
  /** The one that took its place first comes first. */
  readonly #holders = new Map<object, PlaceHolder>();
  readonly #events = new EventEmitter<{ changed: [] }>();

  constructor(max: number) {
    this.#max = max;
    this.#events.setMaxListeners(0);
  }

  /** Number of plugins with a process. */
  get taken(): number {
    return this.#holders.size;
  }

  /** Resolves with a place once there is one; disposing gives it back. Rejects when the signal fires. */
  async take(holder: PlaceHolder, signal: AbortSignal): Promise<Disposable> {
    while (this.#holders.size >= this.#max) {
      [...this.#holders.values()].find(({ isBusy }) => !isBusy)?.stop("another plugin needs its place");
      try {
        await once(this.#events, "changed", { signal });
      } catch (error) {
        throw new PluginError("busy", `${this.#max} other plugins are busy`, { cause: error });
      }
    }
    const place = {};
    this.#holders.set(place, holder);
    return {
      [Symbol.dispose]: () => {
        this.#holders.delete(place);
        this.changed();
      },
    };
  }

  /** A plugin became idle, or its place free. */
  changed(): void {
    this.#events.emit("changed");
  }
}
