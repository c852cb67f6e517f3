import { withoutUndefined, nearestName } from "@factotum/agent-contract";
import { parseModelReference, resolveSecret, valueAt, type Environment, type FactotumConfig, type LoadedConfig } from "@factotum/config";
import {
  checkProvider,
  createOllamaProbe,
  DEFAULT_KEY_VARIABLES,
  defaultModelFromEnvironment,
  findProvider,
  ollamaContextNote,
  providerBaseUrl,
  PROVIDERS,
  readOllamaContext,
  readProviderKey,
  resolveModelInfo,
} from "@factotum/models";
import type { DefaultModel, ProviderCheck } from "@factotum/models";
import { pluginAt } from "../extensions/plugin-providers.ts";
import { systemClock } from "../runtime/system-clock.ts";
import { ok, type Finding } from "./finding.ts";

interface ModelCheckOptions {
  readonly env: Environment;
  readonly fetch: typeof fetch;
}

const TIMEOUT_MS = 5000;

/** Every agent's model: its name is valid, its key has a value, its provider answers. Makes no model request. */
export async function checkModels(
  { config, written }: Pick<LoadedConfig, "config" | "written">,
  options: ModelCheckOptions,
): Promise<Finding[]> {
  const chosen = await defaultModelFromEnvironment(options.env, {
    probeOllama: createOllamaProbe({ fetch: options.fetch, clock: systemClock }),
    ollamaBaseUrl: config.models.providers["ollama"]?.baseUrl,
  });
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const agent of config.agents) {
    const key = keyOfModel(agent.id, written);
    const references = agent.model === undefined ? [chosen.reference] : [agent.model.primary, ...agent.model.fallbacks];
    for (const [index, reference] of references.entries()) {
      if (seen.has(reference)) continue;
      seen.add(reference);
      const place =
        index > 0
          ? { key: `${key}.fallbacks`, isList: true }
          : { key: agent.model?.fallbacks.length ? `${key}.primary` : key, isDefault: key === keyOfModel(config.defaultAgentId, written) };
      findings.push(...(await checkModel(reference, agent, { ...options, config, chosen, place })));
    }
  }
  return findings;
}

type Agent = FactotumConfig["agents"][number];
/** The setting of a model. */
interface ModelPlace {
  readonly key: string;
  /** The setting is a list, of which the model is one. */
  readonly isList?: boolean;
  /** The model is the default agent's, which `factotum models set` changes. */
  readonly isDefault?: boolean;
}

type Context = ModelCheckOptions & { readonly config: FactotumConfig; readonly chosen: DefaultModel; readonly place: ModelPlace };

/** The setting that an agent's model comes from: its own, otherwise the one of all agents. */
function keyOfModel(agentId: string, written: unknown): string {
  const list = valueAt(written, ["agents", "list"]);
  const index = Array.isArray(list)
    ? list.findIndex((one) => valueAt(one, ["id"]) === agentId && valueAt(one, ["model"]) !== undefined)
    : -1;
  return index === -1 ? "agents.defaults.model" : `agents.list[${index}].model`;
}

async function checkModel(written: string, agent: Agent, context: Context): Promise<readonly Finding[]> {
  const { config, chosen } = context;
  const primary = agent.model?.primary ?? "";
  const parsed = parseModelReference(written, {
    providers: [...Object.keys(PROVIDERS), ...Object.keys(config.models.providers)],
    aliases: Object.fromEntries(
      Object.entries(agent.models).flatMap(([reference, { alias }]) => (alias === undefined ? [] : [[alias, reference]])),
    ),
    ...(primary.includes("/") ? { defaultProvider: primary.slice(0, primary.indexOf("/")) } : {}),
  });
  if (parsed.type === "unknown") {
    return [
      {
        check: "model",
        level: "error",
        message: `agent ${agent.id}: ${parsed.message}`,
        fix: `Correct ${context.place.key}.`,
      },
    ];
  }
  const { provider, model } = parsed.reference;
  if (provider === "demo") {
    return [
      {
        check: "model",
        level: "warning",
        message: [`agent ${agent.id} uses the demo model, which follows a script.`, chosen.problem ?? ""].join(" ").trimEnd(),
        fix: `Choose a provider: factotum setup. Or set one of these where the gateway starts, or run Ollama: ${DEFAULT_KEY_VARIABLES.join(", ")}.`,
      },
    ];
  }
  const plugin = pluginAt(config.models.providers[provider]?.baseUrl ?? "");
  if (plugin !== undefined) return [ok("model", `${written}: the plugin ${plugin} answers for it, and is not asked`)];
  const keys = await findKeys(provider, context);
  if ("check" in keys) return [keys];
  const baseUrl = config.models.providers[provider]?.baseUrl ?? providerBaseUrl(provider, context.env);
  const asked = await askProvider(written, { ...context, provider, model, baseUrl, keys: keys.found });
  if (provider !== "ollama" || baseUrl === undefined || asked.some(({ level }) => level === "error")) return asked;
  return [...asked, ...(await checkOllamaContext(model, baseUrl, context))];
}

/** Ollama silently cuts prompts that are longer than its loaded context. */
async function checkOllamaContext(model: string, baseUrl: string, { config, fetch }: Context): Promise<readonly Finding[]> {
  const configured = config.models.providers["ollama"]?.models.find(({ id }) => id === model)?.contextWindow;
  const { contextWindow } = resolveModelInfo("ollama", model, withoutUndefined({ contextWindow: configured }));
  const tokens = await readOllamaContext(baseUrl, model, { fetch, clock: systemClock });
  const message = ollamaContextNote(model, contextWindow, tokens);
  const fix = "Restart Ollama with that variable, or set num_ctx in the Modelfile of this model alone.";
  return message === undefined ? [] : [{ check: "model-context", level: "warning", message, fix }];
}

interface ProviderKey {
  /** The setting or the variable that brings it. */
  readonly place: string;
  readonly value: string | undefined;
}

/** The keys of a provider, or the problem with one. A server without authentication has one without a value. */
export async function findKeys(
  provider: string,
  { config, env }: Pick<Context, "config" | "env">,
): Promise<Finding | { readonly found: readonly ProviderKey[] }> {
  const configured = config.models.providers[provider];
  const keys = [
    ...(configured?.apiKey === undefined ? [] : [{ secret: configured.apiKey, place: `models.providers.${provider}.apiKey` }]),
    ...Object.entries(configured?.credentials ?? {}).map(([name, { apiKey }]) => ({
      secret: apiKey,
      place: `models.providers.${provider}.credentials.${name}.apiKey`,
    })),
  ];
  const found: ProviderKey[] = [];
  for (const { secret, place } of keys) {
    const resolved = await resolveSecret(secret, { env });
    if (resolved.type === "resolved") {
      found.push({ place, value: resolved.value });
      continue;
    }
    return {
      check: "model-key",
      level: "error",
      message: `${place} has no value: ${resolved.message}.`,
      fix:
        place === `models.providers.${provider}.apiKey` && secret.type === "file"
          ? `factotum auth set ${provider}`
          : `Set the key where it refers to, or correct ${place}.`,
    };
  }
  if (found.length > 0) return { found };
  const variable = findProvider(provider)?.keyVariables?.[0];
  const own = readProviderKey(provider, env);
  if (variable === undefined || own !== undefined) return { found: [{ place: own?.variable ?? provider, value: own?.value }] };
  const fix = `Set ${variable} where the gateway starts, or keep the key in a file: factotum auth set ${provider}`;
  return { check: "model-key", level: "error", message: `There is no key for ${provider}.`, fix };
}

interface AskedModel extends Context {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string | undefined;
  readonly keys: readonly ProviderKey[];
}

/** Queries the provider with each of its keys: it accepts the key, and offers the model. */
async function askProvider(written: string, asked: AskedModel): Promise<readonly Finding[]> {
  const { provider, model, baseUrl, keys, fetch, config } = asked;
  if (baseUrl === undefined) {
    const fix = `factotum config set models.providers.${provider}.baseUrl <address>`;
    return [{ check: "model", level: "error", message: `The address of ${provider} is not known.`, fix }];
  }
  const api = config.models.providers[provider]?.api ?? findProvider(provider)?.api;
  if (api === undefined) {
    const fix = `factotum config set models.providers.${provider}.api openai-chat (or the format that its documentation names)`;
    return [{ check: "model", level: "error", message: `The wire format of ${provider} is not known.`, fix }];
  }
  const findings: Finding[] = [];
  for (const { place: keyPlace, value } of keys) {
    const target = { provider, api, baseUrl, model, apiKey: value };
    const result = await checkProvider(target, { fetch, clock: systemClock, limitMs: TIMEOUT_MS });
    findings.push(explainCheck(result, written, { ...asked, keyPlace }));
    if (result.type === "unreachable") break;
  }
  return findings;
}

function explainCheck(
  { type, message, models }: ProviderCheck,
  written: string,
  asked: AskedModel & { readonly keyPlace: string },
): Finding {
  const { provider, model, baseUrl, keyPlace, place } = asked;
  switch (type) {
    case "works":
      return ok("model", `${written}: ${message}`);
    case "missing-key":
    case "refused-key":
      return { check: "model-key", level: "error", message: `${keyPlace}: ${message}`, fix: `factotum auth set ${provider}` };
    case "no-credit":
      return {
        check: "model-key",
        level: "error",
        message: `${keyPlace}: ${message}`,
        fix: `Top up the account at ${provider}, or choose another provider: factotum setup`,
      };
    case "unknown-model":
    case "unusable-model": {
      const offered = nearestName(model, models) ?? `<one of ${models.slice(0, 5).join(", ")}>`;
      return {
        check: "model",
        // A server of one's own may answer to names that it does not list.
        level: findProvider(provider)?.keyVariables === undefined ? "warning" : "error",
        message: `${written}: ${message}`,
        fix:
          place.isList === true
            ? `In ${place.key}, replace "${written}" by ${provider}/${offered}.`
            : `factotum ${place.isDefault === true ? "models set" : `config set ${place.key}`} ${provider}/${offered}`,
      };
    }
    case "rate-limited":
      return { check: "model", level: "warning", message: `${written}: ${message}`, fix: "factotum doctor, in a minute" };
    case "no-models":
      return { check: "model", level: "error", message: `${written}: ${message}`, fix: "ollama pull qwen3" };
    case "unreachable":
      return {
        check: "model",
        level: "error",
        message: `${written}: ${message}`,
        fix: `factotum auth test ${provider}, once that works again`,
      };
    case "failed":
      // Compatible servers need no listing.
      return {
        check: "model",
        level: "warning",
        message: `${written}: ${message}`,
        fix: `Check models.providers.${provider}.baseUrl (${baseUrl ?? "not set"}); a provider without a list of models may work all the same: factotum agent -m hello`,
      };
  }
}
