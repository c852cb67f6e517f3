import type { Clock } from "@factotum/agent-contract";
import { StoreError } from "@factotum/store";
import type { Store } from "@factotum/store";
import type { DiskReserve } from "../src/index.ts";
import { realClock } from "./gateway-harness.ts";

/** The error of every failed write on a full disk. */
export const FULL = "The disk is full: nothing was stored. Free some space; it works again by itself.";

/** A disk that a test fills: then all writes of a store fail, except those that fit into a released reserve. */
export class FullDisk {
  isFull = false;
  /** Writes that fit into the reserve. 0: there is no reserve. */
  readonly #reserved: number;
  #isTaken = false;
  #left = 0;
  /** Number of failed writes. */
  refused = 0;
  /** Writes that succeeded while the disk was full. */
  onReserve = 0;

  constructor(options: { readonly reservedWrites?: number } = {}) {
    this.#reserved = options.reservedWrites ?? 0;
  }

  readonly reserve: DiskReserve = {
    fill: async () => {
      if (this.isFull) throw Object.assign(new Error(FULL), { code: "ENOSPC" });
      this.#isTaken = true;
      this.#left = 0;
    },
    free: async () => {
      const isTaken = this.#isTaken && this.#reserved > 0;
      this.#isTaken = false;
      if (isTaken) this.#left = this.#reserved;
      return isTaken;
    },
  };

  /** The store on this disk. Reads are not affected. */
  readonly around = (store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        const call = value.bind(target) as (...parameters: readonly unknown[]) => Promise<unknown>;
        return /^(read|list|find|export|counts|close)/.test(String(name))
          ? call
          : async (...parameters: readonly unknown[]) => this.#write(async () => call(...parameters));
      },
    });

  async #write(write: () => Promise<unknown>): Promise<unknown> {
    if (!this.isFull) return write();
    if (this.#left === 0) {
      this.refused += 1;
      throw new StoreError("full", FULL);
    }
    this.#left -= 1;
    this.onReserve += 1;
    return write();
  }
}

/** The real time, except for checks of the disk, which the test fires. */
export class LookClock implements Clock {
  readonly now = (): number => realClock.now();
  readonly monotonic = (): number => realClock.monotonic();
  readonly #looks = new Map<() => void, number>();
  /** The delays of all scheduled checks. */
  readonly delays: number[] = [];

  readonly schedule = (delayMs: number, callback: () => void): Disposable => {
    if (delayMs < 1000 || delayMs > 30_000) return realClock.schedule(delayMs, callback);
    this.delays.push(delayMs);
    this.#looks.set(callback, delayMs);
    return { [Symbol.dispose]: () => void this.#looks.delete(callback) };
  };

  /** Fires timers of a second and more. */
  look(): void {
    const due = [...this.#looks.keys()];
    this.#looks.clear();
    for (const callback of due) callback();
  }
}
