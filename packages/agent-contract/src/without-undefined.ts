/** An object without the keys whose value is `undefined`. */
export type WithoutUndefined<Values> = {
  readonly [Key in keyof Values as undefined extends Values[Key] ? never : Key]: Values[Key];
} & {
  readonly [Key in keyof Values as undefined extends Values[Key] ? Key : never]?: Exclude<Values[Key], undefined>;
};

/** Returns the given keys, in order, without those whose value is `undefined`, for spreading into an object with optional keys. */
export function withoutUndefined<Values extends object>(values: Values): WithoutUndefined<Values> {
  // Avoids arrays of entries, which are several times slower: a turn calls this about twenty times.
  const kept: Record<PropertyKey, unknown> = {};
  for (const key of Object.keys(values) as (keyof Values)[]) if (values[key] !== undefined) kept[key] = values[key];
  return kept as WithoutUndefined<Values>;
}
