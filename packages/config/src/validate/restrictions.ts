import type { KeyPath } from "../document/key-path.ts";
import { isPlainObject } from "../document/plain-object.ts";
import { nearestName } from "../nearest-name.ts";

/** Keys that say what is allowed. What stands at them or beneath them, wherever they are written, is a restriction. */
const RESTRICTING_KEYS: readonly string[] = [
  "allow",
  "allowFrom",
  "approvals",
  "byProvider",
  "commandHooks",
  "deny",
  "dmPolicy",
  "elevated",
  "exec",
  "groupPolicy",
  "sandbox",
  "tools",
  "toolsBySender",
];
const LOWER_CASE: ReadonlySet<string> = new Set(RESTRICTING_KEYS.map((key) => key.toLowerCase()));

/**
 * True for the path of a restriction. An unknown key or a value that cannot be read refuses the start there: nothing would keep to it, and an
 * earlier file may allow what it forbids. `models` has no restrictions; `tools` of a model says how tools are described to it.
 */
export function isRestriction(path: KeyPath): boolean {
  return path[0] !== "models" && path.some((part) => typeof part === "string" && namesOf(part).some((name) => LOWER_CASE.has(name)));
}

/**
 * True when a restriction is lost with an unknown key: the key stands beneath one, was meant as one (`meant`: the known key that is nearest to it), is one
 * edit away from one, names one in a path with points (`"tools.exec.mode"`), or holds one.
 */
export function losesRestriction(
  path: KeyPath,
  { value, meant }: { readonly value: unknown; readonly meant: string | undefined },
): boolean {
  const place = [...path.slice(0, -1), ...(meant === undefined ? partsOf(path.at(-1) ?? "") : [meant])];
  return isRestriction(place) || (place[0] !== "models" && holdsRestriction(value));
}

/** A key that was written as a path with points names several. */
function namesOf(key: string): readonly string[] {
  return key.toLowerCase().split(".");
}

/** The restricting key that a name is one edit away from, or one of its own. */
export function restrictingKeyLike(name: string): string | undefined {
  return nearestName(name, RESTRICTING_KEYS, { maxEdits: 1 });
}

function partsOf(key: string | number): KeyPath {
  if (typeof key === "number") return [key];
  return key.split(".").map((part) => restrictingKeyLike(part) ?? part);
}

function holdsRestriction(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsRestriction);
  if (!isPlainObject(value)) return false;
  return Object.entries(value).some(([key, below]) => {
    // `{ exec: [ … ] }` brings a secret.
    const names = key === "exec" && Array.isArray(below) ? [] : partsOf(key);
    return isRestriction(names) || holdsRestriction(below);
  });
}
