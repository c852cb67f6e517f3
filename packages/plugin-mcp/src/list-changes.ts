import type { Clock } from "@factotum/agent-contract";

/** Changes are awaited this long, and read at most this often. */
const DELAY_MS = 1_000;

/** Reads a list that has changed: changes that follow each other are read once, and one during a read is read afterwards, because the answer may be older. */
export class ListChanges implements Disposable {
  readonly #clock: Clock;
  readonly #read: (key: string) => Promise<void>;
  #timer: Disposable | undefined;
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
    this.#timer = this.#clock.schedule(DELAY_MS, () => {
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
