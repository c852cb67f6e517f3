/** `*`, `_` and `~`, as many as follow each other. */
const RUNS = /([*_~])\1*/g;
const BLANK_LINE = /\n[^\S\n]*\n/;
const SPACE = /^\s?$/;
const LETTER = /[\p{L}\p{N}]/u;

/**
 * Steps of the parser back through the runs of a text. Prose takes a few hundred: nearly every run that can close finds the one that it closes just before it. A
 * step takes about 0.2 µs.
 */
const MAX_STEPS = 50_000;

/**
 * True for a text whose emphasis would take the parser too long: a run that closes nothing makes it look at all earlier ones of the paragraph, so that the time
 * of `*_*_*_…` grows with the square of the length. An estimate: code and links are read as text, and runs of any length as one mark.
 */
export function hasTangledMarks(text: string): boolean {
  let steps = 0;
  let paragraph = new Paragraph();
  let previousEnd = 0;
  for (const match of text.matchAll(RUNS)) {
    const end = match.index + match[0].length;
    if (BLANK_LINE.test(text.slice(previousEnd, match.index))) paragraph = new Paragraph();
    previousEnd = end;
    const [before, after] = [text.charAt(match.index - 1), text.charAt(end)];
    // Within a word `_` is a letter.
    if (match[1] === "_" && LETTER.test(before) && LETTER.test(after)) continue;
    steps += paragraph.add(match[1] ?? "", { canOpen: !SPACE.test(after), canClose: !SPACE.test(before) });
    if (steps > MAX_STEPS) return true;
  }
  return false;
}

/** The runs of a paragraph that are open, by mark and number. */
class Paragraph {
  readonly #open: { readonly mark: string; readonly number: number }[] = [];
  #count = 0;

  /** Adds a run; returns how far the parser looks back for the one that it closes. */
  add(mark: string, { canOpen, canClose }: { readonly canOpen: boolean; readonly canClose: boolean }): number {
    const number = this.#count;
    this.#count += 1;
    const opened = canClose ? this.#open.findLastIndex((one) => one.mark === mark) : -1;
    if (opened === -1) {
      if (canOpen) this.#open.push({ mark, number });
      return canClose ? number : 0;
    }
    const [first] = this.#open.splice(opened);
    return number - (first?.number ?? 0);
  }
}
