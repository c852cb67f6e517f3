import { ModelError } from "@factotum/agent-contract";
import type { Logger } from "@factotum/agent-contract";
import { resolveSecret } from "@factotum/config";
import type { ProviderConfig, Secret } from "@factotum/config";
import { readProviderKey } from "@factotum/models";

/** A key that has a value. */
export interface FoundKey {
  readonly value: string;
  /** Its name among the provider's `credentials`, else its source. */
  readonly name: string;
  /** Its setting or environment variable, for error messages. */
  readonly place: string;
}

/** The dependencies of the lookup. */
export interface KeyLookup {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}

/**
 * The configured keys in order, else the one in the vendor's own environment variable, else none. A configured key that does not resolve is an error, never "no
 * key"; of several it is skipped with a warning if another one has a value.
 */
export async function findKeys(providerId: string, provider: ProviderConfig | undefined, lookup: KeyLookup): Promise<readonly FoundKey[]> {
  const place = `models.providers.${providerId}`;
  const named = Object.entries(provider?.credentials ?? {}).map(([name, { apiKey }]) => ({
    secret: apiKey,
    name,
    place: `${place}.credentials.${name}.apiKey`,
  }));
  const single = provider?.apiKey === undefined ? [] : [{ secret: provider.apiKey, name: `${place}.apiKey`, place: `${place}.apiKey` }];
  const configured = [...single, ...named];
  if (configured.length === 0) return fromEnvironment(providerId, lookup);
  const found: FoundKey[] = [];
  const problems: string[] = [];
  for (const key of configured) {
    const resolution = await resolveSecret(key.secret, { env: lookup.environment });
    if (resolution.type === "resolved") found.push({ value: resolution.value, name: key.name, place: key.place });
    else {
      problems.push(`${key.place} has no value: ${resolution.message}.${adviceFor(key, providerId)}`);
    }
  }
  if (found.length === 0) throw new ModelError("unauthorized", problems.join(" "), { retry: { type: "never" } });
  for (const detail of problems) lookup.logger.warn("A credential cannot be used", { provider: providerId, detail });
  return found;
}

/** What to do about a key without a value; the reason of a missing variable says it already. */
function adviceFor({ secret, place }: { readonly secret: Secret; readonly place: string }, providerId: string): string {
  switch (secret.type) {
    case "env":
      return "";
    case "file":
      if (place === `models.providers.${providerId}.apiKey`) return ` Set it with "factotum auth set ${providerId}".`;
      return " Put the key into this file.";
    case "exec":
      return " Correct the command, or name another source of the key there.";
    case "literal":
      return " Set the key there.";
  }
}

function fromEnvironment(providerId: string, { environment }: KeyLookup): readonly FoundKey[] {
  const key = readProviderKey(providerId, environment);
  if (key === undefined) return [];
  return [{ value: key.value, name: key.variable, place: `the environment variable ${key.variable}` }];
}
