import type { KeyPath } from "../document/key-path.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import { isSecretReference, parseSecret } from "../schema/secret.ts";
import { problemAt, type ConfigProblem } from "../validate/problem.ts";
import { isSecretPath } from "./secret-keys.ts";
import type { StatePaths } from "../state/state-paths.ts";
import { resolveSecret, secretFilePath, type ResolveSecretOptions } from "./resolve-secret.ts";

/** The references of a document that bring no secret now, as notices. Reads the files and runs the programs that they name. Never rejects. */
export async function unresolvedSecrets(document: Document, options: ResolveSecretOptions): Promise<readonly ConfigProblem[]> {
  const found = await Promise.all(
    references(document, []).map(async ({ path, secret }) => {
      const result = await resolveSecret(secret, options);
      return result.type === "resolved" ? [] : [problemAt("notice", path, result.message)];
    }),
  );
  return found.flat();
}

/** The variables of the environment that a document names as secrets. */
export function secretVariables(document: Document): readonly string[] {
  return [...new Set(references(document, []).flatMap(({ secret }) => (secret.type === "env" ? [secret.name] : [])))];
}

/** The absolute paths of the files that a document references as secrets. */
export function secretFiles(document: Document, paths: StatePaths): readonly string[] {
  const files = references(document, []).flatMap(({ secret }) => (secret.type === "file" ? [secretFilePath(secret.path, paths)] : []));
  return [...new Set(files)];
}

interface Reference {
  readonly path: KeyPath;
  readonly secret: NonNullable<ReturnType<typeof parseSecret>>;
}

function references(value: unknown, path: KeyPath): readonly Reference[] {
  // `tools: { exec: [ … ] }` in a document is not a reference: only a value at the position of a secret, or one written as `${VARIABLE}`.
  if (isSecretReference(value) && (typeof value === "string" || isSecretPath(path) || path[0] === "channels")) {
    const secret = parseSecret(value);
    return secret === undefined ? [] : [{ path, secret }];
  }
  if (Array.isArray(value)) return value.flatMap((entry, index) => references(entry, [...path, index]));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, entry]) => references(entry, [...path, key]));
}
