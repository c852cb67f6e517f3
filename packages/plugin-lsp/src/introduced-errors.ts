import type { Diagnostic } from "vscode-languageserver-protocol";
import type { TextLines } from "./text-lines.ts";

const ERROR = 1;

/** Which lines of a text a change has left as they were. */
interface Unchanged {
  /** Lines at the beginning. */
  readonly first: number;
  /** Lines at the end. */
  readonly last: number;
  readonly movedBy: number;
  readonly before: number;
}

/**
 * The errors of a text that it did not have before a change. An error is the same if it says the same in a line that has only moved, or anywhere in what was
 * changed; of several that say the same as many are old as there were.
 */
export function introducedErrors(
  before: { readonly items: readonly Diagnostic[]; readonly lines: TextLines },
  after: { readonly items: readonly Diagnostic[]; readonly lines: TextLines },
): readonly Diagnostic[] {
  const unchanged = compare(before.lines, after.lines);
  const known = new Map<string, number>();
  const count = (key: string, by: number): void => void known.set(key, (known.get(key) ?? 0) + by);
  const inPlace = (item: Diagnostic, line: number): string => `${line} ${wordsOf(item)}`;
  for (const item of before.items.filter(isError)) {
    const line = movedLine(item.range.start.line, unchanged);
    count(line === undefined ? wordsOf(item) : inPlace(item, line), 1);
  }
  const take = (key: string): boolean => {
    if ((known.get(key) ?? 0) === 0) return false;
    count(key, -1);
    return true;
  };
  const rest = after.items.filter(isError).filter((item) => !take(inPlace(item, item.range.start.line)));
  return rest.filter((item) => !take(wordsOf(item)));
}

function isError({ severity }: Diagnostic): boolean {
  return (severity ?? ERROR) === ERROR;
}

function wordsOf({ message, code, source }: Diagnostic): string {
  return JSON.stringify([message, code, source]);
}

/** Where a line of the earlier text is now; `undefined` if it was changed. */
function movedLine(line: number, { first, last, movedBy, before }: Unchanged): number | undefined {
  if (line < first) return line;
  return line >= before - last ? line + movedBy : undefined;
}

function compare(before: TextLines, after: TextLines): Unchanged {
  const shorter = Math.min(before.count, after.count);
  let first = 0;
  while (first < shorter && before.line(first) === after.line(first)) first += 1;
  let last = 0;
  while (last < shorter - first && before.line(before.count - 1 - last) === after.line(after.count - 1 - last)) last += 1;
  return { first, last, movedBy: after.count - before.count, before: before.count };
}
