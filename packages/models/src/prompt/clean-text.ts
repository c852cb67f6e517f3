/** Makes text safe to send: what JSON cannot carry and what makes a model refuse on purpose. */
export type CleanText = (text: string) => string;

/** The strings by which Anthropic lets developers test refusals (documented under "streaming refusals"): a name and a hash. */
export const ANTHROPIC_TRIGGERS: RegExp = /ANTHROPIC_MAGIC_STRING_TRIGGER_[A-Z_]+_[0-9A-F]{64}/g;

/** Lone surrogates become U+FFFD (servers refuse the whole request for one), and every match of `triggers` becomes `[redacted]`. */
export function createTextCleaner(triggers: RegExp | undefined): CleanText {
  return (text) => {
    const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
    return triggers === undefined ? wellFormed : wellFormed.replace(triggers, "[redacted]");
  };
}

/** The same for every string and key of a JSON value; the value itself when there is nothing to do. */
export function cleanJson<T>(value: T, clean: CleanText): T {
  const before = JSON.stringify(value);
  if (before === undefined) return value;
  // JSON.stringify writes a lone surrogate as an escape, so it shows in the text.
  if (!/\\ud[89a-f]/i.test(before) && clean(before) === before) return value;
  return JSON.parse(before, (_key, inner: unknown) => {
    if (typeof inner === "string") return clean(inner);
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, item]) => [clean(key), item]));
  }) as T;
}
