import type { Messages } from "@lingui/core";
import english from "./catalogues/en.json";
import type { Language } from "./language.ts";

/** The texts of a language. */
export interface Catalogue {
  /** Texts of the page, by their English ones. */
  readonly messages: Messages;
  /** Translates what the gateway says, which is English. */
  readonly translate: (text: string) => string;
}

/** Loads the texts of a language. Those of English come with the page. Rejects if they cannot be loaded. */
export async function loadCatalogue(language: Language): Promise<Catalogue> {
  if (language === "en") return { messages: english, translate: (text) => text };
  const [{ default: messages }, { chinese }] = await Promise.all([import("./catalogues/zh-CN.json"), import("./gateway-texts/chinese.ts")]);
  return { messages, translate: chinese.translate };
}
