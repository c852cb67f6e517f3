import type { FactotumConfig } from "../factotum-config.ts";
import { resolveSecret, type ResolveSecretOptions } from "./resolve-secret.ts";

/**
 * The keys of model providers and of the search service from files and programs, including unused ones, for redaction; `secretValues` finds the others.
 * Unresolvable ones are skipped: their consumer reports them. Never rejects.
 */
export async function resolveProviderKeys({ models, tools }: FactotumConfig, options: ResolveSecretOptions): Promise<readonly string[]> {
  const keys = Object.values(models.providers).flatMap(({ apiKey, credentials }) => [
    ...(apiKey === undefined ? [] : [apiKey]),
    ...Object.values(credentials).map((credential) => credential.apiKey),
  ]);
  const { apiKey: searchKey } = tools.web.search;
  const brought = [...keys, ...(searchKey === undefined ? [] : [searchKey])].filter(({ type }) => type === "file" || type === "exec");
  const resolved = await Promise.all(brought.map(async (key) => resolveSecret(key, options)));
  return resolved.flatMap((key) => (key.type === "resolved" ? [key.value] : []));
}
