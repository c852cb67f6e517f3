import { Buffer } from "node:buffer";
import type { CommandOutput, OutputPart } from "@factotum/agent-contract";

/** Bytes of the first buffer: most commands write little. */
const FIRST_BYTES = 4_096;

/** The newest output of a command in a ring of bytes, which grows on demand. */
export class OutputRing implements CommandOutput {
  readonly #maxBytes: () => number;
  readonly #onRead: () => void;
  /** The byte at offset `n` of the output is at `n % length`. */
  #buffer = Buffer.alloc(0);
  #length = 0;
  /** Nothing before this offset is kept. */
  #skippedTo = 0;
  #hasEnded = false;
  readonly #waiting = new Set<() => void>();

  /**
   * `maxBytes` is read at each append; what was kept above a smaller value is dropped then. `onRead` is called before each read, and may append what is late.
   */
  constructor(maxBytes: () => number, onRead: () => void = () => undefined) {
    this.#maxBytes = maxBytes;
    this.#onRead = onRead;
  }

  get length(): number {
    this.#onRead();
    return this.#length;
  }

  /** Bytes of memory in use. */
  get usedBytes(): number {
    return this.#buffer.length;
  }

  append(text: string): void {
    const bytes = Buffer.from(text);
    if (bytes.length === 0) return;
    this.#fit(Math.min(this.#keptBytes + bytes.length, this.#maxBytes()));
    const fresh = bytes.subarray(Math.max(0, bytes.length - this.#buffer.length));
    this.#length += bytes.length;
    place(this.#buffer, fresh, this.#length - fresh.length);
    this.wake();
  }

  /** Counts output that is not kept, and drops all before it. */
  skip(bytes: number): void {
    this.#length += bytes;
    this.#skippedTo = this.#length;
  }

  /** Has those who wait for output look again. */
  wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** The command has ended: nothing follows. Keeps at most `maxBytes`. */
  end(maxBytes: number): void {
    this.#hasEnded = true;
    if (this.#buffer.length > maxBytes) this.#resize(maxBytes);
    this.wake();
  }

  read(offset: number, maxBytes: number): OutputPart {
    this.#onRead();
    const from = this.#characterAt(Math.min(Math.max(offset, this.#start), this.#length));
    let to = Math.min(from + Math.max(0, maxBytes), this.#length);
    while (to > from && to < this.#length && isContinuation(this.#byteAt(to))) to -= 1;
    return { text: this.#bytes(from, to).toString("utf8"), offset: from, next: to };
  }

  async changed(length: number, { signal }: { readonly signal: AbortSignal }): Promise<boolean> {
    while (this.length <= length && !this.#hasEnded && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        this.#waiting.add(wake);
        signal.addEventListener("abort", wake, { once: true });
      });
    }
    return this.#length > length;
  }

  get #keptBytes(): number {
    return this.#length - this.#start;
  }

  /** Offset of the oldest kept byte. */
  get #start(): number {
    return Math.max(this.#skippedTo, this.#length - this.#buffer.length);
  }

  /** Makes the ring at least `bytes` long, and no longer than it may be. */
  #fit(bytes: number): void {
    const maxBytes = this.#maxBytes();
    const wanted = bytes > this.#buffer.length ? Math.max(bytes, 2 * this.#buffer.length, FIRST_BYTES) : this.#buffer.length;
    const size = Math.min(wanted, maxBytes);
    if (size !== this.#buffer.length) this.#resize(size);
  }

  #resize(size: number): void {
    const next = Buffer.alloc(size);
    const from = Math.max(this.#start, this.#length - size);
    place(next, this.#bytes(from, this.#length), from);
    this.#buffer = next;
  }

  #byteAt(offset: number): number {
    return this.#buffer[offset % this.#buffer.length] ?? 0;
  }

  /** The start of the next whole character: the oldest kept one may be cut. */
  #characterAt(offset: number): number {
    let at = offset;
    while (at < this.#length && isContinuation(this.#byteAt(at))) at += 1;
    return at;
  }

  #bytes(from: number, to: number): Buffer {
    if (to <= from) return Buffer.alloc(0);
    const at = from % this.#buffer.length;
    const first = this.#buffer.subarray(at, Math.min(at + to - from, this.#buffer.length));
    return first.length === to - from ? first : Buffer.concat([first, this.#buffer.subarray(0, to - from - first.length)]);
  }
}

/** Copies bytes to their place, over the end of the ring. There are at most as many as it holds. */
function place(ring: Buffer, bytes: Buffer, offset: number): void {
  if (bytes.length === 0) return;
  const at = offset % ring.length;
  const copied = bytes.copy(ring, at);
  if (copied < bytes.length) bytes.copy(ring, 0, copied);
}

function isContinuation(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}
