/** An object whose keys are missing where their value was `undefined`. */
export type WithoutUndefined<Values> = {
  readonly [Key in keyof Values as undefined extends Values[Key] ? never : Key]: Values[Key];
} & {
  readonly [Key in keyof Values as undefined extends Values[Key] ? Key : never]?: Exclude<Values[Key], undefined>;
};

/** The given keys, in their order, without those whose value is `undefined`: for spreading into an object whose optional keys are set or missing. */
export function withoutUndefined<Values extends object>(values: Values): WithoutUndefined<Values> {
  // Without lists of pairs, which cost several times as much: a turn calls this some twenty times.
  const kept: Record<PropertyKey, unknown> = {};
  for (const key of Object.keys(values) as (keyof Values)[]) if (values[key] !== undefined) kept[key] = values[key];
  return kept as WithoutUndefined<Values>;
}
