import { i18n } from "@lingui/core";
import { setLocale } from "../app/locale.ts";
import { type Language, pickLanguage, pickLocale, storeLanguage } from "./language.ts";
import { setGatewayTexts } from "./gateway-text.ts";
import { type Catalogue, loadCatalogue } from "./load-catalogue.ts";

/** Makes a language that of the page: its texts, those of the gateway, dates and numbers. */
export function activateLanguage(
  language: Language,
  { messages, translate }: Catalogue,
  page: Pick<Window, "document" | "navigator">,
): void {
  setLocale(pickLocale(language, page.navigator.languages));
  const { documentElement } = page.document;
  documentElement.lang = language;
  documentElement.dir = "ltr";
  setGatewayTexts(translate);
  i18n.loadAndActivate({ locale: language, messages });
}

let choices = 0;

/** Chooses a language for this browser, or to follow the browser's. The page is drawn again in it. False if its texts cannot be loaded: nothing has changed then. */
export async function chooseLanguage(language: Language | undefined, page: Window): Promise<boolean> {
  choices += 1;
  const choice = choices;
  const next = language ?? pickLanguage(page.navigator.languages);
  const catalogue = await loadCatalogue(next).catch(() => undefined);
  if (catalogue === undefined) return false;
  // Another one was chosen meanwhile.
  if (choice !== choices) return true;
  storeLanguage(page.localStorage, language);
  activateLanguage(next, catalogue, page);
  return true;
}

/** Calls back whenever the page has another language. */
export function onLanguageChange(listener: () => void): () => void {
  return i18n.on("change", listener);
}
