/** The languages of the page. */
export const LANGUAGES = ["en", "zh-CN"] as const;

/** A language of the page, as a BCP 47 tag. */
export type Language = (typeof LANGUAGES)[number];

const LANGUAGE_KEY = "factotum.language";

/** The language that was chosen in this browser; `undefined` follows the browser's. */
export function loadLanguage(storage: Pick<Storage, "getItem">): Language | undefined {
  const stored = storage.getItem(LANGUAGE_KEY);
  return LANGUAGES.find((language) => language === stored);
}

/** Stores a chosen language, or that none is. */
export function storeLanguage(storage: Pick<Storage, "setItem" | "removeItem">, language: Language | undefined): void {
  if (language === undefined) storage.removeItem(LANGUAGE_KEY);
  else storage.setItem(LANGUAGE_KEY, language);
}

/** The first of a browser's languages that the page has; English without one. */
export function pickLanguage(languages: readonly string[]): Language {
  for (const wanted of languages) {
    const found = LANGUAGES.find((language) => primary(language) === primary(wanted));
    if (found !== undefined) return found;
  }
  return "en";
}

/** The locale of dates and numbers: the browser's variant of the language, such as `en-GB`, otherwise the language itself. */
export function pickLocale(language: Language, languages: readonly string[]): string {
  return languages.find((one) => primary(one) === primary(language)) ?? language;
}

function primary(language: string): string {
  return language.split("-")[0]?.toLowerCase() ?? "";
}

/** The name of a language, in itself. */
export function languageName(language: Language): string {
  return new Intl.DisplayNames(language, { type: "language" }).of(language) ?? language;
}
