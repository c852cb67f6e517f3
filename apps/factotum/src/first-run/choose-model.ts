import { withoutUndefined } from "@factotum/agent-contract";
import {
  formatKeyPath,
  getConfigValue,
  parseModelReference,
  setConfigValue,
  type KeyPath,
  type LoadedConfig,
  type ModelReference,
} from "@factotum/config";
import { checkWindow, PROVIDERS, resolveModelInfo } from "@factotum/models";
import { loadForSetup, refusedFor, type FirstRunParts, type StepOutcome } from "./first-run-parts.ts";
import { defaultAgent } from "./read-setup-state.ts";

/**
 * Sets `provider/model`, or an alias of one, as the model of the default agent: where its model is set now, otherwise under `agents.defaults`. Fallbacks are
 * kept.
 */
export async function chooseModel(written: string, parts: FirstRunParts): Promise<StepOutcome<{ readonly model: string }>> {
  const loaded = await loadForSetup(parts);
  if (loaded.type === "refused") return loaded;
  const { config } = loaded;
  const agent = defaultAgent(config);
  const aliases = Object.entries(agent.models).flatMap(([reference, { alias }]) =>
    alias === undefined ? [] : [[alias, reference] as const],
  );
  const parsed = parseModelReference(written, {
    providers: [...Object.keys(PROVIDERS), ...Object.keys(config.models.providers)],
    aliases: Object.fromEntries(aliases),
  });
  if (parsed.type === "unknown") return { type: "refused", message: describeMissingModel(written.trim(), loaded) ?? parsed.message };
  const model = `${parsed.reference.provider}/${parsed.reference.model}`;
  const verdict = judgeWindow(parsed.reference, loaded);
  if (verdict !== undefined) return { type: "refused", message: verdict };
  const result = await setConfigValue(formatKeyPath(placeOfModel(loaded, agent.id)), model, parts);
  return result.type === "refused" ? refusedFor(result.path, result.problems) : { type: "done", model };
}

/** The error for a provider without a model; `undefined` if the text names no provider. */
export function describeMissingModel(provider: string, { config }: LoadedConfig): string | undefined {
  const configured = Object.hasOwn(config.models.providers, provider) ? config.models.providers[provider] : undefined;
  if (configured === undefined && !Object.hasOwn(PROVIDERS, provider)) return undefined;
  const references = configured?.models.map(({ id }) => `${provider}/${id}`) ?? [];
  const which = references.length > 0 ? `Its models: ${references.join(", ")}` : `List its models: factotum models list ${provider}`;
  return `"${provider}" is a provider; the model is missing: write ${provider}/<model>. ${which}`;
}

/** Why no agent can work in the model's window; `undefined` if one can, or nothing is known about it. */
function judgeWindow({ provider, model }: ModelReference, { config }: LoadedConfig): string | undefined {
  const configured = config.models.providers[provider];
  const contextWindow = configured?.models.find(({ id }) => id === model)?.contextWindow;
  const api = configured?.api;
  const verdict = checkWindow(resolveModelInfo(provider, model, withoutUndefined({ api, contextWindow })));
  return verdict.type === "too-small" ? verdict.message : undefined;
}

function placeOfModel(loaded: LoadedConfig, agentId: string): KeyPath {
  const listed = loaded.config.agents.findIndex(({ id }) => id === agentId);
  const own: KeyPath = ["agents", "list", listed, "model"];
  const place: KeyPath = getConfigValue(formatKeyPath(own), loaded).type === "set" ? own : ["agents", "defaults", "model"];
  const current = getConfigValue(formatKeyPath(place), loaded);
  return current.type === "set" && typeof current.value === "object" ? [...place, "primary"] : place;
}
