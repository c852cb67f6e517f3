import { plural } from "@factotum/agent-contract";
import { Buffer } from "node:buffer";

/** Redacts secrets in output. */
export interface OutputRedactor {
  /** Maximum characters of one secret in a text, including possible line breaks. */
  readonly maxSecretChars: number;
  redact(text: string): string;
  /** The same for a text in chunks: holds back the possible start of a secret until `flush`. */
  stream(emit: (text: string) => void): { readonly push: (text: string) => void; readonly flush: () => void };
}

/** Redacts nothing. */
export const NO_REDACTION: OutputRedactor = {
  maxSecretChars: 0,
  redact: (text) => text,
  stream: (emit) => ({ push: emit, flush: () => {} }),
};

/** Collects text of any length in bounded memory: keeps the beginning and the end, counts and drops the middle. Redacts before it cuts. */
export class CappedOutput {
  readonly #maxBytes: number;
  readonly #redactor: OutputRedactor;
  /** Raw and longer than the visible part: a secret at a cut is complete in it. */
  #head = "";
  #tail = "";
  #totalBytes = 0;
  #dropped = false;

  /** `maxBytes` counts UTF-8 bytes of the kept text, without the omission mark. Half of it is for the beginning. */
  constructor(maxBytes: number, redactor: OutputRedactor = NO_REDACTION) {
    this.#maxBytes = maxBytes;
    this.#redactor = redactor;
  }

  append(text: string): void {
    this.#totalBytes += Buffer.byteLength(text);
    // A UTF-16 unit is at least one byte: this many units always cover the visible part.
    const maxChars = this.#maxBytes + this.#redactor.maxSecretChars;
    const room = this.#tail === "" ? Math.max(0, maxChars - this.#head.length) : 0;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    if (this.#tail.length <= 2 * maxChars) return;
    this.#tail = this.#tail.slice(-maxChars);
    this.#dropped = true;
  }

  /** The kept text, complete if nothing was dropped, else with a line that says how much is missing. */
  toString(): string {
    const whole = this.#dropped ? undefined : this.#redactor.redact(this.#head + this.#tail);
    const totalBytes = whole === undefined ? this.#totalBytes : Buffer.byteLength(whole);
    if (whole !== undefined && totalBytes <= this.#maxBytes) return whole;
    const head = firstBytes(whole ?? this.#settledHead(), Math.ceil(this.#maxBytes / 2));
    const tail = lastBytes(whole ?? this.#settledTail(), this.#maxBytes - Buffer.byteLength(head));
    const omittedBytes = totalBytes - Buffer.byteLength(head) - Buffer.byteLength(tail);
    return `${head}\n[… ${plural(omittedBytes, "byte")} of output left out …]\n${tail}`;
  }

  /** The beginning, without the possible start of a secret. */
  #settledHead(): string {
    let settled = "";
    this.#redactor.stream((text) => (settled += text)).push(this.#head);
    return settled;
  }

  /** The end, without the possible end of a secret. */
  #settledTail(): string {
    return this.#redactor.redact(this.#tail).slice(this.#redactor.maxSecretChars);
  }
}

/** The longest prefix of `text` of at most `maxBytes` that splits no character. */
function firstBytes(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, maxBytes)));
  return text.slice(0, read);
}

/** The longest suffix of `text` of at most `maxBytes` that splits no character. */
function lastBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  let start = Math.max(0, bytes.length - Math.max(0, maxBytes));
  while (start < bytes.length && isContinuation(bytes[start])) start += 1;
  return bytes.toString("utf8", start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
