import { i18n, type Messages } from "@lingui/core";
import { setLocale } from "../app/locale.ts";
import { type Language, pickLanguage, pickLocale, storeLanguage } from "./language.ts";
import { loadCatalogue } from "./load-catalogue.ts";

/** Makes a language that of the page: its texts, dates and numbers. */
export function activateLanguage(language: Language, messages: Messages, page: Pick<Window, "document" | "navigator">): void {
  setLocale(pickLocale(language, page.navigator.languages));
  const { documentElement } = page.document;
  documentElement.lang = language;
  documentElement.dir = "ltr";
  i18n.loadAndActivate({ locale: language, messages });
}

let choices = 0;

/** Chooses a language for this browser, or to follow the browser's. The page is drawn again in it. False if its texts cannot be loaded: nothing has changed then. */
export async function chooseLanguage(language: Language | undefined, page: Window): Promise<boolean> {
  choices += 1;
  const choice = choices;
  const next = language ?? pickLanguage(page.navigator.languages);
  const messages = await loadCatalogue(next).catch(() => undefined);
  if (messages === undefined) return false;
  // Another one was chosen meanwhile.
  if (choice !== choices) return true;
  storeLanguage(page.localStorage, language);
  activateLanguage(next, messages, page);
  return true;
}

/** Calls back whenever the page has another language. */
export function onLanguageChange(listener: () => void): () => void {
  return i18n.on("change", listener);
}
