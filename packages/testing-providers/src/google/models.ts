/** A model's limits for the checks. */
export interface GoogleModel {
  /** Maximum tokens of a prompt. */
  readonly contextWindow: number;
  /** The largest `maxOutputTokens`. */
  readonly maxOutput: number;
  /** Supported thinking budgets; undefined for models that take a level. */
  readonly thinkingBudget: { readonly min: number; readonly max: number; readonly mayBeOff: boolean } | undefined;
  /** Whether calls must be returned with the signature of the thought that led to them. */
  readonly signsCalls: boolean;
}

const WINDOW = { contextWindow: 1_048_576, maxOutput: 65_536 };

/** By family, the more specific name first. */
const FAMILIES: readonly (readonly [prefix: RegExp, model: GoogleModel])[] = [
  [/^gemini-2\.5-flash-lite(-|$)/, { ...WINDOW, thinkingBudget: { min: 512, max: 24_576, mayBeOff: true }, signsCalls: false }],
  [/^gemini-2\.5-flash(-|$)/, { ...WINDOW, thinkingBudget: { min: 1, max: 24_576, mayBeOff: true }, signsCalls: false }],
  [/^gemini-2\.5-pro(-|$)/, { ...WINDOW, thinkingBudget: { min: 128, max: 32_768, mayBeOff: false }, signsCalls: false }],
  [/^gemini-(?:3(\.\d+)?-|flash-latest$)/, { ...WINDOW, thinkingBudget: undefined, signsCalls: true }],
];

/** The facts of a model id; `extra` wins. Undefined for an unknown id. */
export function findGoogleModel(id: string, extra: Readonly<Record<string, GoogleModel>> = {}): GoogleModel | undefined {
  if (Object.hasOwn(extra, id)) return extra[id];
  return FAMILIES.find(([pattern]) => pattern.test(id))?.[1];
}
