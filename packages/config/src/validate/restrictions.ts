import type { KeyPath } from "../document/key-path.ts";

/** Keys, in lower case, that say what is allowed. What stands at them or beneath them, wherever they are written, is a restriction. */
const RESTRICTING_KEYS: ReadonlySet<string> = new Set([
  "allow",
  "allowfrom",
  "approvals",
  "byprovider",
  "commandhooks",
  "deny",
  "dmpolicy",
  "elevated",
  "exec",
  "grouppolicy",
  "sandbox",
  "tools",
  "toolsbysender",
]);

/**
 * True for the path of a restriction. An unknown key or a value that cannot be read refuses the start there: nothing would keep to it, and an
 * earlier file may allow what it forbids. `models` has no restrictions; `tools` of a model says how tools are described to it.
 */
export function isRestriction(path: KeyPath): boolean {
  return path[0] !== "models" && path.some((part) => typeof part === "string" && RESTRICTING_KEYS.has(part.toLowerCase()));
}
