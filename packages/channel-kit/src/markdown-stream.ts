import { checkLimits, cutAll, fenceLimits } from "./chunk-markdown.ts";
import type { ChunkOptions } from "./chunk-markdown.ts";
import { LOOKAHEAD, MarkdownCutter } from "./markdown-cutter.ts";
import type { CutLimits, MarkdownChunk } from "./markdown-cutter.ts";
import { scanFences } from "./scan-fences.ts";
import type { OpenFence } from "./scan-fences.ts";

/** Cuts Markdown that is still being written. */
export interface MarkdownStream {
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
export function createMarkdownStream(options: ChunkOptions): MarkdownStream {
  return new BufferedStream(checkLimits(options), options.from ?? 0);
}

/** A line that starts like this neither opens nor closes a code block, regardless of its rest. */
const NO_FENCE = /^[\s>]*(?:[^\s>`~]|`{1,2}[^`]|~{1,2}[^~])/;

class BufferedStream implements MarkdownStream {
  readonly #limits: CutLimits;
  /** Received text that was not emitted. */
  #buffer = "";
  /** The start of the buffer and of the next message's span in the source. */
  #base = 0;
  #coveredEnd = 0;
  #open: OpenFence | undefined;
  #continues = false;
  /** Text before it is only scanned. */
  #from: number;
  /** Without a new line, a shorter buffer cannot contain a message. */
  #lookAgainAt: number;

  constructor(limits: CutLimits, from: number) {
    this.#limits = limits;
    this.#from = from;
    this.#coveredEnd = from;
    this.#lookAgainAt = limits.maxLength + LOOKAHEAD;
  }

  get coveredEnd(): number {
    return this.#coveredEnd;
  }

  push(text: string): MarkdownChunk[] {
    this.#buffer += text;
    if (!this.#skip(false)) return [];
    const { maxLength, minLength } = this.#limits;
    const mayEndEarly = minLength !== undefined && this.#buffer.length >= minLength && text.includes("\n");
    const mayBeFull = this.#buffer.length >= this.#lookAgainAt || this.#limits.maxLines < Number.POSITIVE_INFINITY;
    // A message that ends early is followed by a started line: the text after the line's end counts, too.
    if (!mayEndEarly && !mayBeFull && !this.#followsLineEnd(text)) return [];
    const chunks: MarkdownChunk[] = [];
    const cutter = this.#cutter();
    const knownEnd = this.#knownEnd();
    while (!cutter.done && cutter.isSettled(knownEnd)) {
      const chunk = cutter.next();
      if (chunk.text !== "") chunks.push(this.#take(chunk));
    }
    const { at, fence, isMidLine } = cutter;
    this.#open = fence;
    this.#continues = isMidLine;
    this.#buffer = this.#buffer.slice(at);
    this.#base += at;
    this.#lookAgainAt = Math.max(this.#buffer.length + maxLength / 8, maxLength + LOOKAHEAD);
    return chunks;
  }

  end(): MarkdownChunk[] {
    if (!this.#skip(true)) return [];
    const chunks = cutAll(this.#cutter()).map((chunk) => this.#take(chunk));
    this.#base += this.#buffer.length;
    this.#buffer = "";
    return chunks;
  }

  /** Skips text before the start. True once the start is reached and the code block that is open there is known. */
  #skip(isComplete: boolean): boolean {
    if (this.#from === 0) return true;
    const isKnown = this.#buffer.length > this.#from && this.#knownEnd() >= this.#from;
    if (!isKnown && !isComplete) return false;
    const cutter = this.#cutter();
    cutter.moveTo(Math.min(this.#from, this.#buffer.length));
    const { at, fence, isMidLine } = cutter;
    this.#open = fence;
    this.#continues = isMidLine;
    this.#buffer = this.#buffer.slice(at);
    this.#base = at;
    this.#from = 0;
    return true;
  }

  #cutter(): MarkdownCutter {
    const begin = { open: this.#open, continues: this.#continues };
    return new MarkdownCutter(this.#buffer, scanFences(this.#buffer, { ...fenceLimits(this.#limits), ...begin }), this.#limits, begin);
  }

  #take(chunk: MarkdownChunk): MarkdownChunk {
    const start = this.#coveredEnd;
    this.#coveredEnd = this.#base + chunk.end;
    return { text: chunk.text, start, end: this.#coveredEnd };
  }

  #followsLineEnd(text: string): boolean {
    const { minLength } = this.#limits;
    return (
      minLength !== undefined && this.#buffer.length > minLength && this.#buffer.charAt(this.#buffer.length - text.length - 1) === "\n"
    );
  }

  /** The start of the last line while it may still become a fence or stop being one, else the end. */
  #knownEnd(): number {
    const lineStart = this.#buffer.lastIndexOf("\n") + 1;
    const line = this.#buffer.slice(lineStart);
    const isKnown = (lineStart === 0 && this.#continues) || line.length > this.#limits.maxLength || NO_FENCE.test(line);
    return isKnown ? this.#buffer.length : lineStart;
  }
}
