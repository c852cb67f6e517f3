import { endsInCrlf } from "../files/apply-edits.ts";
import { quoteLine, type Hunk, type HunkLine } from "./parse-patch.ts";

/** All hunks or none. The message is for the model. */
export type HunksOutcome = { readonly type: "applied"; readonly text: string } | { readonly type: "refused"; readonly message: string };

/** Comparisons of lines per file: more than any real patch needs, and a fraction of a second. */
const MAX_COMPARISONS = 20_000_000;

/** One replacement of lines. */
interface Replacement {
  readonly start: number;
  readonly removed: number;
  readonly lines: readonly string[];
}

/**
 * Applies the hunks of one file in order. Lines must match exactly, or up to white space at their ends; kept lines stay as they are in the file. A file whose
 * lines all end in CRLF stays so, and one without a line end at its end too. Pure.
 */
export function applyHunks(original: string, hunks: readonly Hunk[]): HunksOutcome {
  const file = new FileLines(original);
  const replacements: Replacement[] = [];
  let from = 0;
  for (const [index, hunk] of hunks.entries()) {
    const found = locate(hunk, file, from);
    if (typeof found === "string") return { type: "refused", message: `Hunk ${index + 1}, line ${hunk.line} of the patch: ${found}` };
    replacements.push(found);
    from = found.start + found.removed;
  }
  return { type: "applied", text: file.replace(replacements) };
}

/** Where a hunk belongs, or why it was not found. */
function locate(hunk: Hunk, file: FileLines, from: number): Replacement | string {
  let start = from;
  for (const anchor of hunk.anchors) {
    const at = file.find([anchor], start);
    if (at === "exhausted") return TOO_LARGE;
    if (at === undefined) return `the line after @@ was not found${file.elsewhere([anchor], start)}: ${quoteLine(anchor)}`;
    start = at + 1;
  }
  for (const lines of withoutTrailingBlanks(hunk.lines)) {
    const old = oldLines(lines);
    const at = file.place(old, { from: start, isAtEnd: hunk.isAtEnd, isAnchored: hunk.anchors.length > 0 });
    if (at === "exhausted") return TOO_LARGE;
    if (at !== undefined) return { start: at, removed: old.length, lines: file.merge(lines, at) };
  }
  return file.explain(oldLines(hunk.lines), start, hunk.isAtEnd);
}

const TOO_LARGE = "the file and the patch have too many lines alike; use edit, or fewer and more distinct lines.";

function oldLines(lines: readonly HunkLine[]): readonly string[] {
  return lines.filter(({ mark }) => mark !== "+").map(({ text }) => text);
}

/** The hunk, then the hunk without blank kept lines at its end: models put some there that the file does not have. */
function* withoutTrailingBlanks(lines: readonly HunkLine[]): Generator<readonly HunkLine[]> {
  yield lines;
  const last = lines.findLastIndex(({ mark, text }) => mark !== " " || text.trim() !== "");
  if (last < lines.length - 1) yield lines.slice(0, last + 1);
}

/** The lines of a file, without their line ends. */
class FileLines {
  readonly #lines: readonly string[];
  readonly #lineEnd: "\n" | "\r\n";
  readonly #hasLastLineEnd: boolean;
  #comparisons = 0;

  constructor(text: string) {
    this.#lineEnd = endsInCrlf(text) ? "\r\n" : "\n";
    const lines = text.split(this.#lineEnd);
    this.#hasLastLineEnd = lines.at(-1) === "";
    if (this.#hasLastLineEnd) lines.pop();
    this.#lines = lines;
  }

  /** The first place of consecutive lines from a line on: an exact one if there is one. */
  find(wanted: readonly string[], from: number): number | undefined | "exhausted" {
    for (const toCompared of [asItIs, trimmed]) {
      for (let start = from; start + wanted.length <= this.#lines.length; start += 1) {
        if (this.#matching(wanted, start, toCompared) === wanted.length) return start;
        if (this.#comparisons > MAX_COMPARISONS) return "exhausted";
      }
    }
    return undefined;
  }

  /** The place of a hunk's old lines. Without any it only adds: after its anchor, else at the end. */
  place(
    old: readonly string[],
    { from, isAtEnd, isAnchored }: { readonly from: number; readonly isAtEnd: boolean; readonly isAnchored: boolean },
  ): number | undefined | "exhausted" {
    const end = this.#lines.length - old.length;
    if (old.length === 0) return isAnchored && !isAtEnd ? from : end;
    if (!isAtEnd) return this.find(old, from);
    return end >= from && this.#matching(old, end, trimmed) === old.length ? end : undefined;
  }

  /** A hunk's new lines; kept ones are those of the file. */
  merge(lines: readonly HunkLine[], start: number): readonly string[] {
    let at = start;
    return lines.flatMap(({ mark, text }) => {
      if (mark === "+") return [text];
      at += 1;
      return mark === " " ? [this.#lines[at - 1] ?? text] : [];
    });
  }

  replace(replacements: readonly Replacement[]): string {
    const out: string[] = [];
    let at = 0;
    for (const { start, removed, lines } of replacements) {
      for (let index = at; index < start; index += 1) out.push(this.#lines[index] ?? "");
      for (const line of lines) out.push(line);
      at = start + removed;
    }
    for (let index = at; index < this.#lines.length; index += 1) out.push(this.#lines[index] ?? "");
    if (out.length === 0) return "";
    return out.join(this.#lineEnd) + (this.#hasLastLineEnd ? this.#lineEnd : "");
  }

  /** Names the first line that does not match, at the place where most lines do. */
  explain(old: readonly string[], from: number, isAtEnd: boolean): string {
    if (isAtEnd) return `these lines are not the end of the file. The first one: ${quoteLine(old[0] ?? "")}`;
    let [best, matched] = [from, 0];
    for (let start = from; start < this.#lines.length; start += 1) {
      const count = this.#matching(old, start, trimmed);
      if (count > matched) [best, matched] = [start, count];
      if (this.#comparisons > MAX_COMPARISONS) break;
    }
    const missing = quoteLine(old[matched] ?? "");
    if (matched === 0) return `this line was not found${this.elsewhere(old, from)}: ${missing}`;
    const line = best + matched;
    const there = this.#lines[line];
    const actual = there === undefined ? "the file ends there" : `line ${line + 1} of the file is ${quoteLine(there)}`;
    return `the first ${matched === 1 ? "line matches" : `${matched} lines match`} at line ${best + 1} of the file, but not ${missing}: ${actual}`;
  }

  /** A hint if the lines stand above the place where the search began. */
  elsewhere(wanted: readonly string[], from: number): string {
    const at = from === 0 ? undefined : this.find(wanted, 0);
    return typeof at === "number" ? ` below line ${from} (it is at line ${at + 1}; hunks must be in the order of the file)` : "";
  }

  /** How many of the wanted lines match from a line on. */
  #matching(wanted: readonly string[], start: number, toCompared: (line: string) => string): number {
    let count = 0;
    while (count < wanted.length && start + count < this.#lines.length) {
      this.#comparisons += 1;
      if (toCompared(wanted[count] ?? "") !== toCompared(this.#lines[start + count] ?? "")) break;
      count += 1;
    }
    return count;
  }
}

function asItIs(line: string): string {
  return line;
}

function trimmed(line: string): string {
  return line.trimEnd();
}
