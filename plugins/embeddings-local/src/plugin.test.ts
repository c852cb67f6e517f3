import { readFileSync } from "node:fs";
import type { PluginApi, PluginModels, PluginObject } from "@factotum/plugin";
import { expect, test } from "vitest";
import { createEmbeddingsPlugin, plugin } from "./plugin.ts";
import { DIMENSIONS, MODEL } from "./sentence-model.ts";

function setUp(): PluginModels {
  let answer: PluginModels | undefined;
  const api: Pick<PluginApi, "models"> = { models: (given) => void (answer = given) };
  void createEmbeddingsPlugin({ isIsolated: true }).setup(api as PluginApi);
  if (answer === undefined) throw new Error("no models are registered");
  return answer;
}

const answer = setUp();

async function embed(
  input: unknown,
  more: PluginObject = {},
  signal = new AbortController().signal,
): Promise<readonly (readonly number[])[]> {
  const vectors: (readonly number[])[] = [];
  for await (const piece of answer({ model: MODEL, input, ...more } as PluginObject, { signal }))
    vectors.push((piece as { readonly embedding: readonly number[] }).embedding);
  return vectors;
}

function dot(one: readonly number[] = [], other: readonly number[] = []): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}

test("a text has a vector of length 1, whatever comes before and after it, and the same in each process", async () => {
  const texts = ["The radiators are serviced by Karl.", "x", "My sister moved to Lisbon. 🧳", "你好"];
  const vectors = await embed(texts);
  expect(vectors.map(({ length }) => length)).toEqual(texts.map(() => DIMENSIONS));
  for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 5);
  expect(await Promise.all([embed(texts.toReversed()), embed(texts[0])])).toEqual([vectors.toReversed(), [vectors[0]]]);
  // The first numbers: other weights need another name (MODEL), because vectors are kept by it.
  expect(vectors[0]?.slice(0, 3)).toEqual([0.0318, 0.0533, -0.0088].map((value) => expect.closeTo(value, 3) as number));
});

test("what means the same is nearer than what does not", async () => {
  const [question, boiler, tea] = await embed([
    "who repaired our heating?",
    "The radiators are serviced by Karl.",
    "Green tea is on the shelf.",
  ]);
  expect(dot(question, boiler)).toBeGreaterThan(dot(question, tea) + 0.1);
});

test("a text of 100,000 characters is cut before it is read", async () => {
  const [long, cut] = await embed(["a note ".repeat(14_000), "a note ".repeat(300)]);
  expect(long).toEqual(cut);
});

test.each<[string, PluginObject, number, string]>([
  ["an empty text", { input: ["a", " \n"] }, 400, "text 2 of the input is empty or no text"],
  ["a list of numbers", { input: [1, 2] }, 400, "text 1 of the input is empty or no text"],
  ["no texts", { input: [] }, 400, "input is a text, or a list of at least one"],
  ["another size", { input: "a", dimensions: 256 }, 400, "use-lite-en makes vectors of 512 numbers, and no others"],
  ["another model", { input: "a", model: "use-large" }, 404, 'there is no model "use-large", only use-lite-en'],
  ["messages", { messages: [{ role: "user", content: "hi" }] }, 400, "use-lite-en embeds texts and answers no messages"],
])("%s: refused with a status", async (_, { input, ...more }, status, message) => {
  await expect(embed(input, more)).rejects.toMatchObject({ status, message: expect.stringContaining(message) as string });
});

test("a request that is no longer wanted ends before its next text", async () => {
  const left = new AbortController();
  const pieces = answer({ model: MODEL, input: ["a", "b"] }, { signal: left.signal })[Symbol.asyncIterator]();
  expect((await pieces.next()).done).toBe(false);
  left.abort();
  await expect(pieces.next()).rejects.toThrow("aborted");
});

test("the manifest names the plugin and its model, and asks for no permission", () => {
  const { factotum } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { readonly factotum: unknown };
  expect(factotum).toMatchObject({ provides: [{ type: "models", id: plugin.id, models: [{ id: MODEL }] }], permissions: [] });
});

test("in the gateway's process it refuses to be set up", () => {
  expect(() => plugin.setup({} as PluginApi)).toThrow("remove plugins.entries.embeddings-local.trusted");
});
