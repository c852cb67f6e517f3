import { isDeepStrictEqual } from "node:util";
import { formatKeyPath, type KeyPath } from "../document/key-path.ts";
import { isPlainObject } from "../document/plain-object.ts";
import { redactSecrets } from "../secrets/redact.ts";

/** One difference between two versions. Secrets in it are hidden. */
export type ConfigChange =
  | { readonly type: "added"; readonly path: string; readonly after: unknown }
  | { readonly type: "removed"; readonly path: string; readonly before: unknown }
  | { readonly type: "changed"; readonly path: string; readonly before: unknown; readonly after: unknown };

/** The differences between two documents, as deep as both are objects, or lists of one length. */
export function diffDocuments(before: unknown, after: unknown, path: KeyPath = []): ConfigChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  const place = formatKeyPath(path);
  if (before === undefined) return [{ type: "added", path: place, after: redactSecrets(after, path) }];
  if (after === undefined) return [{ type: "removed", path: place, before: redactSecrets(before, path) }];
  if (isPlainObject(before) && isPlainObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => diffDocuments(before[key], after[key], [...path, key]));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((entry: unknown, index) => diffDocuments(entry, after[index], [...path, index]));
  }
  return [{ type: "changed", path: place, before: redactSecrets(before, path), after: redactSecrets(after, path) }];
}
