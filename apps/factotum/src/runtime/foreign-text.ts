/** Maximum characters shown. */
const MAX_CHARS = 80;

/** What moves the cursor, changes a terminal or reorders a line. Line breaks and tabs do not, and joiners belong to letters and emoji. */
const TERMINAL_CONTROL = /[^\P{Cc}\n\r\t]|\r(?!\n)|[\u202a-\u202e\u2066-\u2069]/gu;

/** A longer text of other people or of a model, for a terminal: what controls the terminal is escaped. */
export function terminalText(text: string): string {
  return text.replaceAll(TERMINAL_CONTROL, escapeCharacter);
}

/**
 * Text that strangers choose, such as names and ids, in quotes for one line of a terminal: control and format characters are escaped, so that it cannot move
 * the cursor, change colours or reorder the line.
 */
export function foreignText(text: string): string {
  const characters = Array.from(text);
  const shown = characters.length > MAX_CHARS ? [...characters.slice(0, MAX_CHARS), "…"] : characters;
  const escaped = shown.join("").replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}"\\]/gu, escapeCharacter);
  return `"${escaped}"`;
}

/** A whole line of a text that a person decides on, without quotes: control characters, and those that hide or reorder text, are escaped. */
export function plainText(line: string): string {
  return line.replaceAll(/[^\P{Cc}\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
