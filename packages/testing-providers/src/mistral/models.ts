/** A model's limits for the checks. */
export interface MistralModel {
  /** Maximum tokens of a prompt. */
  readonly contextWindow: number;
}

const FAMILIES: readonly (readonly [prefix: RegExp, model: MistralModel])[] = [
  [/^(?:mistral-(?:large|medium|small)|ministral-\d+b|magistral-(?:medium|small))(-|$)/, { contextWindow: 131_072 }],
  [/^(?:codestral|devstral)(-|$)/, { contextWindow: 262_144 }],
];

/** The facts of a model id; `extra` wins. Undefined for an unknown id. */
export function findMistralModel(id: string, extra: Readonly<Record<string, MistralModel>> = {}): MistralModel | undefined {
  if (Object.hasOwn(extra, id)) return extra[id];
  return FAMILIES.find(([pattern]) => pattern.test(id))?.[1];
}
