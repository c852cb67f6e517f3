import { startMediaServer } from "@factotum/testing-providers";
import { startProduct } from "@factotum/testing-product";
import OpenAI from "openai";
import { expect, test } from "vitest";

const KEY = "sk-media-0123456789";

test("the OpenAI client gets the vectors of the configured model, and is told if no model is configured", async () => {
  await using media = await startMediaServer({ key: KEY });
  media.respond(({ fields }) => {
    const input = fields["input"] as readonly string[];
    const data = input.map((text, index) => ({ object: "embedding", index, embedding: [text.length, 0.5] }));
    return { type: "json", body: { object: "list", data, model: "small", usage: { prompt_tokens: 7, total_tokens: 7 } } };
  });
  const provider = { api: "openai-chat", baseUrl: media.baseUrl, apiKey: KEY };
  await using product = await startProduct({ config: { models: { providers: { vectors: provider }, embedding: "vectors/small" } } });
  const client = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: product.token, maxRetries: 0 });
  const answer = await client.embeddings.create({ model: "factotum:embedding", input: ["a", "bcd"] });
  expect(answer.data.map(({ embedding }) => embedding)).toEqual([
    [1, 0.5],
    [3, 0.5],
  ]);
  expect(answer.usage.prompt_tokens).toBe(7);
  expect(product.output()).not.toContain(KEY);

  await using other = await startProduct({ config: {} });
  const without = new OpenAI({ baseURL: `${other.url}/v1`, apiKey: other.token, maxRetries: 0 });
  await expect(without.embeddings.create({ model: "factotum:embedding", input: "a" })).rejects.toMatchObject({
    status: 404,
    code: "embeddings_not_configured",
  });
});
