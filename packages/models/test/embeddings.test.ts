import { ModelError } from "@factotum/agent-contract";
import { type MediaServer, startMediaServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { embedTexts, httpFetch, type MediaConnection } from "../src/index.ts";

let server: MediaServer;
beforeEach(async () => {
  server = await startMediaServer({ key: "sk-media" });
});
afterEach(async () => server[Symbol.asyncDispose]());

function connection(more: Partial<MediaConnection> = {}): MediaConnection {
  const base = { provider: "vectors", model: "small", api: "openai-chat", apiKey: "sk-media", keyPlace: "the test" } as const;
  return { ...base, baseUrl: server.baseUrl, fetch: httpFetch, now: () => Date.now(), ...more };
}
const live = (): { readonly signal: AbortSignal } => ({ signal: new AbortController().signal });

/** A vector for each text: its length. */
function answerLengths(): void {
  server.respond(({ fields }) => {
    const input = fields["input"] as readonly string[];
    const data = input.map((text, index) => ({ object: "embedding", index, embedding: [text.length, 0.5] }));
    return {
      type: "json",
      body: { object: "list", data, model: "small", usage: { prompt_tokens: input.length, total_tokens: input.length } },
    };
  });
}

test("each text gets a vector, and the tokens are charged at the model's price", async () => {
  answerLengths();
  const { vectors, usage } = await embedTexts(
    connection({ cost: { input: 2, output: 0 } }),
    { texts: ["a", "bcd"], dimensions: 2 },
    live(),
  );
  expect(vectors).toEqual([
    [1, 0.5],
    [3, 0.5],
  ]);
  expect(usage).toMatchObject({ input: 2, costUsd: 0.000004 });
  expect(server.requests[0]).toMatchObject({ path: "/embeddings", fields: { model: "small", dimensions: 2 } });
});

test("more texts than the provider takes at once are sent in several requests", async () => {
  server.respond(({ fields }) => {
    const input = fields["input"] as readonly string[];
    const data = input.map((text, index) => ({ object: "embedding", index, embedding: [Number(text)] }));
    return { type: "json", body: { id: "1", object: "list", data, model: "small", usage: { prompt_tokens: 1, total_tokens: 1 } } };
  });
  const texts = Array.from({ length: 70 }, (_, index) => String(index));
  const { vectors } = await embedTexts(connection({ api: "mistral" }), { texts }, live());
  expect(vectors.flat()).toEqual(texts.map(Number));
  expect(server.requests.length).toBeGreaterThan(1);
});

test.each([
  [{ api: "anthropic-messages" as const }, "invalid-request", "models.embedding"],
  [{ apiKey: "wrong" }, "unauthorized", "the test"],
])("a failure says what to do: %j", async (more, code, advice) => {
  answerLengths();
  const error: unknown = await embedTexts(connection(more), { texts: ["a"] }, live()).catch((reason: unknown) => reason);
  if (!ModelError.isInstance(error)) throw new Error("it did not fail with a model error");
  expect(error.code).toBe(code);
  expect(error.message).toContain(advice);
});

test("an answer with fewer vectors than texts is a failure", async () => {
  server.respond(() => ({
    type: "json",
    body: { object: "list", data: [{ object: "embedding", index: 0, embedding: [1] }], model: "small" },
  }));
  await expect(embedTexts(connection(), { texts: ["a", "b"] }, live())).rejects.toThrow("1 vectors for 2 texts");
});
