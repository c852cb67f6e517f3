import { ACTIVE_KEYS } from "./active-keys.ts";
import { formatKeyPath, type KeyPath } from "./document/key-path.ts";
import { isPlainObject, type Document } from "./document/plain-object.ts";

/** The keys of a document that this build ignores, each at the highest level without an active key below. */
export function inactiveKeys(document: Document, active: readonly string[] = ACTIVE_KEYS): string[] {
  const patterns = active.map((key) => key.split("."));
  const found: KeyPath[] = [];
  const visit = (value: unknown, path: KeyPath): void => {
    const matching = patterns.filter((pattern) => agrees(pattern, path));
    if (matching.some((pattern) => pattern.length <= path.length)) return;
    if (matching.length === 0) {
      found.push(path);
    } else if (Array.isArray(value)) {
      value.forEach((entry, index) => visit(entry, [...path, index]));
    } else if (isPlainObject(value)) {
      for (const [key, entry] of Object.entries(value)) visit(entry, [...path, key]);
    }
  };
  visit(document, []);
  return found.map(formatKeyPath);
}

/** True if one of the two is a prefix of the other. */
function agrees(pattern: readonly string[], path: KeyPath): boolean {
  return path.every((part, index) => index >= pattern.length || pattern[index] === "*" || pattern[index] === String(part));
}
