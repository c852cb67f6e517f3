import { isolate } from "./isolate.ts";
import { BREAK, createTemplateMatcher, fillTemplate, type TemplateMatch } from "./text-templates.ts";

/** Longer texts are no messages of the gateway, in characters. */
const MAX_TEXT_CHARS = 20_000;
/** The same for their lines: one may hold what a job has sent. */
const MAX_LINE_CHARS = 5_000;
/** The begin of a block of code, which ends with the same. */
const FENCE = /^`{3,}/;
/** Sentences that are tried as one text: values may be several sentences. */
const MAX_SENTENCES = 8;
/** A value may be a text with values. */
const MAX_DEPTH = 3;
/** Parts of one text that are compared with the templates; what is left then stays as it is. */
const MAX_PARTS = 1_000;
/** A template with fewer letters of its own would describe what others say: it is for values of other templates, such as `{0} or {1}`. */
const MIN_LETTERS = 6;
/** Translations that are remembered: lists show the same texts each time they are drawn. */
const MAX_REMEMBERED = 500;
/** Characters of scripts that are written from the right, and those that turn the direction. */
const TURNING = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** What needs no space after it. */
const CJK_END = /[\p{Script=Han}。！？：；，”）]$/u;
const HAN_START = /^\p{Script=Han}/u;
/** Stands around a translated value until the text around it is known. */
const EDGE = "\ue000";
const SPACE_AT_EDGE = /(?<=\p{Script=Han}) \ue000(?=\p{Script=Han})|(?<=\p{Script=Han})\ue000 (?=\p{Script=Han})|\ue000/gu;
/** What shows that a value holds more than one quoted text. */
const QUOTATION_END = /(?<!\\)["`]/;
const PARENTHESES = /^\(([^()]+)\)$/s;

interface Translated {
  readonly words: string;
  /** Number of characters of the text that are translated. */
  readonly known: number;
  /** Number of texts of the catalogue that it is made of. */
  readonly parts: number;
}

const NOTHING: Translated = { words: "", known: 0, parts: 0 };

/** Translates what the gateway says. */
export interface Translator {
  /** Never fails: what is not known stays as it is. */
  readonly translate: (text: string) => string;
  /** Adds texts without values that are loaded later. */
  readonly learn: (texts: Readonly<Record<string, string>>) => void;
}

/**
 * Creates the translation of English texts of others by a catalogue, from templates such as `There is no agent "{0}".` to those of another language. A text is
 * translated as a whole, or each of its sentences, clauses and lines, by whatever leaves the least of it untranslated. What is not known stays as it is.
 */
export function createTextTranslator(catalogue: Readonly<Record<string, string>>): Translator {
  const texts = new TextTranslator(catalogue);
  const remembered = new Map<string, string>();
  return {
    translate: (text) => {
      if (text === "" || text.length > MAX_TEXT_CHARS) return text;
      const before = remembered.get(text);
      if (before !== undefined) return before;
      const translated = texts.translate(text);
      if (remembered.size >= MAX_REMEMBERED) remembered.clear();
      remembered.set(text, translated);
      return translated;
    },
    learn: (more) => {
      texts.learn(more);
      remembered.clear();
    },
  };
}

class TextTranslator {
  readonly #exact: Map<string, string>;
  readonly #match: ReturnType<typeof createTemplateMatcher>;
  #partsLeft = 0;

  constructor(catalogue: Readonly<Record<string, string>>) {
    this.#exact = new Map(Object.entries(catalogue));
    this.#match = createTemplateMatcher(catalogue);
  }

  learn(texts: Readonly<Record<string, string>>): void {
    for (const [english, translation] of Object.entries(texts)) if (!this.#exact.has(english)) this.#exact.set(english, translation);
  }

  translate(text: string): string {
    this.#partsLeft = MAX_PARTS;
    let fence: string | undefined;
    // No text of the gateway goes over several lines. A block of code is what others say.
    return text
      .split("\n")
      .map((line) => {
        const isCode = fence !== undefined;
        if (fence === undefined) fence = FENCE.exec(line)?.[0];
        else if (line === fence) fence = undefined;
        return isCode || fence !== undefined || line.length > MAX_LINE_CHARS ? line : (this.#text(line, 0)?.words ?? line);
      })
      .join("\n");
  }

  #text(text: string, depth: number): Translated | undefined {
    const whole = this.#part(text, depth);
    return whole?.known === text.length ? whole : best([whole, this.#pieces(text, depth)]);
  }

  /** A text of one sentence or several; in parentheses too. A clause may end as a sentence, and a sentence as a clause. */
  #part(text: string, depth: number): Translated | undefined {
    if (this.#partsLeft === 0) return undefined;
    this.#partsLeft -= 1;
    const whole = this.#whole(text, depth);
    const [, inner] = PARENTHESES.exec(text) ?? [];
    if (inner !== undefined) return whole ?? surround("（", this.#part(inner, depth), "）");
    if (text.endsWith(".")) return best([whole, surround("", this.#whole(text.slice(0, -1), depth), "。")]);
    if (whole !== undefined) return whole;
    const ended = this.#whole(`${text}.`, depth);
    return ended && { ...ended, words: ended.words.replace(/[。.]$/, ""), known: ended.known - 1 };
  }

  #whole(text: string, depth: number): Translated | undefined {
    const words = this.#exact.get(text);
    if (words !== undefined) return { words, known: text.length, parts: 1 };
    return best(this.#match(text, depth === 0 ? MIN_LETTERS : 1).map((match) => this.#filled(match, depth + 1)));
  }

  #filled({ translation, values, quoted, needed, ownChars }: TemplateMatch, depth: number): Translated | undefined {
    let known = ownChars;
    let parts = 1;
    let isWrong = false;
    const words = fillTemplate(translation, (index) => {
      const value = values.get(index) ?? "";
      const text = value.trim();
      // What is quoted, and single words, are names that a person may have given.
      const translated = quoted.has(index) || depth > MAX_DEPTH || !/\s/.test(text) ? undefined : this.#text(text, depth);
      // A name in its quotation marks is as it should be.
      if (quoted.has(index) && !QUOTATION_END.test(value)) known += value.length;
      isWrong ||= translated === undefined && needed.has(index);
      if (translated === undefined) return shown(value);
      known += translated.known;
      parts += translated.parts;
      return EDGE + translated.words + EDGE;
    });
    // A space sets a name off; words of Chinese have no space between them.
    return isWrong ? undefined : { words: words.replaceAll(SPACE_AT_EDGE, ""), known, parts };
  }

  /** The sentences and clauses of a text, each run of which may be one text of the catalogue. */
  #pieces(text: string, depth: number): Translated | undefined {
    // Pieces at even places, what separates them at odd ones.
    const pieces = text.split(BREAK);
    if (pieces.length === 1) return undefined;
    /** The best translation of what follows each piece. */
    const rest: Translated[] = [];
    for (let start = pieces.length - 1; start >= 0; start -= 2) {
      const candidates: Translated[] = [];
      // The shortest runs last, so that of two ways the one with the shorter sentences is taken.
      for (let end = Math.min(pieces.length, start + 2 * MAX_SENTENCES - 1); end > start; end -= 2) {
        const run = pieces.slice(start, end).join("");
        const part = end - start === pieces.length || !/\s/.test(run) ? undefined : this.#part(run, depth);
        if (part === undefined && end > start + 1) continue;
        const { words, known, parts } = part ?? { ...NOTHING, words: shown(run) };
        const after = rest[end + 1] ?? NOTHING;
        candidates.push({
          words: words + separator(pieces[end] ?? "", words, after.words) + after.words,
          known: known + after.known,
          parts: parts + after.parts,
        });
      }
      rest[start] = best(candidates) ?? NOTHING;
    }
    const [all] = rest;
    return all === undefined || all.known === 0 ? undefined : all;
  }
}

/**
 * The one that leaves the least untranslated; of several the one of the fewest parts, and of these the last: a template with fewer words is rather around one with more
 * than in it.
 */
function best(candidates: readonly (Translated | undefined)[]): Translated | undefined {
  return candidates.reduce((found, one) => {
    if (one === undefined || found === undefined) return one ?? found;
    return one.known > found.known || (one.known === found.known && one.parts <= found.parts) ? one : found;
  }, undefined);
}

/** Marks in a command or a path would be copied with it, so only what needs them has them. */
function shown(value: string): string {
  const [, inner] = PARENTHESES.exec(value.trim()) ?? [];
  if (inner !== undefined) return `（${shown(inner)}）`;
  if (value.startsWith(": ")) return `：${shown(value.slice(2))}`;
  return TURNING.test(value) ? isolate(value) : value;
}

function surround(before: string, text: Translated | undefined, after: string): Translated | undefined {
  return text && { ...text, words: `${before}${text.words}${after}` };
}

/** What separates two pieces; the first may be the end of a template. */
function separator(gap: string, before: string, after: string): string {
  if (after.startsWith("（") && gap.trim() === "") return "";
  if (gap.startsWith(";") && HAN_START.test(after)) return "；";
  if (before !== "" && !CJK_END.test(before)) return gap;
  return gap.startsWith(":") ? "：" : gap.startsWith(";") ? "；" : "";
}
