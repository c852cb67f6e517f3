import type { Clock } from "@factotum/agent-contract";

/** Changes are awaited this long, and read at most this often. */
const DELAY_MS = 1_000;
/** The pause doubles with each change, up to this one, and is short again after as long without a change. */
const MAX_DELAY_MS = 60_000;

/**
 * Reads a list that has changed: changes that follow each other are read once, and one during a read is read afterwards, because the answer may be older. A
 * server whose list changes all the time is asked for it less and less often.
 */
export class ListChanges implements Disposable {
  readonly #clock: Clock;
  readonly #read: (key: string) => Promise<void>;
  #timer: Disposable | undefined;
  #delayMs = DELAY_MS;
  #readMs = Number.NEGATIVE_INFINITY;
  /** The place whose server has changed its list again. */
  #changedAgain: string | undefined;
  #isOver = false;

  /** `read` gets the key of the place whose server has changed its list, and never rejects. */
  constructor(clock: Clock, read: (key: string) => Promise<void>) {
    this.#clock = clock;
    this.#read = read;
  }

  /** The server of a place says that its list has changed. */
  report(key: string): void {
    if (this.#isOver) return;
    if (this.#timer !== undefined) {
      this.#changedAgain = key;
      return;
    }
    const isQuiet = this.#clock.monotonic() - this.#readMs > MAX_DELAY_MS;
    this.#delayMs = isQuiet ? DELAY_MS : Math.min(2 * this.#delayMs, MAX_DELAY_MS);
    this.#timer = this.#clock.schedule(this.#delayMs, () => {
      this.#readMs = this.#clock.monotonic();
      this.#changedAgain = undefined;
      void this.#read(key).finally(() => {
        this.#timer = undefined;
        if (this.#changedAgain !== undefined) this.report(this.#changedAgain);
      });
    });
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
  }
}
