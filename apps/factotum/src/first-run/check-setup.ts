import { withoutUndefined, nearestName } from "@factotum/agent-contract";
import { checkProvider, PROVIDERS, type ProviderCheck } from "@factotum/models";
import { pluginAt } from "../extensions/plugin-providers.ts";
import { findAddress, findProviderKey } from "./find-target.ts";
import { loadForSetup, type FirstRunParts } from "./first-run-parts.ts";

/** Tests a provider with a key, or with its current one, by calls that cost nothing. Rejects only if `signal` fires. */
export async function checkSetup(
  { provider, key, model }: { readonly provider: string; readonly key?: string | undefined; readonly model?: string | undefined },
  parts: FirstRunParts,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<ProviderCheck> {
  const loaded = await loadForSetup(parts);
  if (loaded.type === "refused") return failed(loaded.message);
  const address = findAddress(provider, loaded.config, parts.env);
  if (address === undefined) return failed(unknownProvider(provider, Object.keys(loaded.config.models.providers)));
  const configured = loaded.config.models.providers[provider];
  const plugin = pluginAt(configured?.baseUrl ?? "");
  if (plugin !== undefined) return checkPlugin(plugin, { models: configured?.models.map(({ id }) => id) ?? [], model });
  const known = key === undefined ? await findProviderKey(provider, loaded.config, parts.env) : undefined;
  if (known?.type === "unresolved")
    return { type: "missing-key", message: `The key of ${provider} cannot be read: ${known.problem}.`, models: [] };
  const apiKey = key?.trim() ?? (known?.type === "key" ? known.value : undefined);
  const { fetch, clock } = parts;
  return checkProvider({ ...address, apiKey, ...withoutUndefined({ model }) }, { fetch, clock, ...withoutUndefined({ signal }) });
}

/** A plugin lists its models in its manifest. It is not asked: each question may cost something. */
function checkPlugin(
  plugin: string,
  { models, model }: { readonly models: readonly string[]; readonly model: string | undefined },
): ProviderCheck {
  if (model !== undefined && !models.includes(model))
    return { type: "unknown-model", message: `The plugin ${plugin} has no model ${model}. It has: ${models.join(", ")}.`, models };
  const named = model === undefined ? "its models" : `${plugin}/${model}`;
  return { type: "works", message: `The plugin ${plugin} answers for ${named}, and is not asked.`, models };
}

/** The error for an unknown provider, with the nearest name. */
export function unknownProvider(provider: string, configured: readonly string[]): string {
  if (configured.includes(provider)) return `${provider} is no known provider: it needs models.providers.${provider}.api and .baseUrl.`;
  const known = [...new Set([...Object.keys(PROVIDERS), ...configured])].filter((id) => id !== "demo");
  const nearest = nearestName(provider, known);
  const meant = nearest === undefined ? `Known ones: ${known.join(", ")}` : `Did you mean "${nearest}"`;
  return `There is no provider "${provider}". ${meant}${nearest === undefined ? "." : "?"} Another one needs models.providers.${provider}.api and .baseUrl.`;
}

function failed(message: string): ProviderCheck {
  return { type: "failed", message, models: [] };
}
