import { Buffer } from "node:buffer";

/** Takes secrets out of output. */
export interface OutputRedactor {
  /** Characters that one secret takes in a text at most, with the line breaks that may stand in it. */
  readonly maxSecretChars: number;
  redact(text: string): string;
  /** The same for a text in chunks: holds back what may be the beginning of a secret until `flush`. */
  stream(emit: (text: string) => void): { readonly push: (text: string) => void; readonly flush: () => void };
}

/** Changes nothing. */
export const NO_REDACTION: OutputRedactor = {
  maxSecretChars: 0,
  redact: (text) => text,
  stream: (emit) => ({ push: emit, flush: () => {} }),
};

/** Collects text of any length in bounded memory: the beginning and the end stay, the middle is counted and dropped. Redacted before it is cut. */
export class CappedOutput {
  readonly #maxBytes: number;
  readonly #redactor: OutputRedactor;
  /** As they came, longer than what is shown: a secret at a cut is there as a whole. */
  #head = "";
  #tail = "";
  #totalBytes = 0;
  #dropped = false;

  /** `maxBytes` counts UTF-8 bytes of what is kept, the omission mark not included. Half of it is for the beginning. */
  constructor(maxBytes: number, redactor: OutputRedactor = NO_REDACTION) {
    this.#maxBytes = maxBytes;
    this.#redactor = redactor;
  }

  append(text: string): void {
    this.#totalBytes += Buffer.byteLength(text);
    // A UTF-16 unit is at least one byte: this many units always hold what is shown.
    const maxChars = this.#maxBytes + this.#redactor.maxSecretChars;
    const room = this.#tail === "" ? Math.max(0, maxChars - this.#head.length) : 0;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    if (this.#tail.length <= 2 * maxChars) return;
    this.#tail = this.#tail.slice(-maxChars);
    this.#dropped = true;
  }

  /** What was kept, whole if nothing had to go, else with a line that says how much is missing. */
  toString(): string {
    const whole = this.#dropped ? undefined : this.#redactor.redact(this.#head + this.#tail);
    const totalBytes = whole === undefined ? this.#totalBytes : Buffer.byteLength(whole);
    if (whole !== undefined && totalBytes <= this.#maxBytes) return whole;
    const head = firstBytes(whole ?? this.#settledHead(), Math.ceil(this.#maxBytes / 2));
    const tail = lastBytes(whole ?? this.#settledTail(), this.#maxBytes - Buffer.byteLength(head));
    const omittedBytes = totalBytes - Buffer.byteLength(head) - Buffer.byteLength(tail);
    return `${head}\n[… ${omittedBytes} bytes of output left out …]\n${tail}`;
  }

  /** The beginning without what may be the first part of a secret. */
  #settledHead(): string {
    let settled = "";
    this.#redactor.stream((text) => (settled += text)).push(this.#head);
    return settled;
  }

  /** The end without what may be the last part of a secret. */
  #settledTail(): string {
    return this.#redactor.redact(this.#tail).slice(this.#redactor.maxSecretChars);
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
