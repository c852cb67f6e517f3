import { i18n } from "@lingui/core";

/** A text that another sentence may follow: with a full stop of the language of the page, unless it ends a sentence already. */
export function asSentence(text: string): string {
  if (text === "" || /[.!?…。！？]["'”’)」』]*$/u.test(text)) return text;
  return `${text}${i18n.locale.startsWith("zh") ? "。" : "."}`;
}
