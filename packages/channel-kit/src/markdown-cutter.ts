import { advance, isGraphemeBoundary, lastGraphemeBoundary, measure } from "./measure-text.ts";
import type { TextUnit } from "./measure-text.ts";
import type { OpenFence, SourceLine } from "./scan-fences.ts";

/** One message of a longer text. */
export interface MarkdownChunk {
  /** The text to send: the source span without white space at its edges, inside a code block with the block's fences added. */
  readonly text: string;
  /** Offset of the span in the source, UTF-16 code units. */
  readonly start: number;
  /** End of the span, exclusive. The next chunk starts here. */
  readonly end: number;
}

/** Text that would open a code block if a message began with it. */
const FENCE_START = /(?:[^\S\n]|>){0,64}(?:`{3}|~{3})/y;
const SENTENCE_END = /(?:[.!?…]["'”’)\]»]*\s+|[。！？；]["'”’）」』]*)/gu;

/** Characters after the longest chunk on which its end may depend: the range of `FENCE_START`, and the rest of a grapheme. */
export const LOOKAHEAD = 72;

/** Limits of one message, with defaults applied. */
export interface CutLimits {
  readonly maxLength: number;
  readonly unit: TextUnit;
  readonly maxLines: number;
  readonly minLength: number | undefined;
}

/** The maximum length of a chunk: outside of code, inside of it with its closing line, and the length from which it may end. */
interface Ends {
  readonly openEnd: number;
  readonly fencedEnd: number;
  readonly least: number;
}

/** A position to cut and the fence that is open there. */
interface Cut {
  readonly at: number;
  readonly fence: OpenFence | undefined;
}

/** Cuts chunks in sequence from a source whose lines are known. `continues`: the source begins within a line. */
export class MarkdownCutter {
  readonly #source: string;
  readonly #lines: readonly SourceLine[];
  readonly #limits: CutLimits;
  readonly #continues: boolean;
  #at = 0;
  #line = 0;

  constructor(source: string, lines: readonly SourceLine[], limits: CutLimits, options: { readonly continues?: boolean } = {}) {
    this.#source = source;
    this.#lines = lines;
    this.#limits = limits;
    this.#continues = options.continues ?? false;
  }

  get done(): boolean {
    return this.#at >= this.#source.length;
  }

  /** Where the next chunk begins. */
  get at(): number {
    return this.#at;
  }

  /** The code block that is open there. */
  get fence(): OpenFence | undefined {
    return this.#at >= this.#source.length ? this.#fenceAt(this.#lines.length - 1, this.#at) : this.#fenceAt(this.#line, this.#at);
  }

  /** Whether the next chunk begins within a line. */
  get isMidLine(): boolean {
    return this.#at === 0 ? this.#continues : this.#source.charAt(this.#at - 1) !== "\n";
  }

  /** Whether the end of the next chunk is final, regardless of appended text; lines from `knownEnd` on may still change. */
  isSettled(knownEnd: number): boolean {
    if (this.#earlyCut(this.#at, knownEnd) !== undefined) return true;
    const { maxLength, maxLines, unit } = this.#limits;
    return advance(this.#source, this.#at, { room: maxLength, newlines: maxLines - 1, unit }) + LOOKAHEAD <= knownEnd;
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
    // The block was closed by us just before its own closing line, which is then redundant.
    const line = this.#lines[this.#line];
    if (cut.fence !== undefined && line?.kind === "close" && line.start === cut.at) this.moveTo(line.end);
    return { text, start, end: this.#at };
  }

  #cut(start: number, prefix: string): Cut {
    const { maxLength, unit, maxLines } = this.#limits;
    const room = maxLength - measure(prefix, unit);
    const newlines = maxLines - 1 - (prefix === "" ? 0 : 1);
    const length = this.#source.length;
    const early = this.#earlyCut(start, length);
    if (early !== undefined) return early;
    const finalFence = this.#fenceAt(this.#lines.length - 1, length);
    const finalReserve = finalFence === undefined ? 0 : measure(`\n${finalFence.closer}`, unit);
    const finalEnd = advance(this.#source, start, { room: room - finalReserve, newlines: newlines - (finalFence ? 1 : 0), unit });
    if (finalEnd >= length) return { at: length, fence: finalFence };

    const openEnd = advance(this.#source, start, { room, newlines, unit });
    const reserve = this.#closerLength(openEnd);
    const fencedEnd = advance(this.#source, start, { room: room - reserve, newlines: newlines - 1, unit });
    const ends = { openEnd, fencedEnd, least: this.#least(start, fencedEnd) };
    return this.#lineCut(ends) ?? this.#textCut(start, ends);
  }

  /** With a minimum length: the first paragraph end after it, outside of code. */
  #earlyCut(start: number, knownEnd: number): Cut | undefined {
    const { minLength, maxLength, maxLines, unit } = this.#limits;
    if (minLength === undefined || this.#fenceAt(this.#line, start) !== undefined) return undefined;
    const least = advance(this.#source, start, { room: minLength, newlines: Number.POSITIVE_INFINITY, unit });
    const most = advance(this.#source, start, { room: maxLength, newlines: maxLines - 1, unit });
    for (let index = this.#line + 1; index < this.#lines.length; index += 1) {
      const line = this.#lines[index];
      const before = this.#lines[index - 1];
      if (line === undefined || before === undefined || line.start > most || line.start >= knownEnd) return undefined;
      if (line.start < least || line.blank || this.#fenceAt(index, line.start) !== undefined) continue;
      if (before.kind === "close" || line.kind === "open" || before.blank) return { at: line.start, fence: undefined };
    }
    return undefined;
  }

  /** The earliest position to cut: the minimum length if it leaves a choice, else half of the limit. */
  #least(start: number, end: number): number {
    const { minLength, unit } = this.#limits;
    const middle = start + Math.ceil((end - start) / 2);
    if (minLength === undefined) return middle;
    const least = advance(this.#source, start, { room: minLength, newlines: Number.POSITIVE_INFINITY, unit });
    return least < end ? least : middle;
  }

  /** The longest line that closes a code block before `end`, its line end included. */
  #closerLength(end: number): number {
    let most = 0;
    for (let index = this.#line; index < this.#lines.length; index += 1) {
      const line = this.#lines[index];
      if (line === undefined || line.start > end) break;
      if (line.fence !== undefined) most = Math.max(most, measure(`\n${line.fence.closer}`, this.#limits.unit));
    }
    return most;
  }

  /** The last paragraph or line end that leaves the chunk long enough; a paragraph takes precedence. */
  #lineCut(ends: Ends): Cut | undefined {
    let paragraph: Cut | undefined;
    let newline: Cut | undefined;
    for (let index = this.#line + 1; index < this.#lines.length; index += 1) {
      const line = this.#lines[index];
      const before = this.#lines[index - 1];
      if (line === undefined || before === undefined || line.start > ends.openEnd) break;
      const fence = this.#fenceAt(index, line.start);
      if (line.start < ends.least || before.kind === "open") continue;
      if (fence !== undefined && line.start > ends.fencedEnd) continue;
      const cut = { at: line.start, fence };
      if (before.kind === "close" || line.kind === "open" || (before.blank && fence === undefined)) paragraph = cut;
      else newline = cut;
    }
    return paragraph ?? newline;
  }

  /** Inside a line: a sentence, a space, or the last grapheme that fits. */
  #textCut(start: number, ends: Ends): Cut {
    const [line, lineIndex] = this.#lineAt(ends.openEnd);
    if (line === undefined) return { at: ends.openEnd, fence: undefined };
    // Fence lines are not split: cut before them.
    if (line.kind === "open" && line.start > start && ends.openEnd < line.end)
      return { at: line.start, fence: this.#fenceAt(lineIndex, line.start) };
    const fence = this.#fenceAt(lineIndex, ends.openEnd);
    if (fence === undefined) return { at: this.#wordCut(start, ends), fence };
    const [fencedLine, fencedIndex] = this.#lineAt(ends.fencedEnd);
    if (fencedLine === undefined) return { at: ends.fencedEnd, fence };
    const tooEarly = fencedLine.kind !== "body" && fencedLine.start > start;
    if (tooEarly) return { at: fencedLine.start, fence: this.#fenceAt(fencedIndex, fencedLine.start) };
    return { at: this.#graphemeCut(start, ends.fencedEnd), fence: this.#fenceAt(fencedIndex, ends.fencedEnd) };
  }

  #wordCut(start: number, { openEnd: end, least }: Ends): number {
    // One more character, so that the end of a word exactly at the limit is visible.
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

  /** Whether a message may begin at `at`: not inside a grapheme, and not with text that would look like a fence. */
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
      // The space at which a line was cut is not an indent.
      if (start > 0 ? this.#source.charAt(start - 1) !== "\n" : this.#continues) body = body.replace(/^[^\S\n]+/, "");
    }
    if (cut.fence === undefined) body = body.trimEnd();
    else if (body.endsWith("\n")) body = body.slice(0, -1);
    if (body === "") return "";
    return `${options.prefix}${body}${cut.fence === undefined ? "" : `\n${cut.fence.closer}`}`;
  }

  /** The fence that is open at `at`, which lies in line `index` or at its start. */
  #fenceAt(index: number, at: number): OpenFence | undefined {
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
