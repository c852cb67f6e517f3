import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { httpFetch } from "./http-fetch.ts";

let server: Server;
let url: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let connections = 0;

beforeEach(async () => {
  connections = 0;
  server = createServer((request, response) => answer(request, response)).on("connection", () => (connections += 1));
  await once(server.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/messages`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test("sends what it is given, and gives what comes", async () => {
  let seen: object | undefined;
  answer = (request, response) => {
    void text(request).then((body) => {
      const { method, url: path, headers } = request;
      seen = { method, path, body, key: headers["x-api-key"], length: headers["content-length"], encoding: headers["accept-encoding"] };
      response.writeHead(429, "Slow down", { "retry-after": "7", "set-cookie": ["a=1", "b=2"] }).end("Später.");
    });
  };
  const response = await httpFetch(url, { method: "POST", headers: { "X-Api-Key": "k" }, body: "Grüße" });
  expect(seen).toEqual({ method: "POST", path: "/v1/messages", body: "Grüße", key: "k", length: "7", encoding: "identity" });
  expect(response).toMatchObject({ status: 429, ok: false, statusText: "Slow down" });
  expect(response.headers.get("retry-after")).toBe("7");
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(await response.text()).toBe("Später.");
});

test("an answer without a body has none", async () => {
  answer = (_request, response) => void response.writeHead(204).end();
  expect((await httpFetch(url, { method: "POST", body: "{}" })).body).toBeNull();
});

test.each([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
] as const)("an answer that comes compressed without being asked for (%s) is read, also when it breaks off", async (encoding, compress) => {
  const whole = compress("Grüße. ".repeat(10_000));
  answer = (_request, response) => void response.writeHead(200, { "content-encoding": encoding }).end(whole);
  expect(await (await httpFetch(url)).text()).toBe("Grüße. ".repeat(10_000));
  answer = (_request, response) => void response.writeHead(200, { "content-encoding": encoding }).end(whole.subarray(0, whole.length / 2));
  await expect((await httpFetch(url)).text()).rejects.toThrow("unexpected end of file");
});

test("one call after the other uses one connection", async () => {
  answer = (_request, response) => void response.end("x".repeat(1_000_000));
  for (let call = 0; call < 3; call += 1) expect(await (await httpFetch(url)).text()).toHaveLength(1_000_000);
  expect(connections).toBe(1);
});

test("a redirect is an answer like any other", async () => {
  answer = (_request, response) => void response.writeHead(307, { location: "http://127.0.0.1:1/" }).end();
  const response = await httpFetch(url, { method: "POST", body: "{}" });
  expect([response.status, response.headers.get("location")]).toEqual([307, "http://127.0.0.1:1/"]);
  await response.body?.cancel();
});

test("what is not read is not taken from the network either", async () => {
  const chunk = Buffer.alloc(1_000_000);
  let isFull = Promise.withResolvers<number>();
  answer = (_request, response) => {
    let sent = 0;
    const send = (): void => {
      while (response.write(chunk)) sent += 1;
      isFull.resolve((sent += 1));
    };
    response.on("drain", send);
    send();
  };
  const { body } = await httpFetch(url);
  expect(await isFull.promise).toBeLessThan(20);
  isFull = Promise.withResolvers<number>();
  const reader = body?.getReader();
  // Somebody who reads on lets it go on.
  const reading = (async () => {
    for (;;) if ((await reader?.read())?.done !== false) return;
  })();
  await isFull.promise;
  await reader?.cancel();
  await reading;
});

test.each(["before it begins", "before the answer", "in the middle of the answer"])(
  "an abort %s ends it, and its connection",
  async (when) => {
    const controller = new AbortController();
    const begun = Promise.withResolvers<Socket>();
    answer = (request, response) => {
      if (when === "in the middle of the answer") response.write("half");
      begun.resolve(request.socket);
    };
    if (when === "before it begins") controller.abort();
    const call = httpFetch(url, { method: "POST", body: "{}", signal: controller.signal });
    if (when === "before it begins") {
      await expect(call).rejects.toMatchObject({ name: "AbortError" });
      return;
    }
    const socket = await begun.promise;
    const closed = once(socket, "close");
    if (when === "before the answer") {
      controller.abort();
      await expect(call).rejects.toMatchObject({ name: "AbortError" });
    } else {
      const reader = (await call).body?.getReader();
      await reader?.read();
      controller.abort();
      await expect(reader?.read()).rejects.toMatchObject({ code: "ECONNRESET" });
    }
    await closed;
  },
);

test("a connection that breaks says so by its code", async () => {
  answer = (request) => void request.socket.destroy();
  await expect(httpFetch(url, { method: "POST", body: "{}" })).rejects.toMatchObject({ code: "ECONNRESET" });
  answer = (request, response) => void response.write("half", () => request.socket.destroy());
  await expect((await httpFetch(url)).text()).rejects.toMatchObject({ code: "ECONNRESET" });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await expect(httpFetch(url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("takes no body but a text, and believes no impossible status", async () => {
  await expect(httpFetch(url, { method: "POST", body: new Uint8Array(1) })).rejects.toThrow(TypeError);
  await expect(httpFetch(new Request(url))).rejects.toThrow(TypeError);
  answer = (_request, response) => void response.writeHead(999).end("?");
  await expect(httpFetch(url)).rejects.toThrow(RangeError);
});
