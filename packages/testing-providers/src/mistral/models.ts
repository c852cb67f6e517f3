/** What the server checks requests for one model against. */
export interface MistralModel {
  /** Tokens that a prompt may have. */
  readonly contextWindow: number;
}

const FAMILIES: readonly (readonly [prefix: RegExp, model: MistralModel])[] = [
  [/^(?:mistral-(?:large|medium|small)|ministral-\d+b|magistral-(?:medium|small))(-|$)/, { contextWindow: 131_072 }],
  [/^(?:codestral|devstral)(-|$)/, { contextWindow: 262_144 }],
];

/** The facts of a model id; `extra` wins. Undefined for an id that nobody knows. */
export function findMistralModel(id: string, extra: Readonly<Record<string, MistralModel>> = {}): MistralModel | undefined {
  if (Object.hasOwn(extra, id)) return extra[id];
  return FAMILIES.find(([pattern]) => pattern.test(id))?.[1];
}
