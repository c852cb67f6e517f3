import type { Messages } from "@lingui/core";
import english from "./catalogues/en.json";
import type { Language } from "./language.ts";

/** Loads the texts of a language. Those of English come with the page. Rejects if they cannot be loaded. */
export async function loadCatalogue(language: Language): Promise<Messages> {
  return language === "en" ? english : (await import("./catalogues/zh-CN.json")).default;
}
