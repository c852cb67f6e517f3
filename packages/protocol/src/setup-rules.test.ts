import { expect, test } from "vitest";
import { hasUsableKey, isModelRefused, mayKeyBeRight, offeredModels } from "./setup-rules.ts";
import type { SetupProvider } from "./shapes/setup.ts";

const provider: SetupProvider = { id: "groq", label: "Groq", needsKey: true };

test("offers the recommended model first and each model once", () => {
  expect(offeredModels({ ...provider, defaultModel: "b" }, ["a", "b", "c"])).toEqual(["b", "a", "c"]);
  expect(offeredModels(provider, ["a", "a"])).toEqual(["a"]);
});

test("a key is usable if it exists and can be read", () => {
  expect(
    [{}, { keyPlace: "GROQ_API_KEY" }, { keyPlace: "a", keyProblem: "gone" }].map((key) => hasUsableKey({ ...provider, ...key })),
  ).toEqual([false, true, false]);
});

test("the key or the model is refused only if the test says so", () => {
  const types = ["works", "missing-key", "refused-key", "no-credit", "unknown-model", "unusable-model", "unreachable"] as const;
  expect(types.filter((type) => !mayKeyBeRight({ type }))).toEqual(["missing-key", "refused-key"]);
  expect(types.filter((type) => isModelRefused({ type }))).toEqual(["unknown-model", "unusable-model"]);
});
