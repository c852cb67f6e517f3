const MAX_HEADER_BYTES = 8_192;
/** Bytes of one message. */
const MAX_MESSAGE_BYTES = 12_000_000;

const HEADER_END = Buffer.from("\r\n\r\n");

/** Splits the output of a language server into messages, each behind a header with its length in bytes. */
export class MessageFrames {
  #chunks: Buffer[] = [];
  #held = 0;
  /** Bytes of the message that is being read; `undefined` in a header. */
  #expected: number | undefined;

  /** The messages that are complete now. Throws for output that is not a message, and for a message that is too long; nothing after it can be read. */
  push(text: string): readonly string[] {
    const chunk = Buffer.from(text);
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    const messages: string[] = [];
    for (;;) {
      if (this.#expected === undefined && !this.#readHeader()) return messages;
      const length = this.#expected ?? 0;
      if (this.#held < length) return messages;
      messages.push(this.#take(length).toString("utf8"));
      this.#expected = undefined;
    }
  }

  /** What is left, for the end of the output. */
  get rest(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }

  #readHeader(): boolean {
    if (this.#held === 0) return false;
    const all = this.#join();
    const end = all.indexOf(HEADER_END);
    if (end === -1) {
      if (all.length > MAX_HEADER_BYTES) throw new Error("it wrote what is no message of a language server");
      return false;
    }
    const header = all.subarray(0, end).toString("latin1");
    const [, length] = /^content-length: *(\d{1,12}) *$/im.exec(header) ?? [];
    if (end > MAX_HEADER_BYTES || length === undefined) throw new Error("it wrote what is no message of a language server");
    if (Number(length) > MAX_MESSAGE_BYTES) throw new Error(`it wrote a message of more than ${MAX_MESSAGE_BYTES / 1_000_000} MB`);
    this.#take(end + HEADER_END.length);
    this.#expected = Number(length);
    return true;
  }

  #join(): Buffer {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  #take(length: number): Buffer {
    const all = this.#join();
    this.#chunks = [all.subarray(length)];
    this.#held -= length;
    return all.subarray(0, length);
  }
}

/** A message with its header. */
export function frame(message: object): string {
  const text = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
