const LF = 10;
const CR = 13;

/** Limits of a provider's answer, in bytes as they leave the transport. */
export interface BodyLimits {
  /** One event of the stream, and so one line. */
  readonly maxEventBytes: number;
  /** The whole answer, keep-alives included. */
  readonly maxAnswerBytes: number;
}

/**
 * Checks the pieces of one event stream; an exceeded limit is passed to `toError`. The parser after it buffers an event until its end, so without this an endless
 * line would fill the heap.
 */
export function createBodyCheck(limits: BodyLimits, toError: (limit: keyof BodyLimits) => Error): (bytes: Uint8Array) => Error | undefined {
  const events = new EventMeter(limits.maxEventBytes);
  let answerBytes = 0;
  return (bytes) => {
    answerBytes += bytes.byteLength;
    if (events.exceeds(bytes)) return toError("maxEventBytes");
    return answerBytes > limits.maxAnswerBytes ? toError("maxAnswerBytes") : undefined;
  };
}

/** Counts the bytes since the last blank line, which ends an event. Lines end in LF, CR or both. */
class EventMeter {
  readonly #maxBytes: number;
  #eventBytes = 0;
  #lineBytes = 0;
  #afterCr = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes the next bytes; true once an event exceeds its limit. */
  exceeds(chunk: Uint8Array): boolean {
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index];
      // The second half of a CRLF that ended an event belongs to that event.
      if (!(byte === LF && this.#afterCr && this.#eventBytes === 0)) this.#eventBytes += 1;
      if (byte === LF && this.#afterCr) this.#afterCr = false;
      else if (byte === LF || byte === CR) {
        if (this.#lineBytes === 0) this.#eventBytes = 0;
        this.#lineBytes = 0;
        this.#afterCr = byte === CR;
      } else {
        this.#lineBytes += 1;
        this.#afterCr = false;
      }
      if (this.#eventBytes > this.#maxBytes) return true;
    }
    return false;
  }
}
