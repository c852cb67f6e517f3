import { ZERO_WIDTH_SPACE } from "./dialect.ts";

/**
 * Puts a zero-width space behind each match of `mentions` in `text`. `tail` is the text that stands right in front of it: a mention that begins there is broken
 * up as well.
 */
export function separateMentions(text: string, options: { readonly tail: string; readonly mentions: RegExp }): string {
  const { tail, mentions } = options;
  const known = new Set(endsOf(tail, mentions));
  const ends = endsOf(tail + text, mentions)
    .filter((end) => !known.has(end))
    .map((end) => Math.max(0, end - tail.length));
  let result = "";
  let at = 0;
  for (const end of ends) {
    result += `${text.slice(at, end)}${ZERO_WIDTH_SPACE}`;
    at = end;
  }
  return result + text.slice(at);
}

/** Where the matches end. */
function endsOf(text: string, mentions: RegExp): number[] {
  return Array.from(text.matchAll(mentions), ({ 0: match, index }) => index + match.length);
}
