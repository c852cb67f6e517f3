import type * as z from "zod";
import type { KeyPath } from "../document/key-path.ts";
import { without } from "../document/key-path.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import { isSecretReference } from "../schema/secret.ts";
import { findingsOf, type Finding } from "./issues.ts";
import { PARSE_ONCE } from "./parse-once.ts";

/**
 * Validates the platform's own keys of an account. The values of secret references are not known yet, so problems at them are ignored; the whole is validated
 * again when the account starts.
 */
export function checkAccountKeys(
  schema: z.ZodType,
  settings: Document,
): { readonly findings: readonly Finding[]; readonly settings: Document } {
  const references: KeyPath[] = [];
  const filled = fillReferences(settings, [], references) as Document;
  const parsed = schema.safeParse(filled, PARSE_ONCE);
  if (parsed.success) return { findings: [], settings };
  const findings = findingsOf(parsed.error.issues).filter(
    (finding) => finding.type === "unknown-key" || !references.some((reference) => isSame(reference, finding.path)),
  );
  const unknown = findings.filter(({ type }) => type === "unknown-key");
  const kept = unknown.reduce((document, { path }) => without(document, path), settings);
  // A union that refused an unknown key can report more once the key is removed.
  if (unknown.length > 0) return { findings: [...unknown, ...checkAccountKeys(schema, kept).findings], settings: kept };
  return { findings, settings: kept };
}

function fillReferences(value: unknown, path: KeyPath, references: KeyPath[]): unknown {
  if (isSecretReference(value)) {
    references.push(path);
    return "to be resolved";
  }
  if (Array.isArray(value)) return value.map((entry, index) => fillReferences(entry, [...path, index], references));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, fillReferences(entry, [...path, key], references)]));
}

function isSame(left: KeyPath, right: KeyPath): boolean {
  return left.length === right.length && left.every((part, index) => part === right[index]);
}
