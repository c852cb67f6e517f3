import type { Root } from "mdast";
import { flattenMarkdown } from "../markdown/flatten-markdown.ts";
import type { Piece } from "../markdown/piece.ts";
import { lastGraphemeBoundary, wholeGraphemes } from "../measure-text.ts";
import type { TextUnit } from "../measure-text.ts";
import type { Content, Dialect } from "./dialect.ts";
import { characterAfterSpan, markupAfter, toRenderSteps } from "./render-steps.ts";
import type { RenderStep } from "./render-steps.ts";
import { TextWriter } from "./text-writer.ts";
import type { WriterLimits, WriterState } from "./text-writer.ts";

/** A dialect and the limits of one message. */
export interface RenderOptions {
  readonly dialect: Dialect;
  /** Maximum length of a message, in what the dialect counts; at least 32. Unlimited by default. */
  readonly maxLength?: number;
  /** Unit of lengths; `utf16` by default. */
  readonly unit?: TextUnit;
  /** Maximum lines of a message, at least 1. Unlimited by default. */
  readonly maxLines?: number;
}

/** A place where the message can end. */
interface Cut {
  readonly index: number;
  readonly offset: number;
  readonly state: WriterState;
  readonly fraction: number;
}

const MIN_LENGTH = 32;
/** Characters behind a word that an escape may depend on. */
const LOOKAHEAD = 100;

/**
 * Words of text, each with the punctuation that ends it, and the white space between them. Chinese and Japanese can break behind a sentence. A long word is
 * taken in parts, so that the time for each is limited.
 */
const TEXT_WORD = /\s{1,1000}|[^\s。！？；]{0,1000}[。！？；]{1,100}["'”’」』）]{0,100}|[^\s。！？；]{1,1000}/y;
const CODE_WORD = /\s{1,1000}|\S{1,1000}/y;
const MAX_ADDRESS = 1_000;
const SENTENCE_END = /[.!?…。！？；]["'”’)\]»」』）]*$/;

/** Places to cut, worst first: at white space, at the end of a sentence, of a line or block, of a paragraph. */
const CLASSES = ["space", "sentence", "line", "paragraph"] as const;
type CutClass = (typeof CLASSES)[number];

/**
 * Renders Markdown, a tree of it, or pieces, in a dialect, as messages within the limits. A message that is half full ends at a paragraph, else a line, a
 * sentence or a space, else between two graphemes; spans that are open there are closed and opened again. No escape sequence or surrogate pair is cut, and a
 * grapheme only if it is longer than a message. Linear. Nothing visible gives no message. Throws a RangeError for limits below the minimum.
 */
export function renderMarkdown(source: string | Root | readonly Piece[], options: RenderOptions): string[] {
  const { dialect, maxLength = Number.POSITIVE_INFINITY, unit = "utf16", maxLines = Number.POSITIVE_INFINITY } = options;
  if (!(maxLength >= MIN_LENGTH)) throw new RangeError(`maxLength is ${maxLength}; give at least ${MIN_LENGTH}`);
  if (!(maxLines >= 1)) throw new RangeError(`maxLines is ${maxLines}; give at least 1`);
  const pieces = isPieces(source) ? source : flattenMarkdown(source, dialect);
  return new Renderer(pieces, dialect, { maxLength, unit, maxLines }).render();
}

function isPieces(source: string | Root | readonly Piece[]): source is readonly Piece[] {
  return Array.isArray(source);
}

class Renderer {
  readonly #steps: readonly RenderStep[];
  readonly #limits: WriterLimits;
  readonly #writer: TextWriter;
  readonly #messages: string[] = [];
  readonly #cuts = new Map<CutClass, Cut>();
  #index = 0;
  /** Offset in the text of the step. */
  #offset = 0;

  constructor(pieces: readonly Piece[], dialect: Dialect, limits: WriterLimits) {
    this.#steps = toRenderSteps(dialect.adapt?.(pieces) ?? pieces, dialect, limits);
    this.#limits = limits;
    this.#writer = new TextWriter(dialect, limits);
  }

  render(): string[] {
    for (let step = this.#steps[this.#index]; step !== undefined; step = this.#steps[this.#index]) this.#take(step);
    this.#endMessage();
    return this.#messages;
  }

  #take(step: RenderStep): void {
    const writer = this.#writer;
    switch (step.type) {
      case "enter":
        if (step.frame?.eager !== true) {
          writer.enter(step.frame);
          return this.#next();
        }
        return this.#place(() => {
          writer.enter(step.frame);
          writer.flush("");
        });
      case "exit":
        writer.exit(characterAfterSpan(this.#steps, this.#index));
        return this.#next();
      case "break":
        writer.break(step.kind);
        return this.#next();
      case "rule":
        return this.#place(() => writer.rule());
      case "text":
        return this.#takeText(step.text);
    }
  }

  #takeText(text: string): void {
    if (this.#offset >= text.length) return this.#next();
    const word = wordAt(text, this.#offset, this.#writer.state.stack?.content ?? "text");
    if (word.trim() === "" && this.#isWhiteSpaceTaken(word)) {
      this.#offset += word.length;
      return;
    }
    this.#placeWord(word, text);
  }

  /** White space waits for the next word; in code it is written, if it fits. */
  #isWhiteSpaceTaken(space: string): boolean {
    const before = this.#writer.state;
    this.#writer.space(space);
    if (this.#writer.fits) return true;
    this.#writer.restore(before);
    return false;
  }

  #placeWord(word: string, text: string): void {
    const end = this.#offset + word.length;
    const after = end < text.length ? text.slice(end, end + LOOKAHEAD) : markupAfter(this.#steps, this.#index);
    this.#recordCut();
    const before = this.#writer.state;
    this.#writer.word({ text: word, after });
    if (this.#writer.fits) {
      this.#offset = end;
      return;
    }
    this.#writer.restore(before);
    const cut = this.#bestCut() ?? (this.#writer.lengthOf(word, after) <= this.#limits.maxLength / 2 ? this.#lastCut() : undefined);
    if (cut !== undefined) this.#cutAt(cut);
    else this.#cutWord(word);
  }

  /** Writes something that cannot be divided and goes to the next step, or ends the message before it. */
  #place(write: () => void): void {
    this.#recordCut();
    const before = this.#writer.state;
    write();
    if (this.#writer.fits || before.count === 0) return this.#next();
    this.#writer.restore(before);
    this.#cutAt(this.#bestCut() ?? this.#lastCut() ?? this.#here());
  }

  /** Fills the message with the beginning of a word. */
  #cutWord(word: string): void {
    const writer = this.#writer;
    const before = writer.state;
    writer.flush(word);
    const prefix = writer.fits ? this.#prefixThatFits(word) : { whole: 0, any: 0 };
    if (prefix.whole === 0 && before.count > 0) {
      writer.restore(before);
      return this.#cutAt(this.#lastCut() ?? this.#here());
    }
    // Without a whole one it is a grapheme longer than a message.
    const length = prefix.whole || prefix.any;
    writer.word({ text: word.slice(0, length), after: "\n" });
    this.#offset += length;
    this.#endMessage();
  }

  /** Lengths of the longest beginnings of `word` that fit: of whole graphemes, and of whole code points, at least one. */
  #prefixThatFits(word: string): { readonly whole: number; readonly any: number } {
    const { room } = this.#writer;
    const fits = (length: number): boolean => this.#writer.lengthOf(word.slice(0, length), "\n") <= room;
    // A character takes at most two code units, so no longer beginning can fit.
    let [low, high] = [0, Math.min(word.length, 2 * room)];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (fits(middle)) low = middle;
      else high = middle - 1;
    }
    let whole = wholeGraphemes(word, { after: 0, until: low });
    while (whole > 0 && !fits(whole)) whole = wholeGraphemes(word, { after: 0, until: whole - 1 });
    return { whole, any: lastGraphemeBoundary(word, { after: 0, until: low }) };
  }

  /** Remembers that the message can end here. */
  #recordCut(): void {
    const kind = this.#classHere();
    if (kind !== undefined) this.#cuts.set(kind, this.#here());
  }

  #classHere(): CutClass | undefined {
    const { state, hasText } = this.#writer;
    if (!hasText) return undefined;
    if (state.pendingBreak !== undefined) return state.pendingBreak.kind === "paragraph" ? "paragraph" : "line";
    if (state.space === "") return /[。！？；]["'”’」』）]*$/.test(state.tail) ? "sentence" : /\s$/.test(state.tail) ? "space" : undefined;
    return SENTENCE_END.test(state.tail) ? "sentence" : "space";
  }

  #here(): Cut {
    return { index: this.#index, offset: this.#offset, state: this.#writer.state, fraction: this.#writer.fraction };
  }

  #bestCut(): Cut | undefined {
    return CLASSES.map((kind) => this.#cuts.get(kind)).findLast((cut) => cut !== undefined && cut.fraction >= 0.5);
  }

  #lastCut(): Cut | undefined {
    return [...this.#cuts.values()].reduce<Cut | undefined>(
      (last, cut) => (last === undefined || cut.state.count >= last.state.count ? cut : last),
      undefined,
    );
  }

  #cutAt({ index, offset, state }: Cut): void {
    this.#writer.restore(state);
    this.#index = index;
    this.#offset = offset;
    this.#endMessage();
  }

  #endMessage(): void {
    const message = this.#writer.cut();
    if (message !== undefined) this.#messages.push(message);
    this.#cuts.clear();
  }

  #next(): void {
    this.#index += 1;
    this.#offset = 0;
  }
}

function wordAt(text: string, offset: number, content: Content): string {
  if (content === "address") return text.slice(offset, offset + MAX_ADDRESS);
  const pattern = content === "code" || content === "code-block" ? CODE_WORD : TEXT_WORD;
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0] ?? text.slice(offset);
}
