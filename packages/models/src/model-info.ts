import { withoutUndefined } from "@factotum/agent-contract";
import type { ModelInfo } from "@factotum/agent-contract";
import type { CatalogueRow } from "./catalogue/catalogue-row.ts";
import { costOf } from "./catalogue/catalogue-cost.ts";
import { findCatalogueRow } from "./catalogue/find-row.ts";
import { findKeptRow } from "./catalogue/kept-rows.ts";
import { findCacheLifetime, NEVER_EXPIRES } from "./cache-lifetime.ts";
import { PROVIDERS } from "./providers.ts";
import { thinksWithinBudget } from "./thinking/thinking-levels.ts";

/** Overrides from the configuration; they win over every rule here. */
export type ModelInfoOverrides = Partial<Omit<ModelInfo, "provider" | "id" | "known">>;

/** What a configuration may say of a model. */
export type ConfiguredFacts = {
  readonly [Fact in Exclude<keyof ModelInfoOverrides, "api" | "cacheLifetime">]?: ModelInfoOverrides[Fact] | undefined;
};

/** The overrides of a configured model. Setting its thinking levels implies that it thinks. */
export function toModelOverrides(facts: ConfiguredFacts | undefined): ModelInfoOverrides {
  const { contextWindow, maxOutput, input, tools, reasoning, thinkingLevels, cost } = facts ?? {};
  return {
    ...withoutUndefined({ contextWindow, maxOutput, input, tools, thinkingLevels, cost }),
    ...(reasoning === undefined && thinkingLevels === undefined ? {} : { reasoning: reasoning ?? true }),
  };
}

type Limits = Pick<ModelInfo, "contextWindow" | "maxOutput" | "input" | "reasoning">;

const TEXT: ModelInfo["input"] = ["text"];
const TEXT_AND_IMAGES: ModelInfo["input"] = ["text", "image"];

/** Safe for any usable model: the window is small enough everywhere, and no feature is requested that a small server lacks. */
const UNKNOWN: Limits = { contextWindow: 32_768, maxOutput: 4_096, input: TEXT, reasoning: false };

function line(contextWindow: number, maxOutput: number, input: ModelInfo["input"], reasoning: boolean): Limits {
  return { contextWindow, maxOutput, input, reasoning };
}

/**
 * The vendors' model lines, by the prefix of the model's name (a path before it is ignored). First match wins, so the special cases come first. A rule is only
 * here if it holds for the whole line, so that a new model gets the values of its line.
 */
const LINES: readonly (readonly [pattern: RegExp, limits: Limits])[] = [
  [/^claude-(?:opus|sonnet)-4[-.]6/, line(1_000_000, 64_000, TEXT_AND_IMAGES, true)],
  [/^claude-(?:3[-.]7|sonnet-4|haiku-4|opus-4[-.]5)/, line(200_000, 64_000, TEXT_AND_IMAGES, true)],
  [/^claude-opus-4(?![-.][678])/, line(200_000, 32_000, TEXT_AND_IMAGES, true)],
  [/^claude-3/, line(200_000, 4_096, TEXT_AND_IMAGES, false)],
  [/^claude-/, line(1_000_000, 128_000, TEXT_AND_IMAGES, true)],
  [/^gpt-5(?:\.\d+)?-chat/, line(128_000, 16_384, TEXT_AND_IMAGES, false)],
  [/^gpt-5(?:\.[0-3])?(?:-|$)/, line(400_000, 128_000, TEXT_AND_IMAGES, true)],
  [/^gpt-5\.\d+-(?:mini|nano)/, line(400_000, 128_000, TEXT_AND_IMAGES, true)],
  [/^gpt-(?:5\.|[6-9])/, line(1_000_000, 128_000, TEXT_AND_IMAGES, true)],
  [/^gpt-4\.1/, line(1_000_000, 32_768, TEXT_AND_IMAGES, false)],
  [/^gpt-4o/, line(128_000, 16_384, TEXT_AND_IMAGES, false)],
  [/^gpt-oss/, line(131_072, 32_768, TEXT, true)],
  [/^o[134](?:-|$)/, line(200_000, 100_000, TEXT_AND_IMAGES, true)],
  [/^gemini-2\.0/, line(1_048_576, 8_192, TEXT_AND_IMAGES, false)],
  [/^gemini-/, line(1_048_576, 65_536, TEXT_AND_IMAGES, true)],
  [/^magistral-/, line(128_000, 40_000, TEXT_AND_IMAGES, true)],
  [/^(?:codestral|devstral)-/, line(256_000, 32_768, TEXT, false)],
  [/^(?:mistral|ministral|pixtral)-/, line(128_000, 32_768, TEXT_AND_IMAGES, false)],
  [/^deepseek-(?:chat|reasoner|v[123])/, line(128_000, 8_192, TEXT, false)],
];

/** Variants that the catalogue lists with the model whose price they have, although they can do less. */
const VARIANTS = /^gpt-5(?:\.\d+)?-chat/;

/**
 * The known facts of a model. The configuration wins; then the generated catalogue, which has the exact model and its price; then the rule of the vendor's
 * line; then values that are safe for any model, with `known: false`. Throws for a provider without defaults if the overrides name no `api`.
 */
export function resolveModelInfo(provider: string, id: string, overrides: ModelInfoOverrides = {}): ModelInfo {
  const api = overrides.api ?? PROVIDERS[provider]?.api;
  if (api === undefined) {
    throw new TypeError(`The provider "${provider}" is not known. Set models.providers.${provider}.api and .baseUrl.`);
  }
  if (api === "demo") {
    const cost = { input: 0, output: 0 };
    const limits = line(128_000, 4_096, TEXT, false);
    return { provider, id, api, ...limits, tools: "native", cost, cacheLifetime: NEVER_EXPIRES, ...overrides, known: true };
  }
  const local = runsLocally(provider);
  const name = id.slice(id.lastIndexOf("/") + 1).toLowerCase();
  const kept = local ? undefined : findKeptRow(provider, id);
  // A hand-maintained row has the model's own figures: nothing is guessed in addition.
  const byLine = local || kept !== undefined ? undefined : LINES.find(([pattern]) => pattern.test(name))?.[1];
  const row = local ? undefined : (kept ?? findCatalogueRow(provider, id));
  const exact = row === undefined || VARIANTS.test(name) ? {} : limitsOf(row, byLine);
  const known = byLine !== undefined || exact.contextWindow !== undefined || overrides.contextWindow !== undefined;
  const cost = row === undefined ? undefined : costOf(row);
  // A model with a thinking budget takes every level, whatever efforts the catalogue lists for it.
  const levels = api === "anthropic-messages" && thinksWithinBudget(id) ? undefined : row?.levels;
  const cacheLifetime = local ? NEVER_EXPIRES : findCacheLifetime(provider, id);
  const { output } = PROVIDERS[provider] ?? {};
  const maxOutput = exact.maxOutput ?? byLine?.maxOutput ?? output?.unknown ?? UNKNOWN.maxOutput;
  return {
    provider,
    id,
    api,
    ...(byLine ?? UNKNOWN),
    ...exact,
    maxOutput: Math.min(maxOutput, output?.most ?? maxOutput),
    tools: "native",
    ...withoutUndefined({ thinkingLevels: levels, cost, cacheLifetime }),
    ...overrides,
    known,
  };
}

/** Resellers announce windows that the underlying model does not have: if two sources know it, the smaller wins. */
function limitsOf(row: CatalogueRow, byLine: Limits | undefined): Partial<Limits> {
  return {
    ...(row.window === undefined ? {} : { contextWindow: Math.min(row.window, byLine?.contextWindow ?? row.window) }),
    ...withoutUndefined({ maxOutput: row.output }),
    ...(row.images === undefined ? {} : { input: row.images ? TEXT_AND_IMAGES : TEXT }),
    ...withoutUndefined({ reasoning: row.reasoning }),
  };
}

/** A local server limits the window to its start options, regardless of the model's. */
function runsLocally(provider: string): boolean {
  const defaults = PROVIDERS[provider];
  return defaults !== undefined && defaults.keyVariables === undefined;
}
