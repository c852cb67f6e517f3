import { parseModelReference, resolveSecret, type Environment, type FactotumConfig } from "@factotum/config";
import {
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
import type { DefaultModel } from "@factotum/models";
import { systemClock } from "../runtime/system-clock.ts";
import { ok, type Finding } from "./finding.ts";

interface ModelCheckOptions {
  readonly env: Environment;
  readonly fetch: typeof fetch;
}

const TIMEOUT_MS = 5000;

/** Every agent's model: its name is understood, its key has a value, its provider answers. Nothing is spent. */
export async function checkModels(config: FactotumConfig, options: ModelCheckOptions): Promise<Finding[]> {
  const chosen = await defaultModelFromEnvironment(options.env, {
    probeOllama: createOllamaProbe({ fetch: options.fetch, clock: systemClock }),
    ollamaBaseUrl: config.models.providers["ollama"]?.baseUrl,
  });
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const agent of config.agents) {
    for (const written of agent.model === undefined ? [chosen.reference] : [agent.model.primary, ...agent.model.fallbacks]) {
      if (seen.has(written)) continue;
      seen.add(written);
      findings.push(...(await checkModel(written, agent, { ...options, config, chosen })));
    }
  }
  return findings;
}

type Agent = FactotumConfig["agents"][number];
type Context = ModelCheckOptions & { readonly config: FactotumConfig; readonly chosen: DefaultModel };

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
        fix: "Correct agents.defaults.model or the agent's own model.",
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
  const key = await checkKey(provider, context);
  if (key !== undefined) return [key];
  const baseUrl = config.models.providers[provider]?.baseUrl ?? providerBaseUrl(provider, context.env);
  const reachable = await checkReachable(written, baseUrl, { ...context, provider });
  if (provider !== "ollama" || baseUrl === undefined || reachable.level === "error") return [reachable];
  return [reachable, ...(await checkOllamaContext(model, baseUrl, context))];
}

/** Ollama cuts what is longer than the context it runs a model with, and says nothing of it. */
async function checkOllamaContext(model: string, baseUrl: string, { config, fetch }: Context): Promise<readonly Finding[]> {
  const configured = config.models.providers["ollama"]?.models.find(({ id }) => id === model)?.contextWindow;
  const { contextWindow } = resolveModelInfo("ollama", model, configured === undefined ? {} : { contextWindow: configured });
  const tokens = await readOllamaContext(baseUrl, model, { fetch, clock: systemClock });
  const message = ollamaContextNote(model, contextWindow, tokens);
  const fix = "Restart Ollama with that variable, or set num_ctx in the Modelfile of this model alone.";
  return message === undefined ? [] : [{ check: "model-context", level: "warning", message, fix }];
}

async function checkKey(provider: string, { config, env }: Context): Promise<Finding | undefined> {
  const configured = config.models.providers[provider];
  const keys = [
    ...(configured?.apiKey === undefined ? [] : [{ secret: configured.apiKey, place: `models.providers.${provider}.apiKey` }]),
    ...Object.entries(configured?.credentials ?? {}).map(([name, { apiKey }]) => ({
      secret: apiKey,
      place: `models.providers.${provider}.credentials.${name}.apiKey`,
    })),
  ];
  for (const { secret, place } of keys) {
    const resolved = await resolveSecret(secret, { env });
    if (resolved.type === "resolved") continue;
    return {
      check: "model-key",
      level: "error",
      message: `${place} has no value: ${resolved.message}.`,
      fix: `Set the key there, or correct ${place}.`,
    };
  }
  if (keys.length > 0) return undefined;
  const variable = findProvider(provider)?.keyVariables?.[0];
  if (variable === undefined || readProviderKey(provider, env) !== undefined) return undefined;
  const fix = `Set ${variable} where the gateway starts, or keep the key in a file: factotum auth set ${provider}`;
  return { check: "model-key", level: "error", message: `There is no key for ${provider}.`, fix };
}

/** Any answer will do, a refusal too: it shows that the address is right and the way is open. */
async function checkReachable(
  written: string,
  baseUrl: string | undefined,
  { fetch, provider }: Context & { readonly provider: string },
): Promise<Finding> {
  if (baseUrl === undefined) {
    const fix = `factotum config set models.providers.${provider}.baseUrl <address>`;
    return { check: "model", level: "error", message: `The address of ${provider} is not known.`, fix };
  }
  try {
    const response = await fetch(baseUrl, { method: "GET", redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    return ok("model", `${written}: ${new URL(baseUrl).host} answers`);
  } catch (error) {
    const cause =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : error instanceof Error ? error.message : "no answer";
    return {
      check: "model",
      level: "error",
      message: `${written}: ${new URL(baseUrl).host} cannot be reached (${cause}).`,
      fix: `Check the network and models.providers.${provider}.baseUrl.`,
    };
  }
}
