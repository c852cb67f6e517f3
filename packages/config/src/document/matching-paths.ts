import { valueAt, type KeyPath } from "./key-path.ts";
import { isPlainObject } from "./plain-object.ts";

/** The paths of a document that match a pattern such as `agents.list.*.tools`, in which `*` matches any one part. */
export function matchingPaths(document: unknown, pattern: string): KeyPath[] {
  return pattern.split(".").reduce<KeyPath[]>(
    (paths, part) =>
      paths.flatMap((path) => {
        const value = valueAt(document, path);
        const keys = Array.isArray(value) ? [...value.keys()] : isPlainObject(value) ? Object.keys(value) : [];
        return keys.filter((key) => part === "*" || part === String(key)).map((key) => [...path, key]);
      }),
    [[]],
  );
}
