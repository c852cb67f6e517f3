import { ModelError, withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Logger, ModelApi, ModelInfo, Random } from "@factotum/agent-contract";
import { parseModelReference } from "@factotum/config";
import type { FactotumConfig, ModelReference, ModelTimeouts, ProviderConfig } from "@factotum/config";
import {
  checkWindow,
  createModelClient,
  findProvider,
  isLocalUrl,
  NEVER_EXPIRES,
  ollamaContextNote,
  providerBaseUrl,
  PROVIDERS,
  readOllamaContext,
  resolveModelInfo,
  toModelOverrides,
} from "@factotum/models";
import type { DefaultModel, MediaConnection, ModelClientOptions } from "@factotum/models";
import { LRUCache } from "lru-cache";
import { createEnvironmentDefault } from "./environment-default.ts";
import { externalAgentOf, externalModel } from "./external-agent.ts";
import { findKeys } from "./find-keys.ts";
import type { ModelCandidate, ModelSource, ResolvedModel } from "./model-source.ts";

/** The dependencies of finding models. */
export interface ConfiguredModelsOptions {
  readonly config: FactotumConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Called with every credential that is read, before it is used, so that no log line ever shows it. */
  readonly onSecret: (value: string) => void;
}

/** Maximum cached clients; anyone who is admitted can name any number of models (R11). */
const MAX_CLIENTS = 100;

/**
 * The models of the configuration, with the environment's default if it names none. A vendor that requires a key and has none is refused before anything is
 * sent. One at another address may work without (a proxy that has the key), if the configuration names it: conversations are sent only to providers that the
 * owner has chosen. Clients are cached while they are used.
 */
export function createConfiguredModels(options: ConfiguredModelsOptions): ModelSource {
  const { config, environment, logger } = options;
  const clients = new LRUCache<string, Promise<ResolvedModel>>({ max: MAX_CLIENTS });
  const chosen = chosenProviders(config);
  const environmentDefault = createEnvironmentDefault({ ...options, ollamaBaseUrl: config.models.providers["ollama"]?.baseUrl });
  const serverNote: ModelSource["serverNote"] = async ({ client: { info } }) => {
    if (info.provider === "demo") return (await defaultModel()).problem;
    if (info.provider !== "ollama") return undefined;
    const baseUrl = config.models.providers["ollama"]?.baseUrl ?? providerBaseUrl("ollama", environment) ?? "";
    return ollamaContextNote(info.id, info.contextWindow, await readOllamaContext(baseUrl, info.id, options));
  };

  const defaultModel = async (): Promise<Pick<DefaultModel, "reference" | "reason" | "problem">> => {
    const agent = config.agents.find(({ id }) => id === config.defaultAgentId);
    if (agent?.model !== undefined) return { reference: agent.model.primary, reason: "it is configured" };
    return environmentDefault();
  };
  return {
    defaultModel,
    resolve: async (written) => {
      const external = externalAgentOf(written);
      if (external !== undefined) return externalModel(external, config);
      const reference = parse(written ?? (await defaultModel()).reference, config);
      const key = `${reference.provider}/${reference.model}`;
      const known = clients.get(key);
      if (known !== undefined) return known;
      const client = connect(reference, options, { isChosen: chosen.has(reference.provider) });
      clients.set(key, client);
      // A model that could not be set up is tried again next time: its key may exist by then.
      client.catch(() => clients.delete(key));
      const model = await client;
      const detail = reference.provider === "demo" ? undefined : await serverNote(model);
      if (detail !== undefined) logger.warn("The server of a model may cut prompts", { model: key, detail });
      return model;
    },
    serverNote,
    mediaConnection: async (written) => connectMedia(parse(written, config), options),
  };
}

/** The providers that the configuration names: under `models.providers`, in a model of an agent, or in the one that looks at images. */
function chosenProviders(config: FactotumConfig): ReadonlySet<string> {
  const written = config.agents.flatMap(({ model, models, compaction, heartbeat }) => [
    ...(model === undefined ? [] : [model.primary, ...model.fallbacks]),
    ...Object.keys(models),
    compaction.model,
    heartbeat === "off" ? undefined : heartbeat.model,
  ]);
  written.push(config.models.image);
  const references = written.map((one) => (one === undefined ? undefined : parseWritten(one, config)));
  const named = references.flatMap((parsed) => (parsed?.type === "model" ? [parsed.reference.provider] : []));
  return new Set([...Object.keys(config.models.providers), ...named]);
}

function parse(written: string, config: FactotumConfig): ModelReference {
  const parsed = parseWritten(written, config);
  if (parsed.type === "model") return parsed.reference;
  throw new ModelError("not-found", `The model "${written}" cannot be used: ${parsed.message}`, { retry: { type: "never" } });
}

function parseWritten(written: string, config: FactotumConfig): ReturnType<typeof parseModelReference> {
  const configured = Object.entries(config.models.providers);
  return parseModelReference(written, {
    providers: [...Object.keys(PROVIDERS), ...configured.map(([id]) => id)],
    aliases: Object.assign({}, ...config.agents.map((agent) => aliasesOf(agent.models))) as Record<string, string>,
    references: configured.flatMap(([id, provider]) => provider.models.map((model) => `${id}/${model.id}`)),
    ...defaultProvider(config),
  });
}

function aliasesOf(models: FactotumConfig["agents"][number]["models"]): Record<string, string> {
  return Object.fromEntries(Object.entries(models).flatMap(([reference, { alias }]) => (alias === undefined ? [] : [[alias, reference]])));
}

function defaultProvider(config: FactotumConfig): { readonly defaultProvider?: string } {
  const primary = config.agents.find(({ id }) => id === config.defaultAgentId)?.model?.primary;
  const slash = primary?.indexOf("/") ?? -1;
  return primary === undefined || slash <= 0 ? {} : { defaultProvider: primary.slice(0, slash) };
}

/** A provider as the configuration and the environment describe it, with what its models have in common. */
interface ConnectedProvider {
  readonly id: string;
  readonly api: ModelApi;
  /** Absent for `demo`. */
  readonly baseUrl: string | undefined;
  readonly defaults: ReturnType<typeof findProvider>;
  readonly config: ProviderConfig | undefined;
  readonly keys: Awaited<ReturnType<typeof findKeys>>;
}

/** Rejects if the provider is not described well enough, or has no key where it needs one. */
async function connectProvider(
  id: string,
  options: ConfiguredModelsOptions,
  { isChosen }: { readonly isChosen: boolean },
): Promise<ConnectedProvider> {
  const { config } = options;
  const provider = Object.hasOwn(config.models.providers, id) ? config.models.providers[id] : undefined;
  const defaults = findProvider(id);
  const api = provider?.api ?? defaults?.api;
  const baseUrl = provider?.baseUrl ?? providerBaseUrl(id, options.environment);
  if (api === undefined || (api !== "demo" && (baseUrl === undefined || baseUrl === ""))) {
    throw new ModelError(
      "not-found",
      `models.providers.${id} must say ${api === undefined ? "api" : "baseUrl"}: the provider is not one that is known by its name.`,
      { retry: { type: "never" } },
    );
  }
  const keys = await findKeys(id, provider, options);
  const isVendor = provider?.baseUrl === undefined || provider.baseUrl === defaults?.baseUrl;
  if (keys.length === 0 && defaults?.keyVariables !== undefined && (isVendor || !isChosen))
    throw new ModelError("unauthorized", missingKeyText(id, defaults.keyVariables[0]), { retry: { type: "never" } });
  for (const { value } of keys) options.onSecret(value);
  return { id, api, baseUrl, defaults, config: provider, keys };
}

async function connect(
  reference: ModelReference,
  options: ConfiguredModelsOptions,
  { isChosen }: { readonly isChosen: boolean },
): Promise<ResolvedModel> {
  const { provider: id, model: name } = reference;
  const { api, baseUrl, defaults, config: provider, keys } = await connectProvider(id, options, { isChosen });
  const known = resolveModelInfo(id, name, { api, ...toModelOverrides(provider?.models.find((model) => model.id === name)) });
  // A self-hosted server keeps its cache while it runs; a proxy for a vendor's model does not.
  const isOwnServer = defaults === undefined && known.cacheLifetime === undefined && isLocalUrl(baseUrl ?? "");
  const info = isOwnServer ? { ...known, cacheLifetime: NEVER_EXPIRES } : known;
  judgeWindow(info, options);
  const common = {
    info,
    ...(baseUrl === undefined || baseUrl === "" ? {} : { baseUrl }),
    timeouts: timeouts(options.config, provider),
    fetch: options.fetch,
    clock: options.clock,
    random: options.random,
  };
  const withKeys = keys.map(({ value, name: credential, place }): ModelCandidate => ({
    client: createModelClient({ ...common, apiKey: value, keyPlace: place }),
    credential,
  }));
  const [first = { client: createModelClient(common) }, ...others] = withKeys;
  return { reference: `${id}/${name}`, ...first, candidates: [first, ...others] };
}

/** With the first credential: requests for media are not repeated with another one. */
async function connectMedia({ provider: id, model }: ModelReference, options: ConfiguredModelsOptions): Promise<MediaConnection> {
  const { api, baseUrl = "", config: provider, keys } = await connectProvider(id, options, { isChosen: true });
  const { cost } = resolveModelInfo(id, model, { api, ...toModelOverrides(provider?.models.find((entry) => entry.id === model)) });
  const { fetch, clock } = options;
  return {
    provider: id,
    model,
    api,
    baseUrl,
    ...withoutUndefined({ apiKey: keys[0]?.value, keyPlace: keys[0]?.place, cost }),
    fetch,
    now: () => clock.now(),
  };
}

/** That a provider's key is missing, and where to put it. */
export function missingKeyText(provider: string, variable: string): string {
  return `There is no key for ${provider}: set ${variable}, or run "factotum auth set ${provider}".`;
}

/** An agent needs a minimum window: one that is too small is refused, a narrow one gives a warning. */
function judgeWindow(info: ModelInfo, { logger }: ConfiguredModelsOptions): void {
  const verdict = checkWindow(info);
  if (verdict.type === "too-small") throw new ModelError("invalid-request", verdict.message, { retry: { type: "never" } });
  if (verdict.type === "small") logger.warn("A narrow window", { model: `${info.provider}/${info.id}`, detail: verdict.message });
}

/** The provider's own limits, else those of `models.timeouts`; otherwise the client's default for the address. */
function timeouts(config: FactotumConfig, provider: ProviderConfig | undefined): NonNullable<ModelClientOptions["timeouts"]> {
  const seconds = { ...defined(config.models.timeouts), ...defined(provider?.timeouts ?? {}) };
  return {
    ...(seconds.connectSeconds === undefined ? {} : { connectMs: seconds.connectSeconds * 1000 }),
    ...(seconds.firstEventSeconds === undefined ? {} : { firstEventMs: seconds.firstEventSeconds * 1000 }),
    ...(seconds.idleSeconds === undefined ? {} : { idleMs: seconds.idleSeconds * 1000 }),
  };
}

function defined(limits: ModelTimeouts): ModelTimeouts {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
