import type { SetupCheck, SetupProvider } from "./shapes/setup.ts";

/** True if the provider has a key that can be read. */
export function hasUsableKey({ keyPlace, keyProblem }: SetupProvider): boolean {
  return keyPlace !== undefined && keyProblem === undefined;
}

/** False if the test found the key missing or refused. Such a key is not worth storing. */
export function mayKeyBeRight({ type }: Pick<SetupCheck, "type">): boolean {
  return type !== "missing-key" && type !== "refused-key";
}

/** True if the test found that the model cannot be used. */
export function isModelRefused({ type }: Pick<SetupCheck, "type">): boolean {
  return type === "unknown-model" || type === "unusable-model";
}

/** The models to choose from, without duplicates: the recommended one first, then those that the test found. */
export function offeredModels({ defaultModel }: SetupProvider, found: readonly string[]): readonly string[] {
  return [...new Set([...(defaultModel === undefined ? [] : [defaultModel]), ...found])];
}
