import { advance, isGraphemeBoundary, lastGraphemeBoundary, measure } from "./measure-text.ts";
import type { TextUnit } from "./measure-text.ts";
import { scanFences } from "./scan-fences.ts";
import type { Fence, SourceLine } from "./scan-fences.ts";

/** One message of a longer text. */
export interface MarkdownChunk {
  /** What to send: the source span without the blank space at its edges, inside a code block with the block's fences added. */
  readonly text: string;
  /** Offset of the span in the source, UTF-16 code units. */
  readonly start: number;
  /** End of the span, exclusive. The next chunk starts here. */
  readonly end: number;
}

/** Limits of one message. */
export interface ChunkOptions {
  /** Longest text of a chunk, synthetic fences included; at least 32. */
  readonly maxLength: number;
  /** What `maxLength` counts; `utf16` by default. */
  readonly unit?: TextUnit;
  /** Most lines of a chunk, synthetic fences included; at least 4. Unlimited by default. */
  readonly maxLines?: number;
  /** Offset to begin at: the end of the last chunk that was sent of this source. 0 by default. A code block that is open there is opened again. */
  readonly from?: number;
}

const MIN_LENGTH = 32;
const MIN_LINES = 4;
/** Text that would open a code block if a message began with it. */
const FENCE_START = /(?:[^\S\n]|>){0,64}(?:`{3}|~{3})/y;
const SENTENCE_END = /(?:[.!?…]["'”’)\]»]*\s+|[。！？；]["'”’）」』]*)/gu;

/**
 * Cuts Markdown into messages of at most `maxLength`. Breaks in the later half of the room, at a paragraph, else a newline, else a sentence, else a space,
 * else anywhere between two graphemes. A code block that is cut is closed and opened again.
 *
 * Pure, and linear in the source. The spans of the chunks, put together, are the source from `from` on exactly (R18); blank space alone has no chunks.
 * Only a single grapheme longer than the limit is ever split, and then between code points. A fence line longer than a quarter of the limit counts as text.
 * Throws a RangeError for limits below the least.
 */
export function chunkMarkdown(source: string, options: ChunkOptions): MarkdownChunk[] {
  const { maxLength, unit = "utf16", maxLines = Number.POSITIVE_INFINITY } = options;
  if (!(maxLength >= MIN_LENGTH)) throw new RangeError(`maxLength is ${maxLength}; give at least ${MIN_LENGTH}`);
  if (!(maxLines >= MIN_LINES)) throw new RangeError(`maxLines is ${maxLines}; give at least ${MIN_LINES}`);
  const cutter = new Cutter(source, scanFences(source, { maxFenceLength: Math.floor(maxLength / 4), unit }), { maxLength, unit, maxLines });
  const chunks: MarkdownChunk[] = [];
  cutter.moveTo(options.from ?? 0);
  let blankFrom: number | undefined;
  while (!cutter.done) {
    const chunk = cutter.next();
    if (chunk.text === "") {
      const last = chunks.pop();
      if (last === undefined) blankFrom ??= chunk.start;
      else chunks.push({ ...last, end: chunk.end });
      continue;
    }
    chunks.push(blankFrom === undefined || chunks.length > 0 ? chunk : { ...chunk, start: blankFrom });
  }
  return chunks;
}

interface Limits {
  readonly maxLength: number;
  readonly unit: TextUnit;
  readonly maxLines: number;
}

/** A place to cut and the fence that is open there. */
interface Cut {
  readonly at: number;
  readonly fence: Fence | undefined;
}

class Cutter {
  readonly #source: string;
  readonly #lines: readonly SourceLine[];
  readonly #limits: Limits;
  readonly #suffixReserve: number;
  #at = 0;
  #line = 0;

  constructor(source: string, lines: readonly SourceLine[], limits: Limits) {
    this.#source = source;
    this.#lines = lines;
    this.#limits = limits;
    this.#suffixReserve = lines.reduce((most, { kind, fence }) => {
      return kind === "open" && fence !== undefined ? Math.max(most, measure(`\n${fence.closer}`, limits.unit)) : most;
    }, 0);
  }

  get done(): boolean {
    return this.#at >= this.#source.length;
  }

  moveTo(at: number): void {
    this.#at = at;
    this.#line = this.#lineAt(at)[1];
  }

  next(): MarkdownChunk {
    const start = this.#at;
    const fence = this.#fenceAt(this.#line, start);
    const prefix = fence === undefined ? "" : `${fence.opener}\n`;
    const cut = this.#cut(start, prefix);
    const text = this.#render(start, cut, { prefix, insideFence: fence !== undefined });
    this.moveTo(cut.at);
    // The block was closed by hand just before its own closing line: that line has done its work.
    const line = this.#lines[this.#line];
    if (cut.fence !== undefined && line?.kind === "close" && line.start === cut.at) this.moveTo(line.end);
    return { text, start, end: this.#at };
  }

  #cut(start: number, prefix: string): Cut {
    const { maxLength, unit, maxLines } = this.#limits;
    const room = maxLength - measure(prefix, unit);
    const newlines = maxLines - 1 - (prefix === "" ? 0 : 1);
    const length = this.#source.length;
    const finalFence = this.#fenceAt(this.#lines.length - 1, length);
    const finalReserve = finalFence === undefined ? 0 : measure(`\n${finalFence.closer}`, unit);
    const finalEnd = advance(this.#source, start, { room: room - finalReserve, newlines: newlines - (finalFence ? 1 : 0), unit });
    if (finalEnd >= length) return { at: length, fence: finalFence };

    const openEnd = advance(this.#source, start, { room, newlines, unit });
    const fencedEnd = advance(this.#source, start, { room: room - this.#suffixReserve, newlines: newlines - 1, unit });
    return this.#lineCut(start, { openEnd, fencedEnd }) ?? this.#textCut(start, { openEnd, fencedEnd });
  }

  /** The last paragraph or line end in the later half of the room; a paragraph wins. */
  #lineCut(start: number, ends: { openEnd: number; fencedEnd: number }): Cut | undefined {
    const least = start + Math.ceil((ends.fencedEnd - start) / 2);
    let paragraph: Cut | undefined;
    let newline: Cut | undefined;
    for (let index = this.#line + 1; index < this.#lines.length; index += 1) {
      const line = this.#lines[index];
      const before = this.#lines[index - 1];
      if (line === undefined || before === undefined || line.start > ends.openEnd) break;
      const fence = this.#fenceAt(index, line.start);
      if (line.start < least || before.kind === "open") continue;
      if (fence !== undefined && line.start > ends.fencedEnd) continue;
      const cut = { at: line.start, fence };
      if (before.kind === "close" || line.kind === "open" || (before.blank && fence === undefined)) paragraph = cut;
      else newline = cut;
    }
    return paragraph ?? newline;
  }

  /** Inside a line: a sentence, a space, or the last grapheme that fits. */
  #textCut(start: number, ends: { openEnd: number; fencedEnd: number }): Cut {
    const [line, lineIndex] = this.#lineAt(ends.openEnd);
    if (line === undefined) return { at: ends.openEnd, fence: undefined };
    // Fence lines stay whole: the cut goes before them.
    if (line.kind === "open" && line.start > start && ends.openEnd < line.end)
      return { at: line.start, fence: this.#fenceAt(lineIndex, line.start) };
    const fence = this.#fenceAt(lineIndex, ends.openEnd);
    if (fence === undefined) return { at: this.#wordCut(start, ends.openEnd), fence };
    const [fencedLine, fencedIndex] = this.#lineAt(ends.fencedEnd);
    if (fencedLine === undefined) return { at: ends.fencedEnd, fence };
    const tooEarly = fencedLine.kind !== "body" && fencedLine.start > start;
    if (tooEarly) return { at: fencedLine.start, fence: this.#fenceAt(fencedIndex, fencedLine.start) };
    return { at: this.#graphemeCut(start, ends.fencedEnd), fence: this.#fenceAt(fencedIndex, ends.fencedEnd) };
  }

  #wordCut(start: number, end: number): number {
    const least = start + Math.ceil((end - start) / 2);
    // One character more, so that a word which ends exactly at the limit is seen to end.
    const room = this.#source.slice(least, end + 1);
    let sentence: number | undefined;
    for (const match of room.matchAll(SENTENCE_END)) {
      const at = Math.min(least + match.index + match[0].length, end);
      if (this.#mayStart(at)) sentence = at;
    }
    if (sentence !== undefined) return sentence;
    for (let at = end; at > least; at -= 1) {
      if (/\s/u.test(this.#source.charAt(at - 1)) && this.#mayStart(at)) return at;
    }
    let at = this.#graphemeCut(start, end);
    while (!this.#mayStart(at) && at > least) at = this.#graphemeCut(start, at - 1);
    return at;
  }

  /** Whether a message may begin at `at`: not inside a grapheme, and not with what would then be taken for a fence. */
  #mayStart(at: number): boolean {
    FENCE_START.lastIndex = at;
    return isGraphemeBoundary(this.#source, at) && !FENCE_START.test(this.#source);
  }

  #graphemeCut(start: number, end: number): number {
    return lastGraphemeBoundary(this.#source, { after: start, until: end });
  }

  #render(start: number, cut: Cut, options: { prefix: string; insideFence: boolean }): string {
    let body = this.#source.slice(start, cut.at);
    if (!options.insideFence) {
      body = body.replace(/^(?:[^\S\n]*\n)+/, "");
      // The space that a line was cut at is not an indent.
      if (start > 0 && this.#source.charAt(start - 1) !== "\n") body = body.replace(/^[^\S\n]+/, "");
    }
    if (cut.fence === undefined) body = body.trimEnd();
    else if (body.endsWith("\n")) body = body.slice(0, -1);
    if (body === "") return "";
    return `${options.prefix}${body}${cut.fence === undefined ? "" : `\n${cut.fence.closer}`}`;
  }

  /** The fence that is open at `at`, which lies in line `index` or at its start. */
  #fenceAt(index: number, at: number): Fence | undefined {
    const line = this.#lines[index];
    if (line === undefined) return undefined;
    if (line.kind === "open") return at > line.start ? line.fence : undefined;
    if (line.kind === "close") return at >= line.end || (at > line.start && at === this.#source.length) ? undefined : line.fence;
    return line.fence;
  }

  #lineAt(at: number): [SourceLine | undefined, number] {
    let index = this.#line;
    while (index + 1 < this.#lines.length && (this.#lines[index + 1]?.start ?? at + 1) <= at) index += 1;
    return [this.#lines[index], index];
  }
}
