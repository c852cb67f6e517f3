/** Chinese, Japanese and Korean: written without spaces, or with words that endings grow onto. */
const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30fc\u3005`;
const RUNS = new RegExp(`[${CJK}]+|(?:(?![${CJK}])[\\p{L}\\p{N}\\p{M}])+`, "gu");
const IS_CJK = new RegExp(`^[${CJK}]`, "u");
/** Accents of Latin, Greek and Cyrillic letters; voice marks of kana and vowel signs are letters of their own. */
const ACCENTS = /[\u0300-\u036f]/gu;
/** Longer runs are encoded data rather than words. */
const MAX_WORD_CHARS = 64;

/**
 * The search tokens of a text, in order, with repetitions: words in lower case without accents; of Chinese, Japanese and Korean the single characters and the
 * pairs of neighbours. A token holds letters, digits and marks alone.
 */
export function tokenize(text: string): readonly string[] {
  const folded = text.normalize("NFKC").toLowerCase().normalize("NFD").replace(ACCENTS, "").normalize("NFC");
  const tokens: string[] = [];
  for (const [run] of folded.matchAll(RUNS)) {
    if (IS_CJK.test(run)) addCharacters(run, tokens);
    else tokens.push(run.slice(0, MAX_WORD_CHARS));
  }
  return tokens;
}

function addCharacters(run: string, tokens: string[]): void {
  let before = "";
  for (const character of run) {
    tokens.push(character);
    if (before !== "") tokens.push(before + character);
    before = character;
  }
}
