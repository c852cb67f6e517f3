import { i18n } from "@lingui/core";

/** Titles and descriptions of settings, by their English ones. */
export type SettingTexts = Readonly<Record<string, string>>;

let chinese: Promise<SettingTexts> | undefined;

/**
 * The titles and descriptions of settings in the language of the page; `undefined` in English, which the schema has. Not with the other texts of a language: forms
 * alone have them, and they are many. Never rejects: what cannot be loaded stays English, and is tried again by the next form.
 */
export function settingTexts(): Promise<SettingTexts> | undefined {
  if (i18n.locale !== "zh-CN") return undefined;
  chinese ??= Promise.all([import("./gateway-texts/settings.zh-CN.json"), import("./gateway-texts/chinese.ts")]).then(
    ([{ default: texts }, catalogue]) => {
      // Problems of a setting say what it is.
      catalogue.chinese.learn(texts);
      return texts;
    },
    () => {
      chinese = undefined;
      return {};
    },
  );
  return chinese;
}
