import { i18n } from "@lingui/core";

// English until a language is chosen, also in tests.
i18n.loadAndActivate({ locale: "en", messages: {} });

/** Values of a text's placeholders. */
export type TextValues = Readonly<Record<string, string | number>>;

/**
 * A text of the page in its language. `message` is the English text in ICU MessageFormat, such as `{count, plural, one {# message} other {# messages}}`: it is the
 * key in the catalogues, so it must be a literal here or in `msg`.
 */
export function t(message: string, values?: TextValues): string {
  // An English text without placeholders is its own translation, and not in the compiled catalogue.
  return Object.hasOwn(i18n.messages, message) || values !== undefined ? i18n._(message, { ...values }) : message;
}

/** Marks a text that `t` translates later: in a table that is built before the language is known. */
export function msg(english: string): string {
  return english;
}
