import { Random } from "@factotum/channel-contract";
/** Bounds of a backoff. */
interface BackoffOptions {
  /** Upper bound of the first delay, in milliseconds; 1,000 by default. */
  readonly baseMs?: number;
  /** Upper bound of all delays, in milliseconds; 300,000 by default. */
  readonly maxMs?: number;
  readonly random: Pick<Random, "float">;
}
/**
 * The delay before attempt number `attempt` (0 is the first retry): random between 0 and a bound that doubles with every attempt, so that clients which failed
 * together do not retry together. Milliseconds, integer.
 */
declare function backoffDelay(attempt: number, options: BackoffOptions): number;
/** The unit in which a platform limits texts. */
type TextUnit = "utf16" | "code-points" | "bytes";
/** The length of `text` in `unit`. */
declare function measure(text: string, unit: TextUnit): number;
/** One message of a longer text. */
interface MarkdownChunk {
  /** The text to send: the source span without white space at its edges, inside a code block with the block's fences added. */
  readonly text: string;
  /** Offset of the span in the source, UTF-16 code units. */
  readonly start: number;
  /** End of the span, exclusive. The next chunk starts here. */
  readonly end: number;
}
/** Limits of one message. */
interface ChunkLimits {
  /** Maximum length of a chunk, synthetic fences included; at least 32. */
  readonly maxLength: number;
  /** Unit of lengths; `utf16` by default. */
  readonly unit?: TextUnit;
  /** Maximum lines of a chunk, synthetic fences included; at least 4. Unlimited by default. */
  readonly maxLines?: number;
  /**
   * From this length on a chunk may end at the first paragraph; at most `maxLength`. Without it a chunk is as long as possible and ends in the second half of
   * the limit.
   */
  readonly minLength?: number;
}
/** Limits of one message, and the start offset. */
interface ChunkOptions extends ChunkLimits {
  /** Start offset: the end of the last chunk that was sent of this source. 0 by default. A code block that is open there is opened again. */
  readonly from?: number;
}
/**
 * Cuts Markdown into messages of at most `maxLength`. Breaks, once the chunk is long enough, at a paragraph, else a newline, else a sentence, else a space,
 * else anywhere between two graphemes. A code block that is cut is closed and opened again.
 *
 * Pure, and linear in the source. The concatenated spans of the chunks are exactly the source from `from` on (R18); only white space has no chunks. Only a
 * single grapheme longer than the limit is ever split, and then between code points. A fence line longer than a quarter of the limit counts as text. Throws a
 * RangeError for limits below the minimum.
 */
declare function chunkMarkdown(source: string, options: ChunkOptions): MarkdownChunk[];
/** Cuts Markdown that is still being written. */
interface MarkdownStream {
  /** The end of the last chunk in the source; later text was not emitted. */
  readonly coveredEnd: number;
  /** Takes the next chunk of the source and returns the messages whose end no further text can change. */
  push(text: string): MarkdownChunk[];
  /** Returns the rest. Do not push afterwards. */
  end(): MarkdownChunk[];
}
/**
 * The same messages as `chunkMarkdown` gives for the whole text, regardless of chunk boundaries; the offsets of the spans are those of the whole text, and
 * white space between two messages belongs to the later one. Buffers only text that was not emitted: linear in the source. With `from` it also gets the whole
 * text, and starts there. Throws a RangeError for limits below the minimum.
 */
declare function createMarkdownStream(options: ChunkOptions): MarkdownStream;
/**
 * True for failures in this process: a bug, an invalid argument, an unreadable file. The same call always fails in the same way, so a retry is useless. False
 * for everything that the network or the other side may have caused. The cause of an error decides if it has a code.
 */
declare function isLocalError(error: unknown): boolean;
/** Runs tasks of one key in sequence, tasks of different keys in parallel. */
interface KeyedQueue {
  /** Starts `task` once all earlier tasks of `key` have settled, and settles like it. A failed task does not block the next. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Resolves once no task is left, including those added while waiting. */
  idle(): Promise<void>;
}
/** A queue that holds no state for a key without tasks. */
declare function createKeyedQueue(): KeyedQueue;
/** The result of reading. */
type CappedBody = {
  readonly type: "body";
  readonly bytes: Uint8Array;
} | {
  readonly type: "too-large";
};
/** Reads the body of a request or a response, at most `maxBytes`. A larger one is cancelled and discarded. Rejects if the signal fires or the body breaks off. */
declare function readBodyCapped(message: Request | Response, options: {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}): Promise<CappedBody>;
/** Compares two secrets or signatures in constant time with respect to where they differ and to their lengths. */
declare function constantTimeEqual(left: string | Uint8Array, right: string | Uint8Array): boolean;
/** Which signed timestamps count as fresh. */
interface TimestampOptions {
  /** The current time, milliseconds since the epoch. */
  readonly nowMs: number;
  /** Maximum distance into the past or the future, milliseconds; 300,000 by default. */
  readonly toleranceMs?: number;
}
/** True if a timestamp in whole seconds, as webhooks sign it, is close to the current time. Anything but plain digits is not fresh. */
declare function verifyTimestamp(seconds: string | null | undefined, options: TimestampOptions): boolean;
export { type BackoffOptions, type CappedBody, type ChunkLimits, type ChunkOptions, type KeyedQueue, type MarkdownChunk, type MarkdownStream, type TextUnit, type TimestampOptions, backoffDelay, chunkMarkdown, constantTimeEqual, createKeyedQueue, createMarkdownStream, isLocalError, measure, readBodyCapped, verifyTimestamp };