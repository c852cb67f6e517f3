import { request } from "node:http";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import { checkedOfficially } from "./check-official.ts";

const PAGE = "https://chat.example.com";
let model: AnthropicServer;
let product: Product;
let client: OpenAI;

const config = (gateway: object): object => ({
  gateway,
  agents: { defaults: { model: "anthropic/claude-sonnet-4-6" }, list: [{ id: "main" }, { id: "coder", tools: { allow: [] } }] },
  models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-ant-test-0123456789" } } },
});

beforeAll(async () => {
  model = checkedOfficially(await startAnthropicServer(), "anthropic-messages");
  product = await startProduct({ config: config({ allowedOrigins: [PAGE, "app://notes.example"] }) });
  client = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: product.token, maxRetries: 0 });
});

afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await model.close();
});

const call = (method: string, route: string, headers: Readonly<Record<string, string>> = {}, body?: string): Promise<Response> =>
  fetch(`${product.url}${route}`, {
    method,
    headers: { authorization: `Bearer ${product.token}`, ...headers },
    ...withoutUndefined({ body }),
  });

const hello = { model: "factotum", messages: [{ role: "user" as const, content: "hello" }] };

describe("unsupported parameters", () => {
  const schema = { type: "json_schema" as const, json_schema: { name: "answer", schema: { type: "object" } } };
  const tool = { type: "function" as const, function: { name: "look", parameters: { type: "object" } } };
  test.each([
    ["tool_choice", { tool_choice: "required" as const, tools: [tool] }],
    ["tool_choice", { tool_choice: { type: "function" as const, function: { name: "look" } }, tools: [tool] }],
    ["tool_choice", { tool_choice: { type: "allowed_tools" as const, allowed_tools: { mode: "required" as const, tools: [] } } }],
    ["function_call", { function_call: { name: "look" } }],
    ["response_format", { response_format: schema }],
    ["response_format", { response_format: { type: "json_object" as const } }],
    ["n", { n: 2 }],
    ["n", { n: 3, stream: true as const }],
  ])("that would change the answer are refused by name, before any request: %s %j", async (param, body) => {
    const before = model.requests.length;
    await expect(client.chat.completions.create({ ...hello, ...body })).rejects.toMatchObject({
      status: 400,
      type: "invalid_request_error",
      param,
      code: "unsupported_parameter",
    });
    expect(model.requests).toHaveLength(before);
  });

  test("that do not affect the content are ignored and listed; values that equal the default are not", async () => {
    model.script([textReply("Hi.")]);
    const { data, response } = await client.chat.completions
      .create({
        ...hello,
        n: 1,
        response_format: { type: "text" },
        tools: [tool],
        tool_choice: "auto",
        temperature: 0.5,
        parallel_tool_calls: true,
      })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe("Hi.");
    expect(response.headers.get("x-factotum-ignored")?.split(", ").toSorted()).toEqual(["temperature"]);
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('"look"');
    model.script([textReply("Hi.")]);
    const allowed = { type: "allowed_tools" as const, allowed_tools: { mode: "auto" as const, tools: [] } };
    expect((await client.chat.completions.create({ ...hello, tool_choice: allowed })).choices).toHaveLength(1);
  });
});

describe("errors have OpenAI's shape", () => {
  test.each([
    ["GET", "/v1", 404, "unknown_url"],
    ["GET", "/v1/", 404, "unknown_url"],
    ["POST", "/v1/images", 404, "unknown_url"],
    ["DELETE", "/v1/chat", 404, "unknown_url"],
    ["GET", "/v1/chat/completions", 405, "method_not_supported", "POST, OPTIONS"],
    ["DELETE", "/v1/models", 405, "method_not_supported", "GET, HEAD, OPTIONS"],
    ["PUT", "/v1/models/factotum", 405, "method_not_supported", "GET, HEAD, OPTIONS"],
  ])("%s %s: %i %s", async (method, route, status, code, allow: string | null = null) => {
    const answer = await call(method, route);
    expect([answer.status, answer.headers.get("allow")]).toEqual([status, allow]);
    expect(await answer.json()).toEqual({
      error: { message: expect.stringMatching(/\S/) as string, type: "invalid_request_error", param: null, code },
    });
    // Without the token nothing is revealed.
    const stranger = await fetch(`${product.url}${route}`, { method, headers: { authorization: "Bearer wrong" } });
    expect([stranger.status, await stranger.json()]).toEqual([
      401,
      { error: expect.objectContaining({ code: "invalid_api_key" }) as object },
    ]);
    expect(stranger.headers.get("www-authenticate")).toBe("Bearer");
  });

  test("for bodies that are not JSON or too large", async () => {
    const post = async (body: string): Promise<unknown[]> => {
      const answer = await call("POST", "/v1/chat/completions", { "content-type": "application/json" }, body);
      const { error } = (await answer.json()) as { readonly error: { readonly type: string; readonly code: string } };
      return [answer.status, error.type, error.code];
    };
    expect(await post("{not JSON")).toEqual([400, "invalid_request_error", "invalid_json"]);
    expect(await post("")).toEqual([400, "invalid_request_error", "invalid_json"]);
    expect(await post("[]")).toEqual([400, "invalid_request_error", "invalid_value"]);
    expect(await declaredTooLarge()).toEqual([413, "request_too_large"]);
  });
});

describe("GET /v1/models/{id}", () => {
  test.each(["factotum", "factotum/main", "factotum/CODER"])("shows %s, however its id is encoded", async (id) => {
    const shown = { id: id.toLowerCase(), object: "model", created: 0, owned_by: "factotum" };
    // The SDK encodes the slash.
    expect(await client.models.retrieve(id)).toMatchObject(shown);
    const plain = await call("GET", `/v1/models/${id}`);
    expect([plain.status, await plain.json()]).toEqual([200, shown]);
  });

  test.each(["gpt-4o", "factotum/nobody", "factotum/", "factotum/main/more", "factotum%zz", ""])("does not find %j", async (id) => {
    const answer = await call("GET", `/v1/models/${id}`);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      {
        error: {
          message: expect.stringContaining("does not exist") as string,
          type: "invalid_request_error",
          param: "model",
          code: "model_not_found",
        },
      },
    ]);
  });
});

describe("pages of other origins", () => {
  const corsOf = ({ headers }: Response): readonly string[] => [...headers.keys()].filter((name) => name.startsWith("access-control-"));

  test.each([PAGE, "app://notes.example"])(
    "that are listed may send requests with the token, and read answers and refusals: %s",
    async (origin) => {
      const asked = { "access-control-request-method": "POST", "access-control-request-headers": "authorization,x-stainless-os" };
      const preflight = await fetch(`${product.url}/v1/chat/completions`, { method: "OPTIONS", headers: { origin, ...asked } });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
      expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
      expect(preflight.headers.get("access-control-allow-headers")).toBe("authorization,x-stainless-os");
      expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
      expect(preflight.headers.get("vary")).toContain("origin");

      model.script([textReply("Hi.")]);
      const answer = await call("POST", "/v1/chat/completions", { origin }, JSON.stringify({ ...hello, stream: true }));
      expect(await answer.text()).toContain("Hi.");
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      expect(answer.headers.get("access-control-expose-headers")).toMatch(/x-factotum-session.*x-factotum-ignored.*retry-after/);
      expect(answer.headers.get("vary")).toContain("origin");

      const refused = await call("GET", "/v1/models", { origin, authorization: "Bearer wrong" });
      expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, origin]);
      const unknown = await call("GET", "/v1/nothing", { origin });
      expect([unknown.status, unknown.headers.get("access-control-allow-origin")]).toEqual([404, origin]);
    },
  );

  test.each(["https://evil.example", "http://chat.example.com", `${PAGE}:8443`, `${PAGE}.evil.example`, "null", "*"])(
    "that are not listed get no header and no answer: %s",
    async (origin) => {
      for (const method of ["OPTIONS", "GET", "POST"]) {
        const answer = await call(method, "/v1/chat/completions", { origin });
        expect([method, answer.status, corsOf(answer)]).toEqual([method, 403, []]);
        expect(answer.headers.get("vary")).toContain("origin");
      }
    },
  );

  test("get nothing beyond /v1, listed or not", async () => {
    for (const [method, route] of [
      ["GET", "/"],
      ["GET", "/healthz"],
      ["GET", "/metrics"],
      ["POST", "/uploads"],
    ] as const) {
      const answer = await call(method, route, { origin: PAGE });
      expect([route, answer.status, corsOf(answer)]).toEqual([route, 403, []]);
      expect(corsOf(await call("OPTIONS", route, { origin: PAGE }))).toEqual([]);
    }
    expect(await handshake(PAGE)).toBe(403);
    expect(await handshake(product.url)).toBe(101);
  });

  test("cannot rebind their name to this machine, even if they are listed", async () => {
    expect(await statusFor({ host: "chat.example.com", origin: PAGE })).toBe(403);
    expect(await statusFor({ host: new URL(product.url).host, origin: PAGE })).toBe(200);
  });

  test("follow changes of the configured list", async () => {
    const other = await startProduct({ config: config({}) });
    try {
      const ask = async (): Promise<readonly [number, string | null, string | null]> => {
        const answer = await fetch(`${other.url}/v1/models`, { headers: { authorization: `Bearer ${other.token}`, origin: PAGE } });
        return [answer.status, answer.headers.get("access-control-allow-origin"), answer.headers.get("vary")];
      };
      // The command makes the gateway read the file.
      const list = async (origins: readonly string[]): Promise<void> => {
        const set = await runCommand(["config", "set", "gateway.allowedOrigins", JSON.stringify(origins)], { home: other.home });
        expect(set).toMatchObject({ code: 0 });
      };
      expect(await ask()).toEqual([403, null, null]);
      await list([PAGE]);
      expect(await ask()).toEqual([200, PAGE, "origin"]);
      await list([]);
      expect(await ask()).toEqual([403, null, null]);
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });
});

/** The status of a page's WebSocket handshake. */
async function handshake(origin: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const asked = request(`${product.url}/ws`, {
    headers: {
      origin,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    },
  });
  asked.once("response", (answer) => resolve(answer.resume().statusCode)).once("error", reject);
  asked.once("upgrade", (answer, socket) => {
    socket.destroy();
    resolve(answer.statusCode);
  });
  asked.end();
  return promise;
}

/** The status of `GET /v1/models` with these headers. */
async function statusFor(headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  request(`${product.url}/v1/models`, { headers: { authorization: `Bearer ${product.token}`, ...headers } })
    .once("response", (answer) => resolve(answer.resume().statusCode))
    .once("error", reject)
    .end();
  return promise;
}

/** The answer to a request whose declared length is over the limit. */
async function declaredTooLarge(): Promise<readonly unknown[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly unknown[]>();
  const asked = request(`${product.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${product.token}`, "content-length": 64 * 1024 * 1024 },
  });
  asked.once("response", (answer) => {
    let text = "";
    answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    answer.once("end", () => {
      const { error } = JSON.parse(text) as { readonly error: { readonly code: string } };
      resolve([answer.statusCode, error.code]);
      asked.destroy();
    });
  });
  asked.once("error", reject);
  asked.write("{");
  return promise;
}
