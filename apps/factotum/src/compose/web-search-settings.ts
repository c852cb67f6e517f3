import { resolveSecret, type ConfigProblem, type Environment, type FactotumConfig, type SecretResolution } from "@factotum/config";
import { SEARCH_PROVIDERS, type SearchProviderName, type SearchSettings } from "@factotum/tools";

/** The search service of a configuration: the configured one, otherwise the one whose key is in the environment, otherwise the one that needs no key. */
export function webSearchSettings({ tools }: Pick<FactotumConfig, "tools">, env: Environment): SearchSettings {
  const { provider, apiKey, baseUrl } = tools.web.search;
  const chosen = provider ?? providerFromEnvironment(env) ?? "duckduckgo";
  const { keyVariable = "" } = SEARCH_PROVIDERS[chosen];
  const readKey = async (): Promise<SecretResolution> => {
    if (provider !== undefined && apiKey !== undefined) return resolveSecret(apiKey, { env });
    const value = env[keyVariable]?.trim() ?? "";
    if (value !== "") return { type: "resolved", value };
    return { type: "unresolved", message: `neither tools.web.search.apiKey nor the environment variable ${keyVariable} is set` };
  };
  // An address without a provider is no one's.
  return { provider: chosen, baseUrl: provider === undefined ? undefined : baseUrl, readKey };
}

function providerFromEnvironment(env: Environment): SearchProviderName | undefined {
  const names = Object.keys(SEARCH_PROVIDERS) as SearchProviderName[];
  return names.find((name) => (env[SEARCH_PROVIDERS[name].keyVariable ?? ""]?.trim() ?? "") !== "");
}

/** Why the search service cannot work now, for `status` and `doctor`; `undefined` if nothing is known against it. Asks no service. */
export async function webSearchProblem(config: Pick<FactotumConfig, "tools">, env: Environment): Promise<string | undefined> {
  const { provider, readKey } = webSearchSettings(config, env);
  const { label, keyVariable } = SEARCH_PROVIDERS[provider];
  if (keyVariable === undefined) return undefined;
  const key = await readKey();
  return key.type === "resolved" ? undefined : `web_search has no key for ${label}: ${key.message}`;
}

/** The same as notices of a start. A program that prints the key is not run for them. */
export async function webSearchNotices(config: Pick<FactotumConfig, "tools">, env: Environment): Promise<readonly ConfigProblem[]> {
  if (config.tools.web.search.apiKey?.type === "exec") return [];
  const message = await webSearchProblem(config, env);
  return message === undefined ? [] : [{ type: "notice", path: "tools.web.search", message }];
}
