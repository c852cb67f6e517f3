/** Facts about a model for checking its requests. */
export interface OpenAiModel {
  /** Tokens that a prompt may have. */
  readonly contextWindow: number;
  readonly maxOutput: number;
  /** Reasoning models accept an effort, and no sampling parameters with it. */
  readonly reasoning: boolean;
}

const GPT5 = { contextWindow: 400_000, maxOutput: 128_000, reasoning: true };
const O = { contextWindow: 200_000, maxOutput: 100_000, reasoning: true };

/** By family, the more special name first; `gpt-5.5-2026-04-01` belongs to `gpt-5`. */
const FAMILIES: readonly (readonly [prefix: RegExp, model: OpenAiModel])[] = [
  [/^gpt-4\.1(-|$)/, { contextWindow: 1_047_576, maxOutput: 32_768, reasoning: false }],
  [/^gpt-4o(-|$)/, { contextWindow: 128_000, maxOutput: 16_384, reasoning: false }],
  [/^gpt-5-chat(-|$)/, { contextWindow: 128_000, maxOutput: 16_384, reasoning: false }],
  [/^gpt-5(\.\d+)?(-|$)/, GPT5],
  [/^o[134](-|$)/, O],
];

/** The facts of a model id; `extra` wins. Undefined for an unknown id. */
export function findOpenAiModel(id: string, extra: Readonly<Record<string, OpenAiModel>> = {}): OpenAiModel | undefined {
  if (Object.hasOwn(extra, id)) return extra[id];
  return FAMILIES.find(([pattern]) => pattern.test(id))?.[1];
}
