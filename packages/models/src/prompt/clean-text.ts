/** Makes text safe to send: removes what JSON cannot carry and what triggers a model's refusal test. */
export type CleanText = (text: string) => string;

/** The strings that developers use to test refusals of Anthropic's models (documented under "streaming refusals"): a name and a hash. */
export const ANTHROPIC_TRIGGERS: RegExp = /ANTHROPIC_MAGIC_STRING_TRIGGER_[A-Z_]+_[0-9A-F]{64}/g;

/** Replaces lone surrogates by U+FFFD (servers refuse the whole request for one), and every match of `triggers` by `[redacted]`. */
export function createTextCleaner(triggers: RegExp | undefined): CleanText {
  return (text) => {
    const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
    return triggers === undefined ? wellFormed : wellFormed.replace(triggers, "[redacted]");
  };
}

/** The same for every string and key of a JSON value; returns the value itself if nothing changes. */
export function cleanJson<T>(value: T, clean: CleanText): T {
  const before = JSON.stringify(value);
  if (before === undefined) return value;
  // JSON.stringify writes a lone surrogate as an escape, so it is visible in the text.
  if (!/\\ud[89a-f]/i.test(before) && clean(before) === before) return value;
  return JSON.parse(before, (_key, inner: unknown) => {
    if (typeof inner === "string") return clean(inner);
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, item]) => [clean(key), item]));
  }) as T;
}
