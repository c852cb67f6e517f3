const SPACES = /[\p{Cc}\p{Zs}\u2028\u2029]+/gu;
/** Characters that change the direction of text, hide it or are invisible: they can make a line look different from what it is. Joiners of scripts stay. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** Reduces external text to one plain line: no control or bidirectional characters, single spaces, at most `maxChars` characters. */
export function plainLine(text: string, maxChars: number): string {
  const line = text.toWellFormed().replace(INVISIBLE, "").replace(SPACES, " ").trim();
  const characters = Array.from(line);
  return characters.length <= maxChars
    ? line
    : `${characters
        .slice(0, maxChars - 1)
        .join("")
        .trimEnd()}…`;
}
