import type { FactotumConfig } from "@factotum/config";
import { startMediaServer } from "@factotum/testing-providers";
import type { MediaServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway } from "../../../test/gateway-harness.ts";
import type { TestGateway } from "../../../test/gateway-harness.ts";

let server: MediaServer;
let running: TestGateway;

const withEmbedding =
  (more: Partial<FactotumConfig> = {}) =>
  (config: FactotumConfig): FactotumConfig => ({
    ...config,
    models: {
      ...config.models,
      providers: {
        ...config.models.providers,
        vectors: {
          api: "openai-chat",
          baseUrl: server.baseUrl,
          apiKey: { type: "literal", value: "sk-media" },
          credentials: {},
          models: [],
          timeouts: {},
        },
      },
      embedding: "vectors/small",
    },
    ...more,
  });

beforeEach(async () => {
  server = await startMediaServer({ key: "sk-media" });
  server.respond(({ fields }) => {
    const input = fields["input"] as readonly string[];
    const data = input.map((text, index) => ({ object: "embedding", index, embedding: [text.length, 0.5] }));
    return { type: "json", body: { object: "list", data, model: "small", usage: { prompt_tokens: 7, total_tokens: 7 } } };
  });
  running = await startTestGateway({ patch: withEmbedding() });
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const post = async (body: object, { gateway, token }: TestGateway = running): Promise<Response> =>
  fetch(`${gateway.url}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "factotum:embedding", input: "hello", ...body }),
  });

test("texts become vectors, as numbers or in base64", async () => {
  const answer = await post({ input: ["a", "bcd"], user: "me" });
  expect(answer.headers.get("x-factotum-ignored")).toBe("user");
  expect(await answer.json()).toEqual({
    object: "list",
    model: "factotum:embedding",
    data: [
      { object: "embedding", index: 0, embedding: [1, 0.5] },
      { object: "embedding", index: 1, embedding: [3, 0.5] },
    ],
    usage: { prompt_tokens: 7, total_tokens: 7 },
  });
  const { data } = (await (await post({ model: "vectors/small", encoding_format: "base64" })).json()) as {
    readonly data: readonly { readonly embedding: string }[];
  };
  const bytes = Buffer.from(data[0]?.embedding ?? "", "base64");
  expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([5, 0.5]);
});

test.each([
  [{ input: "" }, 400, "input"],
  [{ input: [] }, 400, "input"],
  [{ input: [1, 2] }, 400, "input"],
  [{ dimensions: 0 }, 400, "dimensions"],
  [{ encoding_format: "int8" }, 400, "encoding_format"],
  [{ model: "text-embedding-3-small" }, 404, "model"],
])("is refused: %j", async (body, status, param) => {
  const answer = await post(body);
  expect([answer.status, await answer.json()]).toMatchObject([status, { error: { param, type: "invalid_request_error" } }]);
  expect(server.requests).toEqual([]);
});

test("without a configured model the answer says what to set", async () => {
  await using plain = await startTestGateway();
  const answer = await post({}, plain);
  expect([answer.status, await answer.json()]).toMatchObject([
    404,
    { error: { code: "embeddings_not_configured", message: expect.stringContaining("set models.embedding") } },
  ]);
});

test("a request is charged like a person's call, and a failure of the provider is an error", async () => {
  await using capped = await startTestGateway({
    patch: (config) => withEmbedding({ spend: { ...config.spend, perCause: { user: { tokensPerDay: 1 } } } })(config),
  });
  expect((await post({}, capped)).status).toBe(200);
  const refused = await post({}, capped);
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: "budget" } }]);
  server.respond(() => ({ type: "page", status: 502, html: "<h1>Bad gateway</h1>" }));
  const failed = await post({});
  expect(failed.status).toBeGreaterThanOrEqual(502);
  expect(await failed.json()).toMatchObject({ error: { type: "server_error" } });
});
