/** Maximum characters shown. */
const MAX_CHARS = 80;

/**
 * Text that strangers choose, such as names and ids, in quotes for one line of a terminal: control and format characters are escaped, so that it cannot move
 * the cursor, change colours or reorder the line.
 */
export function foreignText(text: string): string {
  const characters = Array.from(text);
  const shown = characters.length > MAX_CHARS ? [...characters.slice(0, MAX_CHARS), "…"] : characters;
  const escaped = shown
    .join("")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}"\\]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  return `"${escaped}"`;
}
