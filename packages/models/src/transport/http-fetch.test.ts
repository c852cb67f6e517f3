import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
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

test("sends the request, and returns the response", async () => {
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

test("a response without a body has none", async () => {
  answer = (_request, response) => void response.writeHead(204).end();
  expect((await httpFetch(url, { method: "POST", body: "{}" })).body).toBeNull();
});

test.each([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
] as const)("an answer that is compressed unasked (%s) is decoded, even if it breaks off", async (encoding, compress) => {
  const whole = compress("Grüße. ".repeat(10_000));
  answer = (_request, response) => void response.writeHead(200, { "content-encoding": encoding }).end(whole);
  expect(await (await httpFetch(url)).text()).toBe("Grüße. ".repeat(10_000));
  answer = (_request, response) => void response.writeHead(200, { "content-encoding": encoding }).end(whole.subarray(0, whole.length / 2));
  await expect((await httpFetch(url)).text()).rejects.toThrow("unexpected end of file");
});

test.each(["identity", "gzip"])("a body that its check refuses ends with that error and its connection (%s)", async (encoding) => {
  const { promise: closed, resolve: onClose } = Promise.withResolvers<void>();
  answer = (_request, response) => {
    response.on("close", onClose);
    response.writeHead(200, { "content-encoding": encoding });
    const bytes = Buffer.from("x".repeat(100_000));
    response.write(encoding === "gzip" ? gzipSync(bytes) : bytes);
  };
  let taken = 0;
  const checkBody = (bytes: Uint8Array): Error | undefined => {
    taken += bytes.byteLength;
    return taken === 100_000 ? new Error("more than anybody reads") : undefined;
  };
  const response = await httpFetch(url, { checkBody });
  await expect(response.text()).rejects.toThrow("more than anybody reads");
  await closed;
});

test("sequential calls share one connection", async () => {
  answer = (_request, response) => void response.end("x".repeat(1_000_000));
  for (let call = 0; call < 3; call += 1) expect(await (await httpFetch(url)).text()).toHaveLength(1_000_000);
  expect(connections).toBe(1);
});

test("a redirect is returned like any other answer", async () => {
  answer = (_request, response) => void response.writeHead(307, { location: "http://127.0.0.1:1/" }).end();
  const response = await httpFetch(url, { method: "POST", body: "{}" });
  expect([response.status, response.headers.get("location")]).toEqual([307, "http://127.0.0.1:1/"]);
  await response.body?.cancel();
});

test("backpressure: an unread body is not read from the network", async () => {
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
  // Reading on lets it continue.
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

test("a broken connection is reported with its code", async () => {
  answer = (request) => void request.socket.destroy();
  await expect(httpFetch(url, { method: "POST", body: "{}" })).rejects.toMatchObject({ code: "ECONNRESET" });
  answer = (request, response) => void response.write("half", () => request.socket.destroy());
  await expect((await httpFetch(url)).text()).rejects.toMatchObject({ code: "ECONNRESET" });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await expect(httpFetch(url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

interface SeenRequest {
  readonly method: string | undefined;
  readonly type: string | undefined;
  readonly length: string | undefined;
  readonly transfer: string | undefined;
  readonly body: Buffer;
}

/** Sends one request and returns what the server received. */
async function seen(...[input, init]: Parameters<typeof fetch>): Promise<SeenRequest> {
  const { promise, resolve } = Promise.withResolvers<SeenRequest>();
  answer = (request, response) => {
    void buffer(request).then((body) => {
      const { method, headers } = request;
      resolve({
        method,
        type: headers["content-type"],
        length: headers["content-length"],
        transfer: headers["transfer-encoding"],
        body,
      });
      response.end();
    });
  };
  await httpFetch(input, init);
  return promise;
}

const BYTES = Uint8Array.from({ length: 256 }, (_, index) => index);

test.each<[string, () => NonNullable<RequestInit["body"]>, string | undefined, Buffer]>([
  ["a text", () => "Grüße", "text/plain;charset=UTF-8", Buffer.from("Grüße")],
  [
    "form fields",
    () => new URLSearchParams({ a: "1 2", b: "ü" }),
    "application/x-www-form-urlencoded;charset=UTF-8",
    Buffer.from("a=1+2&b=%C3%BC"),
  ],
  ["a blob", () => new Blob([BYTES], { type: "image/png" }), "image/png", Buffer.from(BYTES)],
  ["a blob without a type", () => new Blob([BYTES]), undefined, Buffer.from(BYTES)],
  ["a buffer", () => BYTES.buffer, undefined, Buffer.from(BYTES)],
  ["a part of a buffer", () => BYTES.subarray(3, 9), undefined, Buffer.from(BYTES.subarray(3, 9))],
  ["a view of a buffer", () => new DataView(BYTES.buffer, 5, 2), undefined, Buffer.from(BYTES.subarray(5, 7))],
])("sends %s with its length and the content type that it implies", async (_name, make, type, bytes) => {
  const sent = await seen(url, { method: "POST", body: make() });
  expect(sent).toEqual({ method: "POST", type, length: String(bytes.length), transfer: undefined, body: bytes });
  const typed = await seen(url, { method: "POST", body: make(), headers: { "Content-Type": "application/x-own" } });
  expect(typed).toMatchObject({ type: "application/x-own", body: bytes });
});

test("sends a form with its files, its length and its boundary", async () => {
  const form = new FormData();
  form.append("file_type", "stream");
  form.append("file", new File([BYTES], "übersicht.bin", { type: "application/octet-stream" }));
  const { type = "", length, body } = await seen(url, { method: "POST", body: form });
  expect(length).toBe(String(body.length));
  const parsed = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  expect(parsed.get("file_type")).toBe("stream");
  const file = parsed.get("file") as File;
  expect([file.name, file.type]).toEqual(["übersicht.bin", "application/octet-stream"]);
  expect(new Uint8Array(await file.arrayBuffer())).toEqual(BYTES);
});

test("sends the method, headers and body of a Request, and the options override them", async () => {
  const request = (): Request => new Request(url, { method: "PUT", headers: { "content-type": "text/css" }, body: "a{}" });
  expect(await seen(request())).toMatchObject({ method: "PUT", type: "text/css", body: Buffer.from("a{}") });
  expect(await seen(request(), { method: "PATCH", body: "b{}" })).toMatchObject({ method: "PATCH", body: Buffer.from("b{}") });
});

test.each([
  ["a web stream", (source: AsyncIterable<Uint8Array>) => ReadableStream.from(source)],
  ["a Node stream", (source: AsyncIterable<Uint8Array>) => Readable.from(source)],
])("streams %s: the first part arrives before the second exists", async (_name, toBody) => {
  const parts: string[] = [];
  const first = Promise.withResolvers<void>();
  answer = (request, response) => {
    request.on("data", (part: Buffer) => {
      parts.push(part.toString());
      first.resolve();
    });
    request.on("end", () => response.end());
  };
  async function* source(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("one");
    await first.promise;
    yield Buffer.from("two");
  }
  const response = await httpFetch(url, { method: "POST", body: toBody(source()) as ReadableStream, duplex: "half" });
  expect([response.status, parts]).toEqual([200, ["one", "two"]]);
});

test.each(["the caller aborts", "the server breaks the connection"])("closes the source of an upload when %s", async (how) => {
  const controller = new AbortController();
  const closed = Promise.withResolvers<void>();
  answer = (request) => {
    request.once("data", () => (how === "the caller aborts" ? controller.abort() : request.socket.destroy()));
  };
  const body = new ReadableStream({
    pull: (stream) => stream.enqueue(new Uint8Array(1024)),
    cancel: () => closed.resolve(),
  });
  const call = httpFetch(url, { method: "POST", body, duplex: "half", signal: controller.signal });
  await expect(call).rejects.toMatchObject(
    how === "the caller aborts" ? { name: "AbortError" } : { code: expect.stringMatching(/^(?:ECONNRESET|EPIPE)$/) },
  );
  await closed.promise;
});

test("rejects with the error of a body that cannot be read", async () => {
  const body = new ReadableStream({
    pull: () => {
      throw Object.assign(new Error("no such file"), { code: "ENOENT" });
    },
  });
  await expect(httpFetch(url, { method: "POST", body, duplex: "half" })).rejects.toMatchObject({ code: "ENOENT" });
  const locked = new ReadableStream();
  locked.getReader();
  await expect(httpFetch(url, { method: "POST", body: locked, duplex: "half" })).rejects.toThrow(TypeError);
});

test("rejects an impossible status", async () => {
  answer = (_request, response) => void response.writeHead(999).end("?");
  await expect(httpFetch(url)).rejects.toThrow(RangeError);
});
