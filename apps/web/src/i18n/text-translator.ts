import { isolate } from "./isolate.ts";
import { createTemplateMatcher, fillTemplate, type TemplateMatch } from "./text-templates.ts";

/** Longer texts are no sentences of the gateway, in characters. */
const MAX_TEXT_CHARS = 2_000;
/** Sentences that are tried as one text: values may be several sentences. */
const MAX_SENTENCES = 8;
/** Translations that are remembered: lists show the same texts each time they are drawn. */
const MAX_REMEMBERED = 500;
/** Between sentences, and between lines. */
const BREAK = /((?<=[.!?:]["')”]?)\s+(?=[\p{Lu}"“'`(])|\n+)/u;
/** Characters of scripts that are written from the right, and those that turn the direction. */
const TURNING = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** The end of a sentence needs no space after it. */
const CJK_END = /[。！？：；”）]$/u;

/**
 * Creates the translation of English texts of others by a catalogue, from templates such as `There is no agent "{0}".` to those of another language. A text is
 * translated as a whole if it is in the catalogue or matches a template; otherwise those of its sentences and lines that do; otherwise it stays as it is.
 */
export function createTextTranslator(catalogue: Readonly<Record<string, string>>): (text: string) => string {
  const exact = new Map(Object.entries(catalogue));
  const match = createTemplateMatcher(catalogue);
  const remembered = new Map<string, string>();

  const translatePart = (text: string, depth: number): string | undefined => {
    const known = exact.get(text);
    if (known !== undefined) return known;
    const found = match(text);
    return found === undefined ? undefined : fillTemplate(found.translation, (index) => shownValue(found, index, depth));
  };

  const shownValue = ({ values, quoted }: TemplateMatch, index: number, depth: number): string => {
    const value = values.get(index) ?? "";
    // What is quoted, and single words, are names that a person may have given.
    const translated = depth === 0 && !quoted.has(index) && value.includes(" ") ? translateText(value, 1) : undefined;
    if (translated !== undefined) return translated;
    // Marks in a command or a path would be copied with it, so only what needs them has them.
    return TURNING.test(value) ? isolate(value) : value;
  };

  const translateText = (text: string, depth: number): string | undefined => {
    const whole = translatePart(text, depth);
    if (whole !== undefined) return whole;
    // Sentences at even places, what separates them at odd ones.
    const pieces = text.split(BREAK);
    let translated = "";
    let isKnown = false;
    for (let start = 0; start < pieces.length;) {
      const { end, words } = longestKnown(pieces, start, depth);
      isKnown ||= words !== undefined;
      translated += words ?? pieces[start] ?? "";
      const gap = pieces[end] ?? "";
      translated += !gap.includes("\n") && CJK_END.test(translated) ? "" : gap;
      start = end + 1;
    }
    return isKnown ? translated : undefined;
  };

  /** The longest run of sentences from `start` that is known together. `end` is the place after it. */
  const longestKnown = (pieces: readonly string[], start: number, depth: number): { readonly end: number; readonly words?: string } => {
    for (let end = Math.min(pieces.length, start + 2 * MAX_SENTENCES - 1); end > start; end -= 2) {
      const words = translatePart(pieces.slice(start, end).join(""), depth);
      if (words !== undefined) return { end, words };
    }
    return { end: start + 1 };
  };

  return (text) => {
    if (text === "" || text.length > MAX_TEXT_CHARS) return text;
    const before = remembered.get(text);
    if (before !== undefined) return before;
    const translated = translateText(text, 0) ?? text;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(text, translated);
    return translated;
  };
}
