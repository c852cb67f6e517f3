/** A parsed configuration before validation. */
export type Document = Readonly<Record<string, unknown>>;

/** True for an object that is neither a list nor null. */
export function isPlainObject(value: unknown): value is Document {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Merges `over` into `base`: objects key by key; other values, and the keys in `whole`, are replaced. */
export function overlay(base: Document, over: Document, whole: readonly string[] = []): Document {
  const merged = Object.entries(over).map(([key, value]) => {
    const below = Object.hasOwn(base, key) ? base[key] : undefined;
    return [key, isPlainObject(below) && isPlainObject(value) && !whole.includes(key) ? overlay(below, value) : value] as const;
  });
  return { ...base, ...Object.fromEntries(merged) };
}
