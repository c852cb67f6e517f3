import JSON5 from "json5";

/** A duplicate key of one object. Lines count from 1. */
export interface DuplicateKey {
  readonly key: string;
  readonly firstLine: number;
  readonly line: number;
  /** Index of the second one. */
  readonly index: number;
}

/** Tokens of a valid text: comments, strings, punctuation and words. */
export const JSON5_TOKEN: RegExp =
  /\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|[{}[\],:]|[^\s{}[\],:"'/]+/g;

/**
 * The first duplicate key of a text; JSON5 and JSON silently let the later one win. The text must be valid JSON5.
 */
export function findDuplicateKey(text: string): DuplicateKey | undefined {
  // The keys of each open object with their positions; lists get a map too, which stays empty.
  const open: Map<string, number>[] = [];
  let last = { text: "", index: 0 };
  for (const { 0: token, index } of text.matchAll(JSON5_TOKEN)) {
    if (token.startsWith("//") || token.startsWith("/*")) continue;
    if (token === "{" || token === "[") open.push(new Map());
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const key = Object.keys(JSON5.parse<object>(`{${last.text}:0}`))[0] ?? "";
      const first = open.at(-1)?.get(key);
      if (first !== undefined) return { key, firstLine: lineOf(text, first), line: lineOf(text, last.index), index: last.index };
      open.at(-1)?.set(key, last.index);
    }
    last = { text: token, index };
  }
  return undefined;
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split(/\r\n|[\n\r\u2028\u2029]/).length;
}
