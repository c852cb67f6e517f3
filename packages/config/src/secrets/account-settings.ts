import { formatKeyPath, type KeyPath } from "../document/key-path.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import { isSecretReference, parseSecret } from "../schema/secret.ts";
import { resolveSecret, type ResolveSecretOptions } from "./resolve-secret.ts";

/** An account's own keys with every reference replaced by its value, or the references that cannot be resolved. */
export type AccountSettings =
  | { readonly type: "resolved"; readonly settings: Document; readonly secrets: readonly string[] }
  /** The account stays off. */
  | { readonly type: "unresolved"; readonly problems: readonly string[] };

/**
 * Resolves the secrets of an account for the extension's schema. Never rejects. `secrets` are the resolved values, for the log's redaction; `secretValues`
 * finds literals.
 */
export async function resolveAccountSettings(settings: Document, options: ResolveSecretOptions): Promise<AccountSettings> {
  const secrets: string[] = [];
  const problems: string[] = [];
  const visit = async (value: unknown, path: KeyPath): Promise<unknown> => {
    if (isSecretReference(value)) {
      const secret = parseSecret(value);
      if (secret === undefined) return value;
      const result = await resolveSecret(secret, options);
      if (result.type === "resolved") secrets.push(result.value);
      else problems.push(`${formatKeyPath(path)}: ${result.message}`);
      return result.type === "resolved" ? result.value : undefined;
    }
    if (Array.isArray(value)) return Promise.all(value.map((entry, index) => visit(entry, [...path, index])));
    if (!isPlainObject(value)) return value;
    const entries = await Promise.all(
      Object.entries(value).map(async ([key, entry]) => [key, await visit(entry, [...path, key])] as const),
    );
    return Object.fromEntries(entries);
  };
  const resolved = (await visit(settings, [])) as Document;
  return problems.length > 0 ? { type: "unresolved", problems } : { type: "resolved", settings: resolved, secrets };
}
