import { positionOf } from "./excerpt.ts";

/** A syntax error as text, and its index. */
export interface ExplainedError {
  readonly message: string;
  readonly index: number;
}

interface Token {
  readonly text: string;
  readonly index: number;
}

const TOKEN =
  /\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n\r]|\\[\s\S])*"?|'(?:[^'\\\n\r]|\\[\s\S])*'?|[{}[\],:]|[^\s{}[\],:"'/=;]+|\S/g;
const OPENING: Readonly<Record<string, string>> = { "}": "{", "]": "[" };
const CLOSING: Readonly<Record<string, string>> = { "{": "}", "[": "]" };

/** The most missing brackets that a message shows. */
const MAX_MISSING = 8;

/** Describes a syntax error of a JSON5 parser at `index` (the end of the text for a premature end). */
export function explainJson5Error(text: string, index: number): ExplainedError {
  const tokens = [...text.matchAll(TOKEN)].map((match): Token => ({ text: match[0], index: match.index }));
  const comment = tokens.find((token) => token.text.startsWith("/*") && !token.text.endsWith("*/"));
  if (comment !== undefined) return { message: "this comment has no end: */ is missing", index: comment.index };
  const code = tokens.filter((token) => !token.text.startsWith("//") && !token.text.startsWith("/*"));
  const broken = code.find((token) => token.index <= index && isUnclosedText(token.text));
  if (broken !== undefined) return { message: "this text has no closing quote", index: broken.index };
  const at = code.findIndex((token) => token.index <= index && index < token.index + token.text.length);
  const before = code.slice(0, at === -1 ? code.length : at);
  const open = openBrackets(before);
  const token = code[at];
  const next = code[at + 1]?.text;
  if (token === undefined) return { message: endsEarly(text, open), index: open.at(-1)?.index ?? text.length };
  return { message: explainToken(token, { text, before, open, next }), index: token.index };
}

interface Place {
  readonly text: string;
  readonly before: readonly Token[];
  readonly open: readonly Token[];
  /** The token after it. */
  readonly next: string | undefined;
}

function explainToken(token: Token, { text, before, open, next }: Place): string {
  const last = before.at(-1)?.text ?? "";
  const first = token.text[0] ?? "";
  const parent = open.at(-1);
  if (/^[“”„‘’‚«»]/.test(first)) return 'these are typographic quotes; write straight ones: "';
  if (first === "#") return "a comment begins with //, not with #";
  if (first === "=") return "a colon is expected between a key and its value, not =";
  if (first === ";") return "a comma is expected between two keys, not ;";
  if (first === "/") return "a comment begins with // or /*";
  if (parent === undefined && last !== "") return "nothing may follow the closing bracket of the file";
  if (first in OPENING && parent !== undefined && parent.text !== OPENING[first]) {
    return `${CLOSING[parent.text] ?? ""} is expected first, to close the ${parent.text} of line ${positionOf(text, parent.index).line}`;
  }
  if (parent?.text === "[" && (first === ":" || next === ":")) return KEYS_IN_LIST;
  if (first === ",") return last === ":" ? "the value of this key is missing" : "this comma is one too many";
  if (last === ":") return /^[}\]]/.test(first) ? "the value of this key is missing" : "a text needs quotes here, before and behind it";
  if (first === ":") return "there is no key before this colon";
  const isKeyPlace = parent?.text === "{" && (last === "{" || last === ",");
  if (isKeyPlace) return "a key with other characters than letters, digits, _ and $ needs quotes";
  if (parent?.text === "{" && isKey(before)) return "a colon is missing between this and the key before it";
  if (/^[{["'\w$-]/.test(first)) {
    return last === "[" || last === "," ? "a text needs quotes here, before and behind it" : "a comma is missing before this";
  }
  return `"${first}" is not expected here`;
}

const KEYS_IN_LIST = "a list holds values, and keys need an object around them: [{ key: value }]";

/** True if the last token is a key without its colon. */
function isKey(before: readonly Token[]): boolean {
  if (/^[{}[\],:]/.test(before.at(-1)?.text ?? "")) return false;
  return ["{", ","].includes(before.at(-2)?.text ?? "");
}

function endsEarly(text: string, open: readonly Token[]): string {
  const last = open.at(-1);
  if (last === undefined) return "the file ends too early";
  const line = positionOf(text, last.index).line;
  const missing = open
    .slice(-MAX_MISSING)
    .toReversed()
    .map((token) => CLOSING[token.text])
    .join(" ");
  const others = open.length > MAX_MISSING ? " …" : "";
  return `the file ends too early: ${missing}${others} ${open.length === 1 ? "is" : "are"} missing; the ${last.text} of line ${line} is never closed`;
}

function openBrackets(tokens: readonly Token[]): readonly Token[] {
  const open: Token[] = [];
  for (const token of tokens) {
    if (token.text === "{" || token.text === "[") open.push(token);
    else if (token.text === "}" || token.text === "]") open.pop();
  }
  return open;
}

function isUnclosedText(text: string): boolean {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return false;
  return text.length === 1 || !text.endsWith(quote) || text.slice(1, -1).replaceAll("\\\\", "").endsWith("\\");
}
