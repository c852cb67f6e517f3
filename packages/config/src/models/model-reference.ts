import { withoutUndefined, nearestName } from "@factotum/agent-contract";
import { withSuggestion } from "../suggestion.ts";

/** A provider and one of its models. */
export interface ModelReference {
  readonly provider: string;
  /** The provider's own name; may contain `/`. */
  readonly model: string;
}

/** The providers and models that references may name. */
export interface KnownModels {
  /** Ids of the configured providers and of those that need no configuration. */
  readonly providers: readonly string[];
  /** Alias to reference, for the current agent. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Provider of a bare name: the default model's. */
  readonly defaultProvider?: string;
  /** Configured references, for suggestions. */
  readonly references?: readonly string[];
}

/** A parsed reference, or why it is invalid. */
export type ParsedModelReference =
  | { readonly type: "model"; readonly reference: ModelReference }
  | { readonly type: "unknown"; readonly message: string; readonly nearest?: string };

/**
 * Parses a model reference: it splits at the first `/` into provider and model; without one it is an alias, else a model of the default model's provider. A
 * provider must be known; a bare name that looks like a misspelt alias is refused, every other model name is left to the provider.
 */
export function parseModelReference(text: string, known: KnownModels): ParsedModelReference {
  const reference = text.trim();
  const slash = reference.indexOf("/");
  if (slash === -1) return parseBareName(reference, known);
  const provider = reference.slice(0, slash);
  const model = reference.slice(slash + 1);
  if (provider === "" || model === "") return unknown(`"${text}" is no model: write provider/model, such as anthropic/claude-opus-4-6`);
  if (known.providers.includes(provider)) return { type: "model", reference: { provider, model } };
  const nearest = nearestName(provider, known.providers);
  const configured = nearestName(reference, known.references ?? []);
  const meant = configured ?? (nearest === undefined ? undefined : `${nearest}/${model}`);
  return unknown(
    `${withSuggestion(`there is no provider "${provider}"`, meant)} A new one is set with models.providers.${provider}, or comes with a plugin.`,
    meant,
  );
}

function parseBareName(name: string, known: KnownModels): ParsedModelReference {
  if (name === "") return unknown("the name of the model is empty; write provider/model");
  const target = Object.hasOwn(known.aliases, name) ? known.aliases[name] : undefined;
  if (target !== undefined && target.includes("/")) return parseModelReference(target, { ...known, aliases: {} });
  const nearest = target === undefined ? nearestName(name, Object.keys(known.aliases)) : undefined;
  if (nearest !== undefined) {
    return unknown(`${withSuggestion(`there is no alias "${name}"`, nearest)} A model of that name is written provider/${name}.`, nearest);
  }
  if (known.defaultProvider === undefined) return unknown(`"${name}" names no provider; write provider/${name}`);
  return { type: "model", reference: { provider: known.defaultProvider, model: target ?? name } };
}

function unknown(message: string, nearest?: string): ParsedModelReference {
  return { type: "unknown", message, ...withoutUndefined({ nearest }) };
}
