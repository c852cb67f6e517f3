import { once } from "node:events";
import { request as sendRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { startProxy } from "./start-proxy.ts";

const PUBLIC_URL = "https://assistant.example.com";
const ATTACKER = "127.0.0.2";
const OWNER = "127.0.0.3";

type Headers = Readonly<Record<string, string>>;

/** Requests the models from a given address; resolves with the status and `retry-after`. */
async function ask(url: string, token: string, from: string, headers: Headers = {}): Promise<readonly [number | undefined, string?]> {
  const { port } = new URL(url);
  const options = { host: "127.0.0.1", port, path: "/v1/models", localAddress: from, agent: false } as const;
  const request = sendRequest({ ...options, headers: { authorization: `Bearer ${token}`, ...headers } });
  request.end();
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  answer.resume();
  const retryAfter = answer.headers["retry-after"];
  return retryAfter === undefined ? [answer.statusCode] : [answer.statusCode, retryAfter];
}

/** Opens the socket and connects; resolves with the gateway's first frame, or with the status of a refused handshake. */
async function hello(
  url: string,
  token: string,
  from: string,
  headers: Headers = {},
): Promise<{ readonly type: string; readonly code?: number }> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { localAddress: from, headers });
  const { promise, resolve } = Promise.withResolvers<{ readonly type: string; readonly code?: number }>();
  let first: { readonly type: string } | undefined;
  socket.on("unexpected-response", (_request, { statusCode }) => resolve({ type: "handshake", code: statusCode ?? 0 }));
  socket.on("error", () => undefined);
  socket.on("open", () => {
    const client = { name: "test", version: "0" };
    socket.send(JSON.stringify({ type: "connect", minProtocol: 1, maxProtocol: 1, client, auth: { token } }));
  });
  socket.on("message", (data: Buffer) => {
    first ??= JSON.parse(data.toString()) as { readonly type: string };
    if (first.type === "hello") resolve(first);
  });
  socket.on("close", (code) => resolve({ ...(first ?? { type: "closed" }), code }));
  try {
    return await promise;
  } finally {
    socket.terminate();
  }
}

const start = async (gateway: object): Promise<Product> => startProduct({ config: { gateway } });

test("wrong tokens delay their address behind the proxy, and no other", async () => {
  await using product = await start({ trustedProxies: ["127.0.0.1"] });
  await using proxy = await startProxy(product.url);
  const { token } = product;
  for (let count = 0; count < 5; count += 1) expect(await ask(proxy.url, "wrong", ATTACKER)).toEqual([401]);
  const delayed = [429, expect.stringMatching(/^[1-9]$/) as string];
  expect(await ask(proxy.url, "wrong", ATTACKER)).toEqual(delayed);
  // A right token is not checked either, nor does a client's own header change the address.
  expect(await ask(proxy.url, token, ATTACKER)).toEqual(delayed);
  expect(await ask(proxy.url, token, ATTACKER, { "x-forwarded-for": OWNER })).toEqual(delayed);
  expect(await hello(proxy.url, token, ATTACKER)).toMatchObject({ type: "refused", code: 1013 });
  expect(await ask(proxy.url, token, OWNER)).toEqual([200]);
  expect(await hello(proxy.url, token, OWNER)).toMatchObject({ type: "hello" });
  expect((await runCommand(["status"], { home: product.home })).code).toBe(0);
});

test("a wrong token on the socket counts like a wrong request, even without a proxy", async () => {
  await using product = await start({});
  // A separate address on loopback, which could be a proxy that passes no client address.
  for (let count = 0; count < 5; count += 1) expect(await hello(product.url, "wrong", ATTACKER)).toMatchObject({ code: 4401 });
  expect(await hello(product.url, "wrong", ATTACKER)).toMatchObject({ code: 1013 });
  expect((await ask(product.url, "wrong", ATTACKER))[0]).toBe(429);
  expect(await ask(product.url, "wrong", OWNER)).toEqual([401]);
  for (const from of [ATTACKER, OWNER]) expect(await ask(product.url, product.token, from)).toEqual([200]);
});

test("behind a proxy that passes no client address a right token is never delayed", async () => {
  await using product = await start({});
  for (const header of ["none", "x-forwarded-for"] as const) {
    await using proxy = await startProxy(product.url, { header });
    for (let count = 0; count < 10; count += 1) await ask(proxy.url, "wrong", ATTACKER);
    expect(await ask(proxy.url, product.token, OWNER)).toEqual([200]);
    expect(await hello(proxy.url, product.token, OWNER)).toMatchObject({ type: "hello" });
  }
  expect(product.output()).toContain("gateway.trustedProxies");
});

test("the page of the public address may open the socket, however the proxy changes the Host; other pages and names may not", async () => {
  await using product = await start({ publicUrl: PUBLIC_URL, trustedProxies: ["127.0.0.1"] });
  await using proxy = await startProxy(product.url);
  const { token } = product;
  for (const headers of [{ origin: PUBLIC_URL, host: "assistant.example.com" }, { origin: PUBLIC_URL }])
    expect(await hello(proxy.url, token, OWNER, headers)).toMatchObject({ type: "hello" });
  for (const headers of [
    { origin: "https://evil.example.com", host: "assistant.example.com" },
    { origin: "https://evil.example.com" },
    { origin: PUBLIC_URL, host: "evil.example.com" },
  ])
    expect(await hello(proxy.url, token, OWNER, headers)).toEqual({ type: "handshake", code: 403 });
  expect(await ask(proxy.url, token, OWNER, { host: "assistant.example.com" })).toEqual([200]);
});

test("without authentication only a client on this machine is the owner, and no request through a proxy", async () => {
  await using product = await start({ auth: { mode: "none" } });
  expect(await ask(product.url, "any", "127.0.0.1")).toEqual([200]);
  expect(await hello(product.url, "", "127.0.0.1")).toMatchObject({ type: "hello" });
  for (const headers of [{ "x-forwarded-for": "127.0.0.1" }, { forwarded: "for=127.0.0.1" }, { "x-real-ip": "127.0.0.1" }]) {
    expect(await ask(product.url, "any", "127.0.0.1", headers)).toEqual([401]);
    expect(await hello(product.url, "any", "127.0.0.1", headers)).toMatchObject({ type: "refused", code: 4401 });
  }
});
