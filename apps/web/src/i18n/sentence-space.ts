import { i18n } from "@lingui/core";

/** What separates two sentences that are put together: a space, and nothing in a language whose full stop has its own. */
export function sentenceSpace(): string {
  return i18n.locale.startsWith("zh") ? "" : " ";
}
