/** Marks a text that is translated later: in a table that is built before the language is known. */
export function msg(english: string): string {
  return english;
}
