import { Random } from "@factotum/channel-contract";
/** Bounds of a backoff. */
interface BackoffOptions {
  /** Longest first delay, in milliseconds; 1,000 by default. */
  readonly baseMs?: number;
  /** Longest delay at all, in milliseconds; 300,000 by default. */
  readonly maxMs?: number;
  readonly random: Pick<Random, "float">;
}
/**
 * How long to wait before try number `attempt` (0 is the first repetition): anything from 0 to a bound that doubles with every try, so that clients which
 * failed together do not come back together. Milliseconds, whole.
 */
declare function backoffDelay(attempt: number, options: BackoffOptions): number;
/** What a platform counts when it says how long a text may be. */
type TextUnit = "utf16" | "code-points" | "bytes";
/** The length of `text` in `unit`. */
declare function measure(text: string, unit: TextUnit): number;
/** One message of a longer text. */
interface MarkdownChunk {
  /** What to send: the source span without the blank space at its edges, inside a code block with the block's fences added. */
  readonly text: string;
  /** Offset of the span in the source, UTF-16 code units. */
  readonly start: number;
  /** End of the span, exclusive. The next chunk starts here. */
  readonly end: number;
}
/** Limits of one message. */
interface ChunkLimits {
  /** Longest text of a chunk, synthetic fences included; at least 32. */
  readonly maxLength: number;
  /** What lengths count; `utf16` by default. */
  readonly unit?: TextUnit;
  /** Most lines of a chunk, synthetic fences included; at least 4. Unlimited by default. */
  readonly maxLines?: number;
  /**
   * Where a chunk is long enough to end at the first paragraph; at most `maxLength`. Without it a chunk is as long as it may be and ends in the later
   * half of its room.
   */
  readonly minLength?: number;
}
/** Limits of one message, and where to begin. */
interface ChunkOptions extends ChunkLimits {
  /** Offset to begin at: the end of the last chunk that was sent of this source. 0 by default. A code block that is open there is opened again. */
  readonly from?: number;
}
/**
 * Cuts Markdown into messages of at most `maxLength`. Breaks where the chunk is long enough, at a paragraph, else a newline, else a sentence, else a space,
 * else anywhere between two graphemes. A code block that is cut is closed and opened again.
 *
 * Pure, and linear in the source. The spans of the chunks, put together, are the source from `from` on exactly (R18); blank space alone has no chunks.
 * Only a single grapheme longer than the limit is ever split, and then between code points. A fence line longer than a quarter of the limit counts as text.
 * Throws a RangeError for limits below the least.
 */
declare function chunkMarkdown(source: string, options: ChunkOptions): MarkdownChunk[];
/** Cuts Markdown that is still being written. */
interface MarkdownStream {
  /** Where the last chunk ended in the source; what follows has not been given out. */
  readonly coveredEnd: number;
  /** Takes the next piece of the source and gives the chunks whose end no further text can change. */
  push(text: string): MarkdownChunk[];
  /** Gives the rest. Nothing may be pushed afterwards. */
  end(): MarkdownChunk[];
}
/**
 * The same chunks as those of `chunkMarkdown` for the whole text, however it comes in pieces; the offsets of the spans are those of the whole text, and
 * blank space between two chunks belongs to the later one. Keeps the text that has not been given out and no more: linear in the source. With `from` it
 * is told the whole text too, and begins there. Throws a RangeError for limits below the least.
 */
declare function createMarkdownStream(options: ChunkOptions): MarkdownStream;
/**
 * True for what failed in this process: a bug, an argument of the wrong kind, a file that cannot be read. The same call fails the same way each time, so
 * trying again is useless. False for everything that the network or the other side may have caused. The cause of an error decides when it has a code.
 */
declare function isLocalError(error: unknown): boolean;
/** Runs tasks of one key one after the other, tasks of different keys side by side. */
interface KeyedQueue {
  /** Starts `task` when all earlier tasks of `key` have settled, and settles as it does. A failed task does not hold up the next. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Resolves when no task is left, also none that was added while waiting. */
  idle(): Promise<void>;
}
/** A queue that keeps nothing of a key without tasks. */
declare function createKeyedQueue(): KeyedQueue;
/** What was read. */
type CappedBody = {
  readonly type: "body";
  readonly bytes: Uint8Array;
} | {
  readonly type: "too-large";
};
/**
 * Reads the body of a request or a response, at most `maxBytes`. What is larger is not read to its end: the rest is cancelled and nothing is kept.
 * Rejects when the signal fires or the body breaks off.
 */
declare function readBodyCapped(message: Request | Response, options: {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}): Promise<CappedBody>;
/**
 * Compares two secrets or signatures in a time that does not depend on where, or by how much in length, they differ.
 */
declare function constantTimeEqual(left: string | Uint8Array, right: string | Uint8Array): boolean;
/** When a signed timestamp counts as fresh. */
interface TimestampOptions {
  /** Now, milliseconds since the epoch. */
  readonly nowMs: number;
  /** How far it may lie in the past or in the future, milliseconds; 300,000 by default. */
  readonly toleranceMs?: number;
}
/** True when a timestamp in whole seconds, as webhooks sign it, is close to now. Anything but plain digits is not fresh. */
declare function verifyTimestamp(seconds: string | null | undefined, options: TimestampOptions): boolean;
export { type BackoffOptions, type CappedBody, type ChunkLimits, type ChunkOptions, type KeyedQueue, type MarkdownChunk, type MarkdownStream, type TextUnit, type TimestampOptions, backoffDelay, chunkMarkdown, constantTimeEqual, createKeyedQueue, createMarkdownStream, isLocalError, measure, readBodyCapped, verifyTimestamp };