import { isRecord } from "./schema-node.ts";

/** What changes one document into another, as a JSON merge patch (RFC 7396): only the keys that differ, removed ones as `null`. Lists are replaced as a whole. */
export function mergePatchOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    keys.flatMap((key): readonly (readonly [string, unknown])[] => {
      const [was, is] = [ownOf(before, key), ownOf(after, key)];
      if (isSame(was, is)) return [];
      if (is === undefined) return [[key, null]];
      if (!isRecord(is) || !isRecord(was)) return [[key, is]];
      return [[key, mergePatchOf(was, is)]];
    }),
  );
}

/** A document after a merge patch. */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result = new Map(isRecord(document) ? Object.entries(document) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, applyMergePatch(result.get(key), value));
  }
  return Object.fromEntries(result);
}

/** True for equal JSON values, whatever the order of their keys. */
export function isSame(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((entry, index) => isSame(entry, right[index]));
  if (!isRecord(left) || !isRecord(right)) return Object.is(left, right);
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key) && isSame(left[key], right[key]));
}

function ownOf(document: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(document, key) ? document[key] : undefined;
}
