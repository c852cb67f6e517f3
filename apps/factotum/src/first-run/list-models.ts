import type { ModelInfo } from "@factotum/agent-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import type { FactotumConfig, ResolvedAgent } from "@factotum/config";
import { findProvider, listedModels, PROVIDERS, resolveModelInfo, thinkingLevelsOf, toModelOverrides } from "@factotum/models";
import type { ModelList, ModelSummary, SetupProvider, SetupState } from "@factotum/protocol";
import { pluginAt } from "../extensions/plugin-providers.ts";
import { checkSetup } from "./check-setup.ts";
import { loadForSetup, type FirstRunParts, type StepOutcome } from "./first-run-parts.ts";
import { defaultAgent, readSetupState } from "./read-setup-state.ts";

/** Which models are listed; see `models.list`. */
export interface ModelQuery {
  readonly provider?: string | undefined;
  readonly all?: boolean | undefined;
  readonly ask?: boolean | undefined;
}

/** A provider's model before its facts are looked up. */
interface Found {
  readonly provider: string;
  readonly id: string;
  readonly source: ModelSummary["source"];
}

/** The models that can be chosen. Rejects only if `signal` fires. */
export async function listModels(
  query: ModelQuery,
  parts: FirstRunParts,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<StepOutcome<{ readonly list: ModelList }>> {
  const loaded = await loadForSetup(parts);
  if (loaded.type === "refused") return loaded;
  const setup = await readSetupState(parts);
  if (setup.type === "refused") return setup;
  const { config } = loaded;
  const { state } = setup;
  const known = new Map(state.providers.map((provider) => [provider.id, provider]));
  const isAsked = (id: string): boolean => query.provider === id || (query.provider === undefined && isUsable(known.get(id)));
  const answers = query.ask === true ? await askProviders([...askedOf(query, state)].filter(isAsked), parts, { signal }) : NO_ANSWERS;
  const isShown = ({ provider }: Found): boolean => query.provider === undefined || query.provider === provider;
  const found = [
    ...answers.found,
    ...namedModels(config, state.model.reference),
    ...Object.keys(PROVIDERS)
      .filter((id) => query.ask !== true && (query.all === true || isAsked(id)))
      .flatMap((id) => listedModels(id).map((model): Found => ({ provider: id, id: model, source: "catalogue" }))),
  ].filter(isShown);
  const unique = new Map<string, Found>();
  for (const one of found) if (!unique.has(`${one.provider}/${one.id}`)) unique.set(`${one.provider}/${one.id}`, one);
  const describe = describer(config, { state, known });
  return {
    type: "done",
    list: {
      model: state.model.reference,
      models: [...unique.values()].flatMap((one) => describe(one) ?? []),
      problems: answers.problems,
    },
  };
}

const NO_ANSWERS: Awaited<ReturnType<typeof askProviders>> = { found: [], problems: [] };

/** True for a provider that can be asked: one with a key, a local server that answers, or an own one without a key. */
function isUsable(provider: SetupProvider | undefined): boolean {
  if (provider === undefined) return false;
  const { keyPlace, running, needsKey, url } = provider;
  return keyPlace !== undefined || running === true || (!needsKey && url === undefined);
}

function askedOf({ provider }: ModelQuery, { providers }: SetupState): ReadonlySet<string> {
  return new Set(provider === undefined ? providers.map(({ id }) => id) : [provider]);
}

async function askProviders(
  ids: readonly string[],
  parts: FirstRunParts,
  { signal }: { readonly signal?: AbortSignal | undefined },
): Promise<{ readonly found: readonly Found[]; readonly problems: readonly string[] }> {
  const answers = await Promise.all(
    ids.map(async (id) => ({ id, check: await checkSetup({ provider: id }, parts, withoutUndefined({ signal })) })),
  );
  return {
    found: answers.flatMap(({ id, check }) => check.models.map((model): Found => ({ provider: id, id: model, source: "provider" }))),
    problems: answers.flatMap(({ check }) => (check.type === "works" ? [] : [check.message])),
  };
}

/** The models that the configuration names, and the one in use. */
function namedModels({ agents, models }: FactotumConfig, inUse: string): readonly Found[] {
  const references = [inUse, ...agents.flatMap(modelsOfAgent)].flatMap((reference): readonly Found[] => {
    const slash = reference.indexOf("/");
    // An alias is listed with its model.
    return slash < 1 ? [] : [{ provider: reference.slice(0, slash), id: reference.slice(slash + 1), source: "configured" }];
  });
  const entries = Object.entries(models.providers).flatMap(([provider, settings]) =>
    settings.models.map(({ id }): Found => ({ provider, id, source: "configured" })),
  );
  return [...references, ...entries];
}

function modelsOfAgent({ model, models }: ResolvedAgent): readonly string[] {
  return [...(model === undefined ? [] : [model.primary, ...model.fallbacks]), ...Object.keys(models)];
}

/** Adds what is known of a model; `undefined` for one whose provider is not described well enough. */
function describer(
  config: FactotumConfig,
  { state, known }: { readonly state: SetupState; readonly known: ReadonlyMap<string, SetupProvider> },
): (found: Found) => ModelSummary | undefined {
  const { models } = defaultAgent(config);
  const inUse = Object.entries(models).find(([, { alias }]) => alias === state.model.reference)?.[0] ?? state.model.reference;
  return ({ provider, id, source }) => {
    const configured = Object.hasOwn(config.models.providers, provider) ? config.models.providers[provider] : undefined;
    const api = configured?.api ?? findProvider(provider)?.api;
    if (api === undefined) return undefined;
    const reference = `${provider}/${id}`;
    const facts = configured?.models.find((entry) => entry.id === id);
    const info = resolveModelInfo(provider, id, { api, ...toModelOverrides(facts) });
    const setup = known.get(provider);
    const hasKey =
      api === "demo" ||
      pluginAt(configured?.baseUrl ?? "") !== undefined ||
      (setup !== undefined && setup.keyProblem === undefined && (setup.keyPlace !== undefined || !setup.needsKey));
    const { alias } = models[reference] ?? {};
    return { reference, provider, id, source, isDefault: reference === inUse, hasKey, ...factsOf(info), ...withoutUndefined({ alias }) };
  };
}

function factsOf(
  info: ModelInfo,
): Pick<ModelSummary, "isKnown" | "contextWindow" | "maxOutput" | "input" | "tools" | "reasoning" | "thinkingLevels" | "price"> {
  const { contextWindow, maxOutput, input, tools, reasoning, cost } = info;
  return {
    isKnown: info.known,
    contextWindow,
    maxOutput,
    input,
    tools,
    reasoning,
    thinkingLevels: thinkingLevelsOf(info),
    ...(cost === undefined
      ? {}
      : {
          price: {
            input: cost.input,
            output: cost.output,
            ...withoutUndefined({ cacheRead: cost.cacheRead, cacheWrite: cost.cacheWrite }),
          },
        }),
  };
}
