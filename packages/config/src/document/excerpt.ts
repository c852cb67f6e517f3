/** A place in a file. Lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Widest part of a line that is shown. */
const MAX_WIDTH = 100;
const LINE_END = /\r\n|[\n\r\u2028\u2029]/;
const HIDDEN = "…";

/** The position of the character at `index`. */
export function positionOf(text: string, index: number): Position {
  const lines = text.slice(0, index).split(LINE_END);
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

/** The index of a position; the end of its line if the column is beyond it. */
export function indexOf(text: string, { line, column }: Position): number {
  let start = 0;
  for (let count = 1; count < line; count += 1) {
    const end = LINE_END.exec(text.slice(start));
    if (end === null) return text.length;
    start += end.index + end[0].length;
  }
  const length = text.slice(start).split(LINE_END, 1)[0]?.length ?? 0;
  return start + Math.min(Math.max(column - 1, 0), length);
}

/** A part of a line that must not be shown. */
export type HiddenRange = readonly [start: number, end: number];

/**
 * Renders the line of a position with a mark below the column, for people:
 * ```
 * 3 |   bind: "lann",
 *   |         ^
 * ```
 * `hide` selects the parts of the line that may contain a secret; each becomes one `…`.
 */
export function renderExcerpt(text: string, { line, column }: Position, hide: (line: string) => readonly HiddenRange[]): string {
  const whole = (text.split(LINE_END)[line - 1] ?? "").replaceAll("\t", " ");
  const masked = maskRanges(whole, hide(whole), column - 1);
  const from = Math.max(0, Math.min(masked.index - MAX_WIDTH / 2, masked.text.length - MAX_WIDTH));
  const lead = from > 0 ? HIDDEN : "";
  const part = masked.text.slice(from, from + MAX_WIDTH);
  const tail = from + MAX_WIDTH < masked.text.length ? HIDDEN : "";
  const margin = String(line);
  const mark = " ".repeat(lead.length + masked.index - from);
  return `${margin} | ${lead}${part}${tail}\n${" ".repeat(margin.length)} | ${mark}^`;
}

function maskRanges(line: string, ranges: readonly HiddenRange[], index: number): { readonly text: string; readonly index: number } {
  let text = "";
  let shownIndex: number | undefined;
  let position = 0;
  for (const [start, end] of ranges.toSorted(([left], [right]) => left - right)) {
    if (start < position) continue;
    text += line.slice(position, start);
    if (shownIndex === undefined && index < end)
      shownIndex = index < start ? index - position + text.length - (start - position) : text.length;
    text += HIDDEN;
    position = end;
  }
  shownIndex ??= text.length + Math.max(0, Math.min(index, line.length) - position);
  return { text: text + line.slice(position), index: shownIndex };
}

/** Hides every occurrence of the given texts. */
export function hideTexts(secrets: readonly string[]): (line: string) => readonly HiddenRange[] {
  const written = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]).filter((secret) => secret !== "");
  return (line) =>
    written.flatMap((secret) => {
      const found: HiddenRange[] = [];
      for (let at = line.indexOf(secret); at !== -1; at = line.indexOf(secret, at + secret.length)) found.push([at, at + secret.length]);
      return found;
    });
}

/** In a file that cannot be parsed any value may be a secret: every text is hidden, keys and punctuation are shown. */
export function hideValues(format: "json5" | "yaml"): (line: string) => readonly HiddenRange[] {
  return (line) => {
    if (format === "yaml") {
      const start = /^\s*(?:- )?(?:[\w.$-]+\s*:|["'][^"']*["']\s*:)?\s*/.exec(line)?.[0].length ?? 0;
      return isHarmless(line.slice(start)) || /^[a-zA-Z]{1,12}\s*$/.test(line.slice(start)) ? [] : [[start, line.length]];
    }
    const quoted = [...line.matchAll(/"(?:[^"\\]|\\.)*(?:"|$)|'(?:[^'\\]|\\.)*(?:'|$)/g)].flatMap(({ 0: text, index }): HiddenRange[] =>
      /^\s*:/.test(line.slice(index + text.length)) || text.length <= 2
        ? []
        : [[index + 1, index + text.length - (text.length > 1 && text.endsWith(text[0] ?? "") ? 1 : 0)]],
    );
    const bare = [...line.matchAll(/[:=[,]\s*(?<value>[^\s"'{}[\],:=][^,}\]]*)/g)].flatMap(({ 0: text, index, groups }): HiddenRange[] => {
      const value = groups?.["value"] ?? "";
      const start = index + text.length - value.length;
      return isHarmless(value) || quoted.some(([from, to]) => start >= from && start < to) || /^[\w$]+\s*:/.test(value)
        ? []
        : [[start, start + value.trimEnd().length]];
    });
    return [...quoted, ...bare];
  };
}

function isHarmless(value: string): boolean {
  return /^\s*(?:true|false|null|yes|no|-?\d{1,6}(?:\.\d{1,3})?|\/\/.*|#.*|[{}[\],&*|>-]*)\s*$/.test(value);
}
