import { Buffer } from "node:buffer";

/** Collects text of any length in bounded memory: the beginning and the end stay, the middle is counted and dropped. */
export class CappedOutput {
  readonly #maxBytes: number;
  readonly #headMaxBytes: number;
  #head = "";
  #headBytes = 0;
  #headOpen = true;
  #tail = "";
  #totalBytes = 0;

  /** `maxBytes` counts UTF-8 bytes of what is kept, the omission mark not included. Half of it is for the beginning. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#headMaxBytes = Math.ceil(maxBytes / 2);
  }

  append(text: string): void {
    if (text === "") return;
    this.#totalBytes += Buffer.byteLength(text);
    const rest = this.#headOpen ? this.#fillHead(text) : text;
    this.#tail += rest;
    // A UTF-16 unit is at least one byte: this many units always hold the last `maxBytes` bytes.
    if (this.#tail.length > 2 * this.#maxBytes) this.#tail = this.#tail.slice(-this.#maxBytes);
  }

  /** What was kept, whole if nothing had to go, else with a line that says how much is missing. */
  toString(): string {
    const tail = lastBytes(this.#tail, this.#maxBytes - this.#headBytes);
    const omittedBytes = this.#totalBytes - this.#headBytes - Buffer.byteLength(tail);
    if (omittedBytes === 0) return this.#head + tail;
    return `${this.#head}\n[… ${omittedBytes} bytes of output left out …]\n${tail}`;
  }

  #fillHead(text: string): string {
    const head = firstBytes(text, this.#headMaxBytes - this.#headBytes);
    this.#head += head;
    this.#headBytes += Buffer.byteLength(head);
    this.#headOpen = head.length === text.length;
    return text.slice(head.length);
  }
}

/** The longest beginning of `text` that is at most `maxBytes` long and splits no character. */
function firstBytes(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, maxBytes)));
  return text.slice(0, read);
}

/** The longest end of `text` that is at most `maxBytes` long and splits no character. */
function lastBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  let start = Math.max(0, bytes.length - Math.max(0, maxBytes));
  while (start < bytes.length && isContinuation(bytes[start])) start += 1;
  return bytes.toString("utf8", start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
