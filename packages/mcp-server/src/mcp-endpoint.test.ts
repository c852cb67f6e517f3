import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { McpEndpoint, type ListeningEndpoint } from "./index.ts";

const TOKEN = "the-token";
const HOUR_MS = 3_600_000;
let now = 0;
let opened = 0;
let errors: string[] = [];
let endpoint: ListeningEndpoint;

beforeEach(async () => {
  [now, opened, errors] = [0, 0, []];
  let ids = 0;
  endpoint = await new McpEndpoint({
    createServer: () => {
      opened += 1;
      const server = new McpServer({ name: "test", version: "0" });
      server.registerTool("ping", { description: "Answers" }, () => ({ content: [{ type: "text", text: "pong" }] }));
      return server;
    },
    isAuthorized: async (token) => {
      if (token === "down") throw new Error("The gateway is not running.");
      return token === TOKEN;
    },
    clock: { now: () => now, monotonic: () => now, schedule: () => ({ [Symbol.dispose]: () => undefined }) },
    random: { bytes: (count) => new Uint8Array(count), uuid: () => `session-${(ids += 1)}`, float: () => 0 },
    onError: ({ message }) => void errors.push(message),
  }).listen(0);
});
afterEach(async () => endpoint.close());

const PING = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ping", arguments: {} } };
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "0" } },
};

async function post(body: object, headers: Readonly<Record<string, string>> = {}, url = endpoint.url): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

async function openSession(): Promise<string> {
  const response = await post(INITIALIZE);
  await response.text();
  return response.headers.get("mcp-session-id") ?? "";
}

const pingIn = async (session: string): Promise<number> => {
  const response = await post(PING, { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" });
  await response.text();
  return response.status;
};

test.each(["auto", "legacy"] as const)("the official client calls a tool (%s)", async (mode) => {
  const client = new Client({ name: "test", version: "0" }, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(endpoint.url), { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } }),
  );
  expect(client.getNegotiatedProtocolVersion()).toBe(mode === "auto" ? "2026-07-28" : "2025-11-25");
  expect((await client.callTool({ name: "ping", arguments: {} })).content).toEqual([{ type: "text", text: "pong" }]);
  await client.close();
});

test.each([
  ["no token", { authorization: "" }, 401],
  ["another token", { authorization: "Bearer other" }, 401],
  ["a token in another scheme", { authorization: `Basic ${TOKEN}` }, 401],
  ["a page of another site", { origin: "https://evil.example" }, 403],
  ["a page of this machine", { origin: "http://localhost:3000" }, 200],
])("a request with %s", async (_name, headers, status) => {
  expect((await post(INITIALIZE, headers)).status).toBe(status);
  expect(opened).toBe(status === 200 ? 1 : 0);
});

test("a request by another host's name is refused before its token is looked at", async () => {
  const { request } = await import("node:http");
  const { port } = new URL(endpoint.url);
  const headers = { host: "rebound.example", authorization: `Bearer ${TOKEN}` };
  const status = await new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path: "/mcp", method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end("{}");
  });
  expect(status).toBe(403);
});

test("while the token cannot be checked there is no answer, and the client gets no details", async () => {
  const response = await post(INITIALIZE, { authorization: "Bearer down" });
  expect([response.status, await response.text(), errors]).toEqual([
    503,
    expect.not.stringContaining("running"),
    ["The gateway is not running."],
  ]);
});

test("another path has nothing, and says where the server is", async () => {
  const response = await post(INITIALIZE, {}, new URL("/", endpoint.url).href);
  expect([response.status, await response.text()]).toEqual([404, expect.stringContaining("/mcp")]);
});

test("a session goes on until its client ends it, and an unknown one is not found", async () => {
  const session = await openSession();
  expect(await pingIn(session)).toBe(200);
  const ended = await fetch(endpoint.url, { method: "DELETE", headers: { authorization: `Bearer ${TOKEN}`, "mcp-session-id": session } });
  expect(ended.status).toBe(200);
  expect(await pingIn(session)).toBe(404);
  expect(await pingIn("unknown")).toBe(404);
});

test("of more than 32 sessions the least recently used ends", async () => {
  const sessions: string[] = [];
  for (let count = 0; count < 32; count += 1) sessions.push(await openSession());
  const [first = "", second = ""] = sessions;
  expect(await pingIn(first)).toBe(200);
  await openSession();
  expect([await pingIn(first), await pingIn(second)]).toEqual([200, 404]);
});

test("a session that was not used for more than an hour ends when another one begins", async () => {
  const [old, used] = [await openSession(), await openSession()];
  now = HOUR_MS;
  expect(await pingIn(used)).toBe(200);
  await openSession();
  expect(await pingIn(old)).toBe(200);
  now = 2 * HOUR_MS + 1;
  await openSession();
  expect([await pingIn(old), await pingIn(used)]).toEqual([404, 404]);
});
