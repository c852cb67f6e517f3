import type { Place } from "../text-lines.ts";
import { matchSymbols, parseSymbols, type FileSymbol } from "./document-symbols.ts";
import type { OpenedFile } from "./open-target.ts";

/** Where a call says that its symbol is. */
interface TargetArguments {
  readonly symbol?: string | undefined;
  /** 1-based. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

const MAX_CANDIDATES = 10;
const WORD = /[\p{L}\p{N}_$]+/gu;

/** The place of the symbol of a call. Rejects with an error whose message says how to name it. */
export async function findTarget(opened: OpenedFile, { symbol, line, column }: TargetArguments): Promise<Place> {
  const { lines, file } = opened;
  if (line !== undefined && line > lines.count) throw new Error(`${file.shown} has ${lines.count} lines.`);
  if (symbol === undefined) {
    if (line === undefined || column === undefined) throw new Error("Give a symbol, or a line and a column.");
    return { line: line - 1, character: Math.min(column - 1, lines.line(line - 1).length) };
  }
  if (line !== undefined) {
    const place = wordIn(opened, symbol, line - 1);
    if (place === undefined) throw new Error(`${symbol} is not in line ${line} of ${file.shown}.`);
    return place;
  }
  const found = opened.server.operations.includes("symbols") ? matchSymbols(await symbolsOf(opened), symbol) : [];
  const [first, second] = found;
  if (first !== undefined && second !== undefined) throw new Error(ambiguous(symbol, found));
  const place = first?.place ?? firstWord(opened, symbol);
  if (place === undefined)
    throw new Error(`There is no symbol ${symbol} in ${file.shown}. Look at its symbols, or give a line and a column.`);
  return place;
}

/** The symbols of a file. */
export async function symbolsOf({ ask, server, lines, file }: OpenedFile): Promise<readonly FileSymbol[]> {
  const answer = await ask("textDocument/documentSymbol", { textDocument: { uri: server.uriOf(file.path) } });
  return parseSymbols(answer, lines, server.encoding);
}

/** The name at a place; empty between names. */
export function nameAt({ lines }: Pick<OpenedFile, "lines">, { line, character }: Place): string {
  for (const { 0: word, index } of lines.line(line).matchAll(WORD)) if (index <= character && character <= index + word.length) return word;
  return "";
}

/** The symbol of a name path in a line: its last name. */
function wordIn({ lines }: OpenedFile, symbol: string, line: number): Place | undefined {
  const name = symbol.split(/[/.]/).at(-1) ?? "";
  for (const { 0: word, index } of lines.line(line).matchAll(WORD)) if (word === name) return { line, character: index };
  return undefined;
}

/** A name that is only used in the file. */
function firstWord({ lines }: OpenedFile, symbol: string): Place | undefined {
  if (/[/.]/.test(symbol)) return undefined;
  for (const { 0: word, index } of lines.text.matchAll(WORD)) if (word === symbol) return lines.placeOf(index);
  return undefined;
}

function ambiguous(symbol: string, found: readonly FileSymbol[]): string {
  const listed = found.slice(0, MAX_CANDIDATES).map(({ path, kind, place }) => `- line ${place.line + 1}: ${kind} ${path.join("/")}`);
  return `${symbol} is more than one symbol. Give the line, too:\n${listed.join("\n")}`;
}
