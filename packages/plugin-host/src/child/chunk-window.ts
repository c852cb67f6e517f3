/** Chunks of one answer that may be on their way before the gateway takes one. */
const WINDOW_CHUNKS = 32;

/** Holds a plugin back that writes its answer faster than the gateway takes it. */
export class ChunkWindow implements Disposable {
  readonly #signal: AbortSignal;
  #left = WINDOW_CHUNKS;
  #wake: () => void = () => undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#end);
  }

  /** Lets so many further chunks through. */
  open(chunks: number): void {
    this.#left += chunks;
    this.#wake();
  }

  /** Notes a sent chunk; resolves when another one may follow, or the answer is no longer awaited. */
  async taken(): Promise<void> {
    this.#left -= 1;
    while (this.#left <= 0 && !this.#signal.aborted) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener("abort", this.#end);
  }

  readonly #end = (): void => this.#wake();
}
