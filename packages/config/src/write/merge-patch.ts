import type { JsonValue } from "@factotum/agent-contract";
import { type KeyPath, valueAt } from "../document/key-path.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import { isSecretReference } from "../schema/secret.ts";
import type { ConfigEdit } from "./set-config-value.ts";

/**
 * The edits of a JSON merge patch (RFC 7396) at a place of a document: objects are merged, `null` removes, everything else replaces. Each edit is as deep as
 * possible, so that comments around it stay. A reference to a secret is a value of its own and replaces another form of it.
 */
export function mergeEdits(before: Document, patch: Document, path: KeyPath = []): readonly ConfigEdit[] {
  return Object.entries(patch).flatMap(([key, value]): readonly ConfigEdit[] => {
    const at = [...path, key];
    const present = valueAt(before, at);
    if (value === null) return present === undefined ? [] : [{ path: at, value: undefined }];
    if (isPlainObject(value) && isPlainObject(present) && !isSecretReference(value)) return mergeEdits(before, value, at);
    return [{ path: at, value: withoutNulls(value as JsonValue) }];
  });
}

function withoutNulls(value: JsonValue): JsonValue {
  if (!isPlainObject(value)) return value;
  const kept = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(kept.map(([key, entry]) => [key, withoutNulls(entry as JsonValue)]));
}
