import { expect, test } from "vitest";
import { isInList, probeProvider } from "./probe-provider.ts";

interface Asked {
  readonly url: string;
  readonly headers: Headers;
}

function vendor(answers: Readonly<Record<string, readonly [status: number, body: unknown]>>): {
  readonly fetch: typeof fetch;
  readonly asked: Asked[];
} {
  const asked: Asked[] = [];
  const answer = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { href: url } = new URL(input instanceof Request ? input.url : input);
    asked.push({ url, headers: new Headers(init?.headers) });
    const [status, body] = answers[new URL(url).pathname] ?? [404, {}];
    return new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
  };
  return { fetch: answer as typeof fetch, asked };
}

const signal = new AbortController().signal;

test.each([
  ["anthropic", "anthropic-messages", "https://a.example", "/v1/models", "x-api-key", { data: [{ id: "m" }] }],
  ["openai", "openai-responses", "https://a.example/v1", "/v1/models", "authorization", { data: [{ id: "m" }] }],
  ["google", "google-generative-ai", "https://a.example", "/v1beta/models", "x-goog-api-key", { models: [{ name: "models/m" }] }],
  ["mistral", "mistral", "https://a.example/v1", "/v1/models", "authorization", { data: [{ id: "m" }] }],
  ["together", "openai-chat", "https://a.example/v1", "/v1/models", "authorization", [{ id: "m" }]],
] as const)("%s lists its models for a key", async (provider, api, baseUrl, path, header, body) => {
  const { fetch, asked } = vendor({ [path]: [200, body] });
  expect(await probeProvider({ provider, api, baseUrl, key: "sk-1", fetch, signal })).toEqual({ type: "accepted", models: ["m"] });
  expect(asked.map(({ headers }) => headers.get(header))).toEqual([header === "authorization" ? "Bearer sk-1" : "sk-1"]);
  expect(asked[0]?.url).not.toContain("sk-1");
});

test("OpenRouter is asked about the key itself, since its list takes any", async () => {
  const options = { provider: "openrouter", api: "openai-chat", baseUrl: "https://o.example/api/v1", key: "sk-1", signal } as const;
  const refusing = vendor({ "/api/v1/key": [401, {}], "/api/v1/models": [200, { data: [{ id: "m" }] }] });
  expect(await probeProvider({ ...options, fetch: refusing.fetch })).toEqual({ type: "refused", status: 401 });
  const taking = vendor({ "/api/v1/key": [200, {}], "/api/v1/models": [200, { data: [{ id: "m" }] }] });
  expect(await probeProvider({ ...options, fetch: taking.fetch })).toEqual({ type: "accepted", models: ["m"] });
});

test.each([
  [401, "{}", { type: "refused", status: 401 }],
  [403, "{}", { type: "refused", status: 403 }],
  [400, '{"error":{"details":[{"reason":"API_KEY_INVALID"}]}}', { type: "refused", status: 400 }],
  [404, "", { type: "unclear", status: 404 }],
  [500, "", { type: "unclear", status: 500 }],
  [200, "<html>", { type: "accepted" }],
])("%i %s", async (status, body, expected) => {
  const { fetch } = vendor({ "/v1/models": [status, body] });
  expect(await probeProvider({ provider: "x", api: "openai-chat", baseUrl: "https://a.example", fetch, signal })).toEqual(expected);
});

test("a provider that is not there is unreachable", async () => {
  const broken = (async () => {
    throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
  }) as typeof fetch;
  expect(await probeProvider({ provider: "x", api: "openai-chat", baseUrl: "https://a.example", fetch: broken, signal })).toEqual({
    type: "unreachable",
    cause: "connect ECONNREFUSED",
  });
});

test.each([
  ["m", ["m"], true],
  ["llama3", ["llama3:latest"], true],
  ["claude-x", ["claude-x-20260101"], true],
  ["mistral-medium-latest", ["mistral-medium-2508", "mistral-medium"], true],
  ["a/b:free", ["a/b"], true],
  ["gpt-5", ["gpt-5-mini"], false],
  ["m", ["mm"], false],
])("%s in %j: %s", (model, listed, known) => {
  expect(isInList(model, listed)).toBe(known);
});
