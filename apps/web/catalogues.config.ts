import { compileMessage } from "@lingui/message-utils/compileMessage";
import type { Plugin } from "vite";

const CATALOGUE = /\/i18n\/catalogues\/([\w-]+)\.json$/;

/** Compiles the catalogues, so that the page needs no parser of messages. Of English, only texts with placeholders or elements: the others are their own keys. */
export function compileCatalogues(): Plugin {
  return {
    name: "compile-catalogues",
    enforce: "pre",
    transform: (source, file) => {
      const [, language] = CATALOGUE.exec(file) ?? [];
      if (language === undefined) return undefined;
      const texts = Object.entries(JSON.parse(source) as Readonly<Record<string, string>>);
      const compiled = texts
        .filter(([english]) => language !== "en" || /[{<]/.test(english))
        .map(([english, translation]) => [english, compileMessage(translation)] as const);
      return { code: JSON.stringify(Object.fromEntries(compiled)), map: null };
    },
  };
}
