import { inspect } from "node:util";
import type { ModelErrorCode } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { clientFor, collect, failureOf, requestOf } from "./client.ts";
import { FakeClock } from "./fake-clock.ts";
import { sendJson, startWireServer, type WireServer } from "./wire-server.ts";
import { WIRES } from "./wires/all-wires.ts";
import { anthropic } from "./wires/anthropic.ts";
import { google } from "./wires/google.ts";
import { mistral } from "./wires/mistral.ts";
import { compatibleChat, openaiChat } from "./wires/openai-chat.ts";
import { openaiResponses } from "./wires/openai-responses.ts";
import type { Wire } from "./wires/wire.ts";

let server: WireServer;
beforeEach(async () => {
  server = await startWireServer();
});
afterEach(() => server[Symbol.asyncDispose]());

const anthropicError = (type: string, message: string): unknown => ({ type: "error", error: { type, message } });
const openaiError = (code: string | null, message: string, type = "invalid_request_error"): unknown => ({
  error: { message, type, param: null, code },
});
const googleError = (code: number, status: string, message: string, details: unknown[] = []): unknown => ({
  error: { code, status, message, details },
});
const mistralError = (type: string, message: string, code: string | null = null): unknown => ({
  object: "error",
  message,
  type,
  param: null,
  code,
});

const CASES: readonly (readonly [Wire, number, unknown, ModelErrorCode])[] = [
  [anthropic, 401, anthropicError("authentication_error", "invalid x-api-key"), "unauthorized"],
  [anthropic, 403, anthropicError("permission_error", "Your key may not use this"), "unauthorized"],
  [anthropic, 404, anthropicError("not_found_error", "model: claude-nope"), "not-found"],
  [anthropic, 400, anthropicError("invalid_request_error", "messages.3: tool_use ids were found without results"), "invalid-request"],
  [anthropic, 400, anthropicError("invalid_request_error", "Your credit balance is too low to access the Anthropic API"), "billing"],
  [
    anthropic,
    400,
    anthropicError("invalid_request_error", "input length and `max_tokens` exceed context limit: 1 + 2 > 3"),
    "context-overflow",
  ],
  [anthropic, 400, anthropicError("invalid_request_error", "Output blocked by content filtering policy"), "filtered"],
  [anthropic, 413, anthropicError("request_too_large", "Request exceeds the maximum size"), "context-overflow"],
  [anthropic, 429, anthropicError("rate_limit_error", "This request would exceed your rate limit"), "rate-limited"],
  [anthropic, 500, anthropicError("api_error", "Internal server error"), "server"],
  [anthropic, 529, anthropicError("overloaded_error", "Overloaded"), "overloaded"],
  [openaiResponses, 401, openaiError("invalid_api_key", "Incorrect API key provided"), "unauthorized"],
  [openaiResponses, 404, openaiError("model_not_found", "The model `gpt-9` does not exist"), "not-found"],
  [openaiResponses, 429, openaiError("insufficient_quota", "You exceeded your current quota", "insufficient_quota"), "billing"],
  [openaiResponses, 429, openaiError("rate_limit_exceeded", "Rate limit reached for gpt-5", "requests"), "rate-limited"],
  [openaiResponses, 400, openaiError("invalid_prompt", "Your prompt was flagged as potentially violating our usage policy"), "filtered"],
  [openaiResponses, 503, openaiError(null, "The engine is currently overloaded", "server_error"), "overloaded"],
  [openaiChat, 400, openaiError("context_length_exceeded", "Please reduce the length of the messages."), "context-overflow"],
  [compatibleChat, 402, openaiError(null, "Insufficient Balance"), "billing"],
  [compatibleChat, 404, { error: { message: "model 'qwen9' not found, try pulling it first", type: "api_error" } }, "not-found"],
  [compatibleChat, 400, { error: { message: "moonshotai/nope is not a valid model ID", code: 400 } }, "not-found"],
  [
    compatibleChat,
    400,
    { error: { code: 400, message: "the request exceeds the available context size", type: "exceed_context_size_error" } },
    "context-overflow",
  ],
  [
    compatibleChat,
    413,
    openaiError("rate_limit_exceeded", "Request too large: please reduce your message size", "tokens"),
    "context-overflow",
  ],
  [compatibleChat, 400, { error: "invalid character in body" }, "invalid-request"],
  [google, 400, googleError(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), "unauthorized"],
  [google, 403, googleError(403, "PERMISSION_DENIED", "Method is blocked"), "unauthorized"],
  [google, 404, googleError(404, "NOT_FOUND", "models/gemini-9 is not found"), "not-found"],
  [google, 400, googleError(400, "INVALID_ARGUMENT", "Please ensure that function call turn comes immediately after"), "invalid-request"],
  [
    google,
    429,
    googleError(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details"),
    "rate-limited",
  ],
  [google, 500, googleError(500, "INTERNAL", "An internal error has occurred"), "server"],
  [google, 503, googleError(503, "UNAVAILABLE", "The model is overloaded"), "overloaded"],
  [mistral, 401, { message: "Unauthorized", request_id: "1" }, "unauthorized"],
  [mistral, 400, mistralError("invalid_model", "Invalid model: mistral-nope", "1500"), "not-found"],
  [
    mistral,
    422,
    { object: "error", message: { detail: [{ type: "missing" }] }, type: "invalid_request_error", param: null, code: null },
    "invalid-request",
  ],
  [mistral, 429, mistralError("rate_limited", "Rate limit exceeded", "1300"), "rate-limited"],
  [mistral, 503, "upstream connect error", "overloaded"],
];

test.each(CASES)("$0.name $1 $2 is $3", async (wire, status, body, code) => {
  server.answer(sendJson(status, body));
  const { error } = failureOf(await collect(clientFor(wire, server.url)));
  expect(error.code).toBe(code);
  expect(error.status).toBe(status);
  const retryable = new Set<ModelErrorCode>(["rate-limited", "overloaded", "server"]);
  expect(error.retry.type).toBe(retryable.has(code) ? "backoff" : "never");
  expect(server.requests).toHaveLength(1);
});

describe("the delay requested by a provider", () => {
  const clock = new FakeClock();
  const HTTP_DATE = new Date(Math.ceil(clock.now() / 1_000) * 1_000 + 90_000).toUTCString();

  test.each([
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after": "3600" }, 3_600_000],
    [{ "retry-after": "1.5" }, 1_500],
    [{ "retry-after-ms": "250", "retry-after": "1" }, 250],
    [{ "retry-after": HTTP_DATE, date: new Date(Date.parse(HTTP_DATE) - 90_000).toUTCString() }, 90_000],
    [{ "retry-after": HTTP_DATE, date: "" }, Date.parse(HTTP_DATE) - clock.now()],
    // Our clock is in 1970, theirs is right.
    [{ "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT", date: "Wed, 21 Oct 2015 07:27:00 GMT" }, 60_000],
    [{ "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }, 0],
  ])("%j", async (headers, delayMs) => {
    server.answer(sendJson(429, anthropicError("rate_limit_error", "slow down"), headers as unknown as Record<string, string>));
    const { error } = failureOf(await collect(clientFor(anthropic, server.url, { clock })));
    expect(error.retry).toEqual({ type: "after", delayMs });
  });

  test.each(["soon", "Fri, 31 Dec 9999 23:59:59 GMT", "-4"])("%s gives no delay", async (value) => {
    server.answer(sendJson(503, anthropicError("api_error", "later"), { "retry-after": value }));
    expect(failureOf(await collect(clientFor(anthropic, server.url, { clock }))).error.retry).toEqual({ type: "backoff" });
  });

  test("Google gives it in the body", async () => {
    const info = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "37.5s" };
    server.answer(sendJson(429, googleError(429, "RESOURCE_EXHAUSTED", "Quota", [info])));
    expect(failureOf(await collect(clientFor(google, server.url))).error.retry).toEqual({ type: "after", delayMs: 37_500 });
  });

  test("no delay makes a wrong key retryable", async () => {
    server.answer(sendJson(401, anthropicError("authentication_error", "no"), { "retry-after": "5" }));
    expect(failureOf(await collect(clientFor(anthropic, server.url))).error.retry).toEqual({ type: "never" });
  });
});

describe.each(WIRES)("content of an error, $name", (wire: Wire) => {
  const SECRET = "The launch code is 0000 and nobody but the president may ever read it, so keep it safe at all times.";
  const request = requestOf({ messages: [{ role: "user", content: [{ type: "text", text: SECRET }], timestamp: 1 }] });

  test("row 10: never the prompt, neither in its text nor in its cause, and never the key", async () => {
    const answers = [
      sendJson(400, { error: { type: "invalid_request_error", message: `Bad value "${SECRET}" with key sk-test-key`, code: "x" } }),
      sendJson(500, { error: { type: "api_error", message: "broken" } }),
      sendJson(200, { error: { type: "api_error", message: `'${SECRET}'` } }),
    ];
    for (const answer of answers) {
      server.answer(answer);
      const { error } = failureOf(await collect(clientFor(wire, server.url), request));
      const everything = `${error.message} ${inspect(error, { depth: 20, showHidden: true })} ${JSON.stringify(error)}`;
      expect(everything).not.toContain("launch code");
      expect(everything).not.toContain("sk-test-key");
      expect(error.cause).toBeInstanceOf(Error);
    }
  });

  test("the provider's words on one line", async () => {
    server.answer(sendJson(500, { error: { type: "api_error", message: " the disk\n\n  is full \n" } }));
    const { error } = failureOf(await collect(clientFor(wire, server.url), request));
    expect(error.message).toContain("the disk is full");
    expect(error.message).not.toMatch(/\n| {2}/);
  });

  test("row 10: not even if the connection breaks", async () => {
    server.answer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(wire.begin({ input: 1, cacheRead: 0, output: 1 }).join("") || ": hello\n\n", () => response.socket?.destroy());
    });
    const { error } = failureOf(await collect(clientFor(wire, server.url), request));
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain("launch code");
    expect(error.cause).toBeInstanceOf(Error);
  });

  test("a redirect is not followed: the key is not sent on, and the text says where it points", async () => {
    server.answer((response) => void response.writeHead(307, { location: "https://elsewhere.example/v1" }).end());
    const { error } = failureOf(await collect(clientFor(wire, server.url), request));
    expect(error).toMatchObject({ code: "invalid-request", status: 307, retry: { type: "never" } });
    expect(error.message).toContain("https://elsewhere.example/v1");
    expect(server.requests).toHaveLength(1);
  });
});

test.each([
  ["ECONNREFUSED", "backoff"],
  ["ECONNRESET", "backoff"],
  ["EAI_AGAIN", "backoff"],
  ["CERT_HAS_EXPIRED", "never"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "never"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "never"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "never"],
] as const)("a connection that fails with %s is retryable: %s", async (code, retry) => {
  const failingFetch: typeof fetch = () =>
    Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) }));
  const client = clientFor(anthropic, server.url, { fetch: failingFetch });
  expect(failureOf(await collect(client, requestOf())).error).toMatchObject({ code: "unreachable", retry: { type: retry } });
});
