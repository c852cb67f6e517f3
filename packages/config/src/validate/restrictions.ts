import type { KeyPath } from "../document/key-path.ts";
import { isPlainObject } from "../document/plain-object.ts";
import { nearestName } from "@factotum/agent-contract";

/** Keys that restrict what is allowed. Anything at or below them, wherever they occur, is a restriction. */
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
  "toolFilter",
  "tools",
  "toolsAllow",
  "toolsBySender",
];
const LOWER_CASE: ReadonlySet<string> = new Set(RESTRICTING_KEYS.map((key) => key.toLowerCase()));

/**
 * True for the path of a restriction. An unknown key or an unreadable value there refuses the start: it would not be enforced, and an earlier file may allow
 * what it forbids. `models` has no restrictions; `tools` of a model says how tools are described to it.
 */
export function isRestriction(path: KeyPath): boolean {
  return path[0] !== "models" && path.some((part) => typeof part === "string" && namesOf(part).some((name) => LOWER_CASE.has(name)));
}

/**
 * True if an unknown key loses a restriction: the key is below one, was meant as one (`meant`: the nearest known key), is one edit away from one, names one in
 * a path with dots (`"tools.exec.mode"`), or contains one.
 */
export function losesRestriction(
  path: KeyPath,
  { value, meant }: { readonly value: unknown; readonly meant: string | undefined },
): boolean {
  const place = [...path.slice(0, -1), ...(meant === undefined ? partsOf(path.at(-1) ?? "") : [meant])];
  return isRestriction(place) || (place[0] !== "models" && holdsRestriction(value));
}

/** A key written as a path with dots names several keys. */
function namesOf(key: string): readonly string[] {
  return key.toLowerCase().split(".");
}

/** The restricting key that a name equals or is one edit away from. */
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
    // `{ exec: [ … ] }` is a secret reference.
    const names = key === "exec" && Array.isArray(below) ? [] : partsOf(key);
    return isRestriction(names) || holdsRestriction(below);
  });
}
