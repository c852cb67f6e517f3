import { expect, test } from "vitest";
import { loadLanguage, pickLanguage, pickLocale, storeLanguage } from "./language.ts";

test.each([
  [["zh-CN", "en-GB"], "zh-CN", "zh-CN"],
  [["zh-TW"], "zh-CN", "zh-TW"],
  [["fr", "en-GB", "zh"], "en", "en-GB"],
  [["fr"], "en", "en"],
  [[], "en", "en"],
] as const)("for a browser with %j the page is in %s, with dates and numbers of %s", (languages, language, locale) => {
  expect(pickLanguage(languages)).toBe(language);
  expect(pickLocale(language, languages)).toBe(locale);
});

test("a chosen language keeps to its own dates, in the browser's variant", () => {
  expect(pickLocale("en", ["zh-CN", "en-GB", "en-US"])).toBe("en-GB");
  expect(pickLocale("zh-CN", ["en-GB"])).toBe("zh-CN");
});

test("a choice is stored until it is taken back", () => {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  };
  expect(loadLanguage(storage)).toBeUndefined();
  storeLanguage(storage, "zh-CN");
  expect(loadLanguage(storage)).toBe("zh-CN");
  storeLanguage(storage, undefined);
  expect(loadLanguage(storage)).toBeUndefined();
  stored.set("factotum.language", "xx");
  expect(loadLanguage(storage)).toBeUndefined();
});
