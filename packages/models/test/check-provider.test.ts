import { describe, expect, test } from "vitest";
import { checkProvider, httpFetch, PROVIDER_FACTS, PROVIDERS, type ProviderCheck } from "../src/index.ts";
import { FakeClock } from "./fake-clock.ts";
import { startWireServer, type SeenRequest, type WireServer } from "./wire-server.ts";

const KEY = "sk-right-0123456789abcdef";
const WRONG = "sk-wrong-0123456789abcdef";

interface Scene {
  readonly provider: string;
  readonly path: string;
  readonly header: string;
  readonly sent: string;
  readonly listing: unknown;
  readonly refusal: readonly [status: number, body: unknown];
  readonly models: readonly string[];
}

/** The listings and refusals as the vendors document them. */
const SCENES: readonly Scene[] = [
  {
    provider: "anthropic",
    path: "/v1/models?limit=1000",
    header: "x-api-key",
    sent: KEY,
    listing: { data: [{ type: "model", id: "claude-sonnet-5-5", display_name: "Claude Sonnet 5.5" }], has_more: false },
    refusal: [401, { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } }],
    models: ["claude-sonnet-5-5"],
  },
  {
    provider: "openai",
    path: "/v1/models",
    header: "authorization",
    sent: `Bearer ${KEY}`,
    listing: {
      object: "list",
      data: [
        { id: "gpt-5.5", object: "model" },
        { id: "text-embedding-3-small", object: "model" },
      ],
    },
    refusal: [401, { error: { message: `Incorrect API key provided: ${WRONG}.`, type: "invalid_request_error", code: "invalid_api_key" } }],
    models: ["gpt-5.5"],
  },
  {
    provider: "google",
    path: "/v1beta/models?pageSize=1000",
    header: "x-goog-api-key",
    sent: KEY,
    listing: {
      models: [
        { name: "models/gemini-flash-latest", supportedGenerationMethods: ["generateContent", "countTokens"] },
        { name: "models/gemini-live", supportedGenerationMethods: ["bidiGenerateContent"] },
      ],
    },
    refusal: [400, { error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" } }],
    models: ["gemini-flash-latest"],
  },
  {
    provider: "mistral",
    path: "/v1/models",
    header: "authorization",
    sent: `Bearer ${KEY}`,
    listing: {
      object: "list",
      data: [
        { id: "mistral-medium-latest", capabilities: { completion_chat: true } },
        { id: "mistral-large-classifier", capabilities: { completion_chat: false } },
      ],
    },
    refusal: [401, { detail: "Unauthorized" }],
    models: ["mistral-medium-latest"],
  },
  {
    provider: "xai",
    path: "/v1/models",
    header: "authorization",
    sent: `Bearer ${KEY}`,
    listing: { object: "list", data: [{ id: "grok-4.7" }] },
    refusal: [400, { code: "Client specified an invalid argument", error: "Incorrect API key provided: sk***ef." }],
    models: ["grok-4.7"],
  },
  {
    provider: "together",
    path: "/v1/models",
    header: "authorization",
    sent: `Bearer ${KEY}`,
    listing: [{ id: "openai/gpt-oss-120b", type: "chat" }],
    refusal: [401, { error: { message: "Invalid API key provided", type: "invalid_request_error", code: "invalid_api_key" } }],
    models: ["openai/gpt-oss-120b"],
  },
];

function scene(provider: string): Scene {
  const found = SCENES.find((one) => one.provider === provider);
  if (found === undefined) throw new Error(`no scene of ${provider}`);
  return found;
}

function hasKey({ headers }: SeenRequest): boolean {
  return Object.values(headers).some((value) => value === KEY || value === `Bearer ${KEY}`);
}

function answerAs(server: WireServer, { listing, refusal: [status, body] }: Scene): void {
  server.answer((response, request) => {
    if (hasKey(request)) response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(listing));
    else response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
}

async function check(
  provider: string,
  baseUrl: string,
  rest: { readonly apiKey?: string; readonly model?: string; readonly clock?: FakeClock } = {},
): Promise<ProviderCheck> {
  const { clock = new FakeClock(), apiKey, ...more } = rest;
  const api = PROVIDERS[provider]?.api ?? "openai-chat";
  return checkProvider({ provider, api, baseUrl, apiKey, ...more }, { fetch: httpFetch, clock });
}

describe.each(SCENES)("$provider", (row) => {
  test("accepts the right key on its free listing and lists the chat models", async () => {
    await using server = await startWireServer();
    answerAs(server, row);
    expect(await check(row.provider, server.url, { apiKey: KEY })).toMatchObject({ type: "works", models: row.models });
    expect(server.requests.map(({ path }) => path)).toEqual([row.path]);
    expect(server.requests[0]?.headers[row.header]).toBe(row.sent);
  });

  test("refuses a wrong key, with a clear message that does not contain it", async () => {
    await using server = await startWireServer();
    answerAs(server, row);
    const result = await check(row.provider, server.url, { apiKey: WRONG });
    expect(result).toMatchObject({ type: "refused-key", models: [] });
    expect(result.message).not.toContain(WRONG);
    expect(result.message).toMatch(/refused this key.*Copy the whole key again\. Keys are made at https:\/\//);
  });
});

test("a missing key is reported before anything is sent, and so is one that no header can carry", async () => {
  await using server = await startWireServer();
  expect(await check("anthropic", server.url)).toMatchObject({ type: "missing-key" });
  expect(await check("anthropic", server.url, { apiKey: "sk-ant two words" })).toMatchObject({
    type: "refused-key",
    message: expect.stringContaining("This is no key") as string,
  });
  expect(server.requests).toEqual([]);
});

test("a provider that answers 401 to a request without a key lacks one", async () => {
  await using server = await startWireServer();
  server.answer((response) => void response.writeHead(401, { "content-type": "application/json" }).end('{"error":{"message":"no key"}}'));
  const result = await check("vllm", server.url);
  expect(result).toMatchObject({ type: "missing-key", message: "vllm needs a key, and there is none: no key." });
});

describe("OpenRouter", () => {
  const start = async (limitRemaining: number | null): Promise<WireServer> => {
    const server = await startWireServer();
    server.answer((response, request) => {
      const json = (status: number, body: unknown): void =>
        void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      // Its listing accepts any key.
      if (request.path.endsWith("/models")) json(200, { data: [{ id: "anthropic/claude-sonnet-5.5" }] });
      else if (hasKey(request)) json(200, { data: { label: "sk-or-…", limit_remaining: limitRemaining, is_free_tier: false } });
      else json(401, { error: { message: "User not found.", code: 401 } });
    });
    return server;
  };

  test("is queried for the key itself, then for its models", async () => {
    await using server = await start(null);
    expect(await check("openrouter", server.url, { apiKey: KEY })).toMatchObject({
      type: "works",
      models: ["anthropic/claude-sonnet-5.5"],
    });
    expect(server.requests.map(({ path }) => path)).toEqual(["/v1/key", "/v1/models"]);
    expect(await check("openrouter", server.url, { apiKey: WRONG })).toMatchObject({ type: "refused-key" });
  });

  test("reports an exhausted limit of the key", async () => {
    await using server = await start(0);
    expect(await check("openrouter", server.url, { apiKey: KEY })).toMatchObject({ type: "no-credit" });
  });
});

describe.each([
  [
    "deepseek",
    "/user/balance",
    { is_available: true, balance_infos: [] },
    { is_available: false, balance_infos: [{ total_balance: "0.00" }] },
  ],
  ["moonshotai", "/v1/users/me/balance", { code: 0, data: { available_balance: 49.58 } }, { code: 0, data: { available_balance: 0 } }],
] as const)("the account at %s", (provider, path, full, empty) => {
  const start = async (status: number, balance: unknown): Promise<WireServer> => {
    const server = await startWireServer();
    server.answer((response, request) => {
      const body = request.path.endsWith("/models") ? { data: [{ id: "some-chat" }] } : balance;
      response.writeHead(request.path.endsWith("/models") ? 200 : status).end(JSON.stringify(body));
    });
    return server;
  };

  test("reports an account without credit, asked with the key", async () => {
    await using server = await start(200, empty);
    expect(await check(provider, server.url, { apiKey: KEY })).toMatchObject({
      type: "no-credit",
      message: expect.stringContaining("Top it up") as string,
    });
    expect(server.requests.map((request) => [request.path, hasKey(request)])).toEqual([
      ["/v1/models", true],
      [path, true],
    ]);
  });

  test.each([
    [200, full],
    [200, {}],
    [404, { error: { message: "no such path" } }],
    [500, {}],
  ])("works if the response is %i %j: only an empty account has no credit", async (status, balance) => {
    await using server = await start(status, balance);
    expect(await check(provider, server.url, { apiKey: KEY })).toMatchObject({ type: "works", models: ["some-chat"] });
  });
});

describe("Ollama", () => {
  test("lists its models, with or without the tag, and reports if it has none", async () => {
    await using server = await startWireServer();
    const models = [{ name: "qwen3:latest" }, { name: "nomic-embed-text:latest" }];
    server.answer((response) => void response.end(JSON.stringify({ models })));
    expect(await check("ollama", `${server.url}/v1`, { model: "qwen3" })).toMatchObject({ type: "works", models: ["qwen3:latest"] });
    expect(await check("ollama", server.url, { model: "llama9" })).toMatchObject({ type: "unknown-model", models: ["qwen3:latest"] });
    models.length = 0;
    const none = await check("ollama", server.url);
    expect(none).toMatchObject({ type: "no-models" });
    expect(none.message).toContain("ollama pull");
    expect(new Set(server.requests.map(({ path }) => path))).toEqual(new Set(["/api/tags"]));
  });

  test("that is not running is unreachable, with the program to start", async () => {
    const server = await startWireServer();
    await server[Symbol.asyncDispose]();
    const result = await check("ollama", server.url);
    expect(result).toMatchObject({ type: "unreachable" });
    expect(result.message).toMatch(/ECONNREFUSED.*Start Ollama/);
  });
});

describe("a model", () => {
  test("that the listing omits is queried by its name: an alias is known, another is not", async () => {
    await using server = await startWireServer();
    server.answer((response, { path }) => {
      if (path.includes("/models?")) response.end(JSON.stringify(scene("anthropic").listing));
      else if (path.endsWith("/models/claude-latest")) response.end(JSON.stringify({ id: "claude-sonnet-5-5" }));
      else
        response.writeHead(404).end(JSON.stringify({ type: "error", error: { type: "not_found_error", message: "model: claude-nine" } }));
    });
    expect(await check("anthropic", server.url, { apiKey: KEY, model: "claude-latest" })).toMatchObject({ type: "works" });
    const result = await check("anthropic", server.url, { apiKey: KEY, model: "claude-nine" });
    expect(result).toMatchObject({ type: "unknown-model", models: ["claude-sonnet-5-5"] });
    expect(result.message).toContain('no model "claude-nine"');
  });
});

test("a model that is not for conversations is refused", async () => {
  await using server = await startWireServer();
  answerAs(server, scene("google"));
  const result = await check("google", server.url, { apiKey: KEY, model: "gemini-live" });
  expect(result).toMatchObject({ type: "unusable-model", models: ["gemini-flash-latest"] });
});

test.each([
  [402, { error: { message: "Insufficient credits" } }, "no-credit"],
  [429, { error: { message: "Rate limit exceeded" } }, "rate-limited"],
  [500, { error: { message: "internal" } }, "failed"],
  [404, { error: { message: "no such path" } }, "failed"],
  [302, {}, "failed"],
] as const)("status %i is %3$s", async (status, body, type) => {
  await using server = await startWireServer();
  server.answer((response) => void response.writeHead(status, { location: "http://127.0.0.1:9/" }).end(JSON.stringify(body)));
  expect(await check("groq", server.url, { apiKey: KEY })).toMatchObject({ type });
});

test("a login page of the network is no listing", async () => {
  await using server = await startWireServer();
  server.answer((response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>Welcome to the hotel</html>"));
  expect(await check("groq", server.url, { apiKey: KEY })).toMatchObject({
    type: "failed",
    message: expect.stringContaining("login page") as string,
  });
});

test("a silent provider is given up after the limit", async () => {
  await using server = await startWireServer();
  const clock = new FakeClock();
  const asked = server.nextRequest();
  server.answer(() => undefined);
  const pending = check("groq", server.url, { apiKey: KEY, clock });
  await asked;
  clock.advance(10_000);
  expect(await pending).toMatchObject({ type: "unreachable", message: expect.stringContaining("no answer in time") as string });
});

test("every provider of the table is known to the product, with a page for its keys", () => {
  for (const { id, url, keyVariables } of PROVIDER_FACTS) {
    expect(PROVIDERS[id]?.keyVariables ?? []).toEqual(keyVariables);
    expect(new URL(url).protocol).toBe("https:");
  }
  expect(PROVIDER_FACTS.map(({ id }) => id)).toEqual(
    expect.arrayContaining(Object.keys(PROVIDERS).filter((id) => PROVIDERS[id]?.keyVariables)),
  );
});
