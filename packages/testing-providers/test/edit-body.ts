import type { JsonObject, JsonValue } from "../src/index.ts";

/** One change of a body, as data. Paths are written `messages.1.content.0.text`. */
export type Edit =
  | readonly ["set", path: string, value: JsonValue]
  | readonly ["remove", path: string]
  /** Before the position in the path; at the end if it is the list's length. */
  | readonly ["insert", path: string, value: JsonValue];

type Container = Record<string, unknown> | unknown[];

/** A copy of the body with the changes made, in order. Throws when a path leads nowhere. */
export function editBody(body: JsonObject, edits: readonly Edit[]): JsonObject {
  const copy = structuredClone(body) as Record<string, unknown>;
  for (const [kind, path, given] of edits) {
    const value = structuredClone(given);
    const steps = path.split(".");
    const last = steps.pop() ?? "";
    const target = steps.reduce<unknown>((part, step) => (part as Record<string, unknown> | undefined)?.[step], copy) as
      | Container
      | undefined;
    if (typeof target !== "object" || target === null) throw new Error(`Nothing lies at ${path}.`);
    if (Array.isArray(target)) {
      target.splice(Number(last), kind === "insert" ? 0 : 1, ...(kind === "remove" ? [] : [value]));
    } else if (kind === "remove") {
      if (!Reflect.deleteProperty(target, last)) throw new Error(`${path} cannot be removed.`);
    } else {
      target[last] = value;
    }
  }
  return copy as JsonObject;
}
