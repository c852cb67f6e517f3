import { ModelError } from "@factotum/agent-contract";
import type { Clock, Random } from "@factotum/agent-contract";
import { modelTimeouts, parseModelReference, resolveSecret } from "@factotum/config";
import type { FactotumConfig, ModelReference } from "@factotum/config";
import { createModelClient, createOllamaProbe, defaultModelFromEnvironment, PROVIDERS, resolveModelInfo } from "@factotum/models";
import type { DefaultModel } from "@factotum/models";
import type { ModelSource, ResolvedModel } from "./model-source.ts";

/** What models are found with. */
export interface ConfiguredModelsOptions {
  readonly config: FactotumConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly random: Random;
}

/** The models of the configuration and, where it names none, the one that the environment offers. Clients are made once and kept. */
export function createConfiguredModels(options: ConfiguredModelsOptions): ModelSource {
  const { config, environment, clock } = options;
  const clients = new Map<string, Promise<ResolvedModel>>();
  let fromEnvironment: Promise<DefaultModel> | undefined;
  const environmentDefault = (): Promise<DefaultModel> =>
    (fromEnvironment ??= defaultModelFromEnvironment(environment, { probeOllama: createOllamaProbe({ fetch: options.fetch, clock }) }));

  const defaultModel = async (): Promise<{ readonly reference: string; readonly reason: string }> => {
    const agent = config.agents.find(({ id }) => id === config.defaultAgentId);
    if (agent?.model !== undefined) return { reference: agent.model.primary, reason: "it is configured" };
    return environmentDefault();
  };
  return {
    defaultModel,
    resolve: async (written) => {
      const reference = parse(written ?? (await defaultModel()).reference, config);
      const key = `${reference.provider}/${reference.model}`;
      const known = clients.get(key);
      if (known !== undefined) return known;
      const client = connect(reference, options);
      clients.set(key, client);
      // A model that could not be set up is tried again next time: its key may be there by then.
      client.catch(() => clients.delete(key));
      return client;
    },
  };
}

function parse(written: string, config: FactotumConfig): ModelReference {
  const configured = Object.entries(config.models.providers);
  const parsed = parseModelReference(written, {
    providers: [...Object.keys(PROVIDERS), ...configured.map(([id]) => id)],
    aliases: Object.assign({}, ...config.agents.map((agent) => aliasesOf(agent.models))) as Record<string, string>,
    references: configured.flatMap(([id, provider]) => provider.models.map((model) => `${id}/${model.id}`)),
    ...defaultProvider(config),
  });
  if (parsed.type === "model") return parsed.reference;
  throw new ModelError("not-found", `The model "${written}" cannot be used: ${parsed.message}`, { retry: { type: "never" } });
}

function aliasesOf(models: FactotumConfig["agents"][number]["models"]): Record<string, string> {
  return Object.fromEntries(Object.entries(models).flatMap(([reference, { alias }]) => (alias === undefined ? [] : [[alias, reference]])));
}

function defaultProvider(config: FactotumConfig): { readonly defaultProvider?: string } {
  const primary = config.agents.find(({ id }) => id === config.defaultAgentId)?.model?.primary;
  const slash = primary?.indexOf("/") ?? -1;
  return primary === undefined || slash <= 0 ? {} : { defaultProvider: primary.slice(0, slash) };
}

async function connect(reference: ModelReference, options: ConfiguredModelsOptions): Promise<ResolvedModel> {
  const { config } = options;
  const provider = Object.hasOwn(config.models.providers, reference.provider) ? config.models.providers[reference.provider] : undefined;
  const model = provider?.models.find(({ id }) => id === reference.model);
  const defaults = Object.hasOwn(PROVIDERS, reference.provider) ? PROVIDERS[reference.provider] : undefined;
  const baseUrl = provider?.baseUrl ?? defaults?.baseUrl ?? "";
  const apiKey = await findKey(reference.provider, options);
  try {
    const info = resolveModelInfo(reference.provider, reference.model, {
      ...(provider?.api === undefined ? {} : { api: provider.api }),
      ...(model?.contextWindow === undefined ? {} : { contextWindow: model.contextWindow }),
      ...(model?.maxOutput === undefined ? {} : { maxOutput: model.maxOutput }),
      ...(model?.input === undefined ? {} : { input: model.input }),
      ...(model?.cost === undefined ? {} : { cost: model.cost }),
    });
    const client = createModelClient({
      info,
      ...(baseUrl === "" ? {} : { baseUrl }),
      ...(apiKey === undefined ? {} : { apiKey }),
      timeouts: modelTimeouts(config.models, reference.provider, baseUrl),
      fetch: options.fetch,
      clock: options.clock,
      random: options.random,
    });
    return { reference: `${reference.provider}/${reference.model}`, client };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ModelError("not-found", error.message, { cause: error, retry: { type: "never" } });
  }
}

/** The configured key, else the vendor's own environment variable. A configured one that does not resolve is an error, never "no key". */
async function findKey(providerId: string, { config, environment }: ConfiguredModelsOptions): Promise<string | undefined> {
  const secret = Object.hasOwn(config.models.providers, providerId) ? config.models.providers[providerId]?.apiKey : undefined;
  if (secret === undefined) {
    const variable = Object.hasOwn(PROVIDERS, providerId) ? PROVIDERS[providerId]?.keyVariable : undefined;
    const value = variable === undefined ? undefined : environment[variable]?.trim();
    return value === "" ? undefined : value;
  }
  const resolution = await resolveSecret(secret, { env: environment });
  if (resolution.type === "resolved") return resolution.value;
  throw new ModelError("unauthorized", `models.providers.${providerId}.apiKey has no value: ${resolution.message}.`, {
    retry: { type: "never" },
  });
}
