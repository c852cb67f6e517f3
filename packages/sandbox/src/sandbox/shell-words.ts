/** A word that a POSIX shell reads as exactly this text. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command line of these words. */
export function quoteWords(words: readonly string[]): string {
  return words.map(quoteWord).join(" ");
}
