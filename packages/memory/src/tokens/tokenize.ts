/** Chinese, Japanese and Korean: written without spaces, or with words that endings grow onto. */
const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30fc\u3005`;
const RUNS = new RegExp(`[${CJK}]+|(?:(?![${CJK}])[\\p{L}\\p{N}\\p{M}])+`, "gu");
const IS_CJK = new RegExp(`^[${CJK}]`, "u");
/** Accents of Latin, Greek and Cyrillic letters; voice marks of kana and vowel signs are letters of their own. */
const ACCENTS = /[\u0300-\u036f]/gu;
/** What normalising leaves as it is, or what stands between words: most text, and normalising takes most of the time. */
const IS_PLAIN = /^[\s!-~\u4e00-\u9fff\u3001\u3002\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f\u2014\u2018-\u201d]*$/u;
/** Longer runs are encoded data rather than words. */
const MAX_WORD_CHARS = 64;

/**
 * The search tokens of a text, in order, with repetitions: words in lower case without accents; of Chinese, Japanese and Korean the single characters and the
 * pairs of neighbours. A token holds letters, digits and marks alone.
 */
export function tokenize(text: string): readonly string[] {
  const tokens: string[] = [];
  for (const [run] of fold(text).matchAll(RUNS)) {
    if (IS_CJK.test(run)) addCharacters(run, tokens);
    else tokens.push(run.slice(0, MAX_WORD_CHARS));
  }
  return tokens;
}

function fold(text: string): string {
  if (IS_PLAIN.test(text)) return text.toLowerCase();
  return text.normalize("NFKC").toLowerCase().normalize("NFD").replace(ACCENTS, "").normalize("NFC");
}

function addCharacters(run: string, tokens: string[]): void {
  let before = "";
  for (const character of run) {
    tokens.push(character);
    if (before !== "") tokens.push(before + character);
    before = character;
  }
}
