import { ModelError } from "@factotum/agent-contract";
import type { MediaServer } from "@factotum/testing-providers";
import { startMediaServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform } from "../../../test/gateway-harness.ts";
import type { TestGateway } from "../../../test/gateway-harness.ts";
import { createTextEmbeddings } from "./create-text-embeddings.ts";

let media: MediaServer;
let gateway: TestGateway | undefined;
beforeEach(async () => {
  media = await startMediaServer({ key: "sk-media" });
});
afterEach(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await media[Symbol.asyncDispose]();
});

async function start(tokensPerDay?: number): Promise<ReturnType<typeof createTextEmbeddings>> {
  const vectors = { api: "openai-chat", baseUrl: media.baseUrl, apiKey: { type: "literal", value: "sk-media" } } as const;
  gateway = await startTestGateway({
    platform: new TestPlatform(),
    patch: ({ models, spend, memory, ...rest }) => ({
      ...rest,
      models: {
        ...models,
        providers: {
          ...models.providers,
          vectors: { ...vectors, credentials: {}, models: [{ id: "small", cost: { input: 1, output: 0 } }], timeouts: {} },
        },
      },
      memory: { ...memory, embeddings: { model: "vectors/small" } },
      spend: { ...spend, perCause: tokensPerDay === undefined ? {} : { memory: { tokensPerDay } } },
    }),
  });
  return createTextEmbeddings(gateway.gateway.engine.parts);
}

const options = { model: "vectors/small", agentId: "main", signal: new AbortController().signal };

test("texts are embedded by the model of the setting, and charged to the memory", async () => {
  media.respond(({ fields }) => {
    const data = (fields["input"] as readonly string[]).map((text, index) => ({ object: "embedding", index, embedding: [text.length, 1] }));
    return { type: "json", body: { object: "list", data, model: "small", usage: { prompt_tokens: 2_000_000, total_tokens: 2_000_000 } } };
  });
  const embeddings = await start(1_000_000);
  expect(embeddings.model()).toBe("vectors/small");
  expect(await embeddings.embed(["a", "bcd"], options)).toEqual([
    [1, 1],
    [3, 1],
  ]);
  expect(media.requests.map(({ path, fields }) => [path, fields["model"], fields["input"]])).toEqual([
    ["/embeddings", "small", ["a", "bcd"]],
  ]);
  const refused = await embeddings.embed(["a"], options).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: "budget",
    retry: { type: "after" },
    message: expect.stringContaining("spend.perCause.memory") as string,
  });
  expect(media.requests).toHaveLength(1);
});

test("what the provider answers is an error that says what to do", async () => {
  media.respond(() => ({
    type: "json",
    status: 429,
    body: { error: { message: "Rate limit reached.", type: "requests", param: null, code: null } },
  }));
  const embeddings = await start();
  const failed = await embeddings.embed(["a"], options).catch((error: unknown) => error);
  expect(ModelError.isInstance(failed) && failed.code).toBe("rate-limited");
});
