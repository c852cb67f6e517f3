/** Parameters that only some actions of a tool take: each with those actions. */
export type ParameterActions = Readonly<Record<string, readonly string[]>>;

/** Says which parameters the action of a call would ignore, and which actions take them; `undefined` without one. Empty values count as omitted. */
export function describeMisplaced(args: Readonly<Record<string, unknown>>, takenBy: ParameterActions): string | undefined {
  const action = args["action"];
  if (typeof action !== "string") return undefined;
  const misplaced = Object.entries(takenBy).filter(([name, actions]) => isGiven(args[name]) && !actions.includes(action));
  if (misplaced.length === 0) return undefined;
  return misplaced.map(([name, actions]) => `${action} takes no ${name}; it is for ${actions.join(", ")}.`).join(" ");
}

/** Models fill optional parameters with nothing. */
function isGiven(value: unknown): boolean {
  return !(value === undefined || value === "" || value === false || (Array.isArray(value) && value.length === 0));
}
