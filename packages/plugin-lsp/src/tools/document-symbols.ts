import type { DocumentSymbol, SymbolInformation } from "vscode-languageserver-protocol";
import { isObject } from "../is-object.ts";
import type { Place, PositionEncoding, TextLines } from "../text-lines.ts";

/** A symbol of a file. */
export interface FileSymbol {
  readonly kind: string;
  /** Its name, behind those of what it is in. */
  readonly path: readonly string[];
  /** Where its name is. */
  readonly place: Place;
  readonly firstLine: number;
  readonly lastLine: number;
}

const KINDS =
  "file module namespace package class method property field constructor enum interface function variable constant string number boolean array object key null enum-member struct event operator type-parameter".split(
    " ",
  );
const MAX_SYMBOLS = 5_000;
const MAX_DEPTH = 20;

/** The name of a symbol kind of the protocol. */
export function kindName(kind: unknown): string {
  return (typeof kind === "number" ? KINDS[kind - 1] : undefined) ?? "symbol";
}

/** Reads the answer to `textDocument/documentSymbol`, in the order of the text. What is no symbol is left out. */
export function parseSymbols(answer: unknown, lines: TextLines, encoding: PositionEncoding): readonly FileSymbol[] {
  const found: FileSymbol[] = [];
  const add = (list: unknown, above: readonly string[]): void => {
    if (!Array.isArray(list) || above.length > MAX_DEPTH) return;
    for (const one of list as readonly unknown[]) {
      if (found.length >= MAX_SYMBOLS) return;
      if (!isObject(one) || typeof one["name"] !== "string") continue;
      const symbol = one as unknown as Partial<DocumentSymbol & SymbolInformation> & { readonly name: string };
      const range = symbol.range ?? symbol.location?.range;
      if (!isObject(range) || !isObject(range.start) || !isObject(range.end)) continue;
      const container = symbol.containerName === undefined || symbol.containerName === "" ? above : [symbol.containerName];
      const path = [...container, ...namesOf(symbol.name)];
      const start = lines.fromServer(symbol.selectionRange?.start ?? range.start, encoding);
      const place = symbol.selectionRange === undefined ? nameFrom(lines, start, path.at(-1) ?? "") : start;
      found.push({ kind: kindName(symbol.kind), path, place, firstLine: range.start.line, lastLine: range.end.line });
      add(symbol.children, path);
    }
  };
  add(answer, []);
  return found;
}

/** Those whose name path ends in this one: `method`, `Class/method`. */
export function matchSymbols(symbols: readonly FileSymbol[], name: string): readonly FileSymbol[] {
  const by = (separator: string): readonly FileSymbol[] => {
    const wanted = name.split(separator).filter((part) => part !== "");
    return symbols.filter(({ path }) => wanted.length > 0 && wanted.every((part, index) => path.at(index - wanted.length) === part));
  };
  const exact = by("/");
  return exact.length > 0 ? exact : by(".");
}

/** Some servers have `(*Type).method` for a method, and parameters behind names. */
function namesOf(name: string): readonly string[] {
  const [, type, method] = /^\(\*?([^)]+)\)\.(.+)$/.exec(name) ?? [];
  if (type !== undefined && method !== undefined) return [type, method];
  return [name.replace(/(?<=.)\(.*\)$/, "")];
}

/** The place of a name at or after another place. */
function nameFrom(lines: TextLines, start: Place, name: string): Place {
  const at = lines.text.indexOf(name, lines.offsetOf(start));
  return at === -1 ? start : lines.placeOf(at);
}
