import { resolveSecret, type Environment, type FactotumConfig, type Secret } from "@factotum/config";
import { findProvider, providerBaseUrl, readProviderKey, type ProviderCheckTarget } from "@factotum/models";

/** The first key of a provider: its location, and its value unless it cannot be read. */
export type ProviderKey =
  | { readonly type: "key"; readonly place: string; readonly value: string }
  | { readonly type: "unresolved"; readonly place: string; readonly problem: string }
  | { readonly type: "none" };

/** Finds the key that a provider would be queried with first. */
export async function findProviderKey(provider: string, { models }: FactotumConfig, env: Environment): Promise<ProviderKey> {
  const configured = models.providers[provider];
  const secret = configured?.apiKey ?? Object.values(configured?.credentials ?? {})[0]?.apiKey;
  if (secret !== undefined) {
    const place = placeOf(secret, provider);
    const resolved = await resolveSecret(secret, { env });
    return resolved.type === "resolved"
      ? { type: "key", place, value: resolved.value }
      : { type: "unresolved", place, problem: resolved.message };
  }
  const found = readProviderKey(provider, env);
  return found === undefined ? { type: "none" } : { type: "key", place: found.variable, value: found.value };
}

function placeOf(secret: Secret, provider: string): string {
  if (secret.type === "file") return secret.path;
  return secret.type === "env" ? secret.name : `models.providers.${provider}`;
}

/** The address of a provider; `undefined` if neither the product nor the configuration knows it. */
export function findAddress(
  provider: string,
  { models }: FactotumConfig,
  env: Environment,
): Pick<ProviderCheckTarget, "provider" | "api" | "baseUrl"> | undefined {
  const configured = models.providers[provider];
  const api = configured?.api ?? findProvider(provider)?.api;
  const baseUrl = configured?.baseUrl ?? providerBaseUrl(provider, env);
  return api === undefined || baseUrl === undefined ? undefined : { provider, api, baseUrl };
}
