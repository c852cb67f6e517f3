import { i18n } from "@lingui/core";

// English until a language is chosen, also in tests.
i18n.loadAndActivate({ locale: "en", messages: {} });

/** Values of a text's placeholders. */
export type TextValues = Readonly<Record<string, string | number>>;

/** Characters that turn the direction of what follows, beyond the name that they stand in; or a part whose direction is its own, which does not. */
const TURNING = /\u2068[^\u202a-\u202e\u2066-\u2069]*\u2069|[\u202a-\u202e\u2066-\u2069]/g;

/** A value whose direction is its own. */
const ISOLATED = /^\u2068[^]*\u2069$/;

/** Stands where a value in Han characters begins or ends: their script has no spaces between words. */
const HAN_EDGE = "\ue000";
const HAN_VALUE = /^(?=\u2068?\p{Script=Han})|(?<=\p{Script=Han}\u2069?)$/gu;
const BETWEEN_HAN = /(?<=\p{Script=Han}) \ue000|\ue000 (?=\p{Script=Han})|\ue000/gu;

/** The backslash of what Lingui would read as the code of a character. */
const ESCAPED = /\\(?=u[\da-f]{4}|x[\da-f]{2})/gi;

/**
 * A text of the page in its language. `message` is the English text in ICU MessageFormat, such as `{count, plural, one {# message} other {# messages}}`: it is the
 * key in the catalogues, so it must be a literal here or in `msg`. Values may be foreign text: characters in them that would reorder the sentence are shown as codes.
 * A space of the text between Han characters of it and of a value is left out.
 */
export function t(message: string, values?: TextValues): string {
  // An English text without placeholders is its own translation, and not in the compiled catalogue.
  if (values === undefined) return Object.hasOwn(i18n.messages, message) ? i18n._(message) : message;
  return i18n._(message, markedValues(plainValues(values))).replaceAll(BETWEEN_HAN, "");
}

function markedValues(values: TextValues): TextValues {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? value.replaceAll(HAN_VALUE, HAN_EDGE) : value]),
  );
}

/** The values with characters that would reorder the sentence as codes, and with what only looks like a code as it is. What `isolate` puts around a value stays. */
export function plainValues(values: TextValues = {}): TextValues {
  const plain = (text: string): string =>
    text
      .replaceAll(ESCAPED, String.raw`\u005c`)
      .replaceAll(TURNING, (one) => (one.length > 1 ? one : `[U+${one.charCodeAt(0).toString(16).toUpperCase()}]`));
  const shown = (text: string): string => (ISOLATED.test(text) ? `\u2068${plain(text.slice(1, -1))}\u2069` : plain(text));
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? shown(value) : value]));
}

export { msg } from "./msg.ts";
