/** An object whose keys are missing where their value was `undefined`. */
export type WithoutUndefined<Values> = {
  readonly [Key in keyof Values as undefined extends Values[Key] ? never : Key]: Values[Key];
} & {
  readonly [Key in keyof Values as undefined extends Values[Key] ? Key : never]?: Exclude<Values[Key], undefined>;
};

/** The given keys, in their order, without those whose value is `undefined`: for spreading into an object whose optional keys are set or missing. */
export function withoutUndefined<Values extends object>(values: Values): WithoutUndefined<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as WithoutUndefined<Values>;
}
