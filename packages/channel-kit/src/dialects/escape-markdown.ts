import type { Place } from "../render/dialect.ts";

const WORD = /[\p{L}\p{N}]/u;
const PUNCTUATION = /[!-/:-@[-`{-~]/;

/** What may be markup at the start of a line: headings, quotes, lists, rules, table rows, fences, definitions. */
const LINE_START = /^(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|-(?=[-:|#])|=(?=[=\s]|$)|[|[]|:(?=-)|\d{1,9}(?=[.)](?:\s|$)))/;

/** The beginning of what GitHub's Markdown reads as an address, if no backslash interrupts it. */
const ADDRESS = /(?:https?(?=:\/\/)|www(?=\.))/gi;
/** What may need a backslash, which an address would show. */
const SPECIAL = /[*_~`\\[\]<>&|!]/;

/**
 * Escapes a part of a line for Markdown with backslashes, and only where a character could be markup: `snake_case`, `2 * 3` and `a < b` stay as they are.
 */
export function escapeMarkdown(text: string, place: Place): string {
  const line = `${text}${place.after}`;
  const [start = ""] = place.lineStart && place.before === "" ? (LINE_START.exec(line) ?? []) : [];
  // The escaped character of a numbered item is the one behind the number.
  const startAt = start === "" ? -1 : /^\d/.test(start) ? start.length : 0;
  const addresses = Array.from(text.matchAll(ADDRESS), ({ 0: match, index }) => index + match.length).filter((at) => isSpecial(line, at));
  return text.replaceAll(/[^\p{L}\s]/gu, (character, offset: number) => {
    if (offset === startAt || addresses.includes(offset)) return `\\${character}`;
    const previous = offset > 0 ? text.charAt(offset - 1) : place.before;
    return isMarkup(character, { previous, rest: line.slice(offset + 1, offset + 40), place }) ? `\\${character}` : character;
  });
}

/** True if a backslash may be needed before the end of the address. */
function isSpecial(line: string, at: number): boolean {
  const [rest = ""] = /^\S*/.exec(line.slice(at)) ?? [];
  return SPECIAL.test(rest) || at + rest.length === line.length;
}

function isMarkup(character: string, at: { readonly previous: string; readonly rest: string; readonly place: Place }): boolean {
  const { previous, rest, place } = at;
  const next = rest.charAt(0);
  switch (character) {
    case "`":
      return true;
    case "\\":
      // A message may be cut at white space, and then markup follows.
      return /^(?:$|\s)/.test(rest) || PUNCTUATION.test(next);
    case "*":
    case "~":
      return !(/\s/.test(previous) && /\s/.test(next));
    case "_":
      return !(/\s/.test(previous) && /\s/.test(next)) && !(WORD.test(previous) && WORD.test(next));
    case "[":
      return place.content === "label";
    case "]":
      return place.content === "label" || /^[*~`]*[([:]/.test(rest);
    case "!":
      return /^[*~`]*\[/.test(rest);
    case "<":
      return /^[\p{L}!/?@#:&]/u.test(rest);
    case "&":
      return /^#?\w+[*~`]*(?:;|$)/.test(rest);
    case "#":
      // A run of them would end a heading.
      return /[\s#]/.test(previous) && /^#*\n/.test(rest);
    case "|":
      return place.inCell || next === "|" || previous === "|";
    default:
      return false;
  }
}
