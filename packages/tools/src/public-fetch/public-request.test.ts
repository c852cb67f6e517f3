import { createServer } from "node:http";
import type { IncomingHttpHeaders, RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parsePrivatePlaces } from "./private-places.ts";
import { createPublicRequester, type PublicRequest, type PublicResponse } from "./public-request.ts";

const LIMIT_MS = 5_000;

let requests: { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
let answer: RequestListener;
let timers: { readonly delayMs: number; readonly callback: () => void; ended: boolean }[];
const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (part: string) => (body += part));
  request.on("end", () => {
    requests.push({ url: request.url ?? "", headers: request.headers, body });
    answer(request, response);
  });
});
beforeEach(async () => {
  requests = [];
  timers = [];
  answer = (_request, response) => void response.end("hello");
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const place = (name: string, path = "/"): string => `http://${name}:${(server.address() as AddressInfo).port}${path}`;
const clock = {
  schedule: (delayMs: number, callback: () => void) => {
    const timer = { delayMs, callback, ended: false };
    timers.push(timer);
    return {
      [Symbol.dispose]: () => {
        timer.ended = true;
      },
    };
  },
};

/** `public.example` and `other.example` count as public and are the server; other names have private addresses. */
function send(request: Partial<PublicRequest> & { readonly url: string }): Promise<PublicResponse> {
  const open = createPublicRequester({
    clock,
    lookup: async (host) => [{ address: host.startsWith("inner") ? "127.0.0.1" : "127.0.0.2", family: 4 }],
    isOpen: (address) => address === "127.0.0.2",
    send: async (url, _at, content) => {
      const { sendRequest } = await import("./send-request.ts");
      return sendRequest(url, { address: "127.0.0.1", family: 4 }, content);
    },
  });
  return open({ signal: new AbortController().signal, maxBytes: 1_000, timeoutMs: LIMIT_MS, ...request });
}

function textOf(response: PublicResponse): string | undefined {
  return response.type === "response" ? new TextDecoder().decode(response.bytes) : undefined;
}

describe("headers of the caller", () => {
  const headers = { "x-subscription-token": "secret-1", authorization: "Bearer secret-2" };
  // CVE-2026-53840: a redirect forwards custom headers.
  test.each([
    ["public.example", "secret-1"],
    ["other.example", undefined],
  ])("after a redirect to %s: %s", async (host, expected) => {
    answer = (request, response) =>
      void (request.url === "/" ? response.writeHead(302, { location: place(host, "/next") }).end() : response.end("there"));
    expect(textOf(await send({ url: place("public.example"), headers }))).toBe("there");
    expect(requests.map((request) => request.headers["x-subscription-token"])).toEqual(["secret-1", expected]);
    expect(requests[1]?.headers.authorization).toBe(expected === undefined ? undefined : "Bearer secret-2");
  });

  test("do not come back with a redirect to the first origin", async () => {
    answer = (request, response) => {
      const next = { "/": place("other.example", "/a"), "/a": place("public.example", "/b") }[request.url ?? ""];
      return void (next === undefined ? response.end("there") : response.writeHead(302, { location: next }).end());
    };
    expect(textOf(await send({ url: place("public.example"), headers }))).toBe("there");
    expect(requests.map((request) => request.headers["x-subscription-token"])).toEqual(["secret-1", undefined, undefined]);
  });

  test("a POST is sent with its body and follows no redirect", async () => {
    expect(textOf(await send({ url: place("public.example"), method: "POST", body: "{}", headers }))).toBe("hello");
    expect(requests[0]).toMatchObject({ body: "{}" });
    answer = (_request, response) => void response.writeHead(307, { location: "/next" }).end();
    expect(await send({ url: place("public.example"), method: "POST", body: "{}" })).toMatchObject({
      type: "refused",
      reason: "unavailable",
    });
    expect(requests).toHaveLength(2);
  });
});

describe("private places", () => {
  test.each([
    [["inner.lan"], true],
    [["inner.lan:{port}"], true],
    [["127.0.0.1"], true],
    [["127.0.0.0/8"], true],
    [["inner.lan:1"], false],
    [["127.0.0.1:1"], false],
    [["127.0.0.3"], false],
    [["::ffff:127.0.0.1"], false],
    [["lan", ".lan", "*.lan", "inner.lan.", "http://inner.lan", ""], false],
    [[], false],
  ])("%j: opened %s", async (places, isOpened) => {
    const port = String((server.address() as AddressInfo).port);
    const allowsPrivate = parsePrivatePlaces(places.map((one) => one.replace("{port}", port)));
    expect((await send({ url: place("inner.lan"), allowsPrivate })).type).toBe(isOpened ? "response" : "refused");
    expect(requests).toHaveLength(isOpened ? 1 : 0);
  });

  test("an IPv6 place may have a port, and does not open another family", () => {
    const target = { host: "fd00::1", address: "fd00::1", port: 80 };
    expect(parsePrivatePlaces(["[fd00::1]:80"])(target)).toBe(true);
    expect(parsePrivatePlaces(["fd00::/8"])(target)).toBe(true);
    expect(parsePrivatePlaces(["fd00::1"])(target)).toBe(true);
    expect(parsePrivatePlaces(["[fd00::1]:81", "fe80::/10", "0.0.0.0/0", "fd00::1/129"])(target)).toBe(false);
    expect(parsePrivatePlaces(["192.168.1.1"])({ host: "x", address: "::ffff:192.168.1.1", port: 80 })).toBe(false);
  });
});

describe("bodies", () => {
  test.each([
    ["gzip", gzipSync("hello compressed")],
    ["deflate", deflateSync("hello compressed")],
    ["br", brotliCompressSync("hello compressed")],
  ])("are decompressed: %s", async (coding, bytes) => {
    answer = (_request, response) => void response.writeHead(200, { "content-encoding": coding }).end(bytes);
    expect(textOf(await send({ url: place("public.example") }))).toBe("hello compressed");
  });

  test("that expand without end are cut at the limit", async () => {
    answer = (_request, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(50_000_000)));
    const cut = await send({ url: place("public.example") });
    expect(cut).toMatchObject({ type: "response", isCut: true });
    expect(cut.type === "response" && cut.bytes?.length).toBe(1_000);
  });

  test("of exactly the limit are whole, and one byte more is cut", async () => {
    for (const [size, isCut] of [
      [1_000, false],
      [1_001, true],
    ] as const) {
      answer = (_request, response) => void response.end("x".repeat(size));
      expect(await send({ url: place("public.example") })).toMatchObject({ isCut, bytes: { length: 1_000 } });
    }
  });

  test("broken or unknown compression is an error", async () => {
    answer = (_request, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end("no gzip");
    expect(await send({ url: place("public.example") })).toMatchObject({ type: "refused", reason: "unavailable" });
    answer = (_request, response) => void response.writeHead(200, { "content-encoding": "secret-sauce" }).end("?");
    expect(await send({ url: place("public.example") })).toMatchObject({ message: expect.stringContaining("secret-sauce") as string });
  });

  test("are left unread if the head declines them", async () => {
    answer = (_request, response) => void response.writeHead(200, { "content-type": "image/png", "content-length": "5" }).end("bytes");
    expect(await send({ url: place("public.example"), readsBody: ({ contentType }) => contentType !== "image/png" })).toEqual({
      type: "response",
      head: { url: place("public.example"), status: 200, contentType: "image/png", sizeBytes: 5 },
      bytes: undefined,
      isCut: false,
    });
  });
});

describe("time", () => {
  /** Begins an answer and never ends it. */
  const drip = (): Promise<void> => {
    const begun = Promise.withResolvers<void>();
    answer = (_request, response) => {
      response.write("x");
      begun.resolve();
    };
    return begun.promise;
  };

  test("a slow drip ends at the limit of the whole request", async () => {
    const begun = drip();
    const slow = send({ url: place("public.example") });
    await begun;
    timers.find(({ delayMs }) => delayMs === LIMIT_MS)?.callback();
    expect(await slow).toEqual({ type: "refused", reason: "unavailable", message: "it took too long" });
    expect(timers.every(({ ended }) => ended)).toBe(true);
  });

  test("the part that came is kept for a caller who wants it, with the reason", async () => {
    void drip();
    const slow = send({ url: place("public.example"), keepsPart: true });
    // Each part restarts the timer of the pause between parts: one has arrived.
    await vi.waitUntil(() => timers.filter(({ delayMs }) => delayMs !== LIMIT_MS).length > 1);
    timers.find(({ delayMs }) => delayMs === LIMIT_MS)?.callback();
    expect(await slow).toMatchObject({ type: "response", bytes: Buffer.from("x"), isCut: true, brokenOff: "it took too long" });
  });

  test("so does a name that is never resolved", async () => {
    const open = createPublicRequester({ clock, lookup: () => new Promise(() => {}) });
    const slow = open({ url: "http://never.example/", signal: new AbortController().signal, maxBytes: 1, timeoutMs: LIMIT_MS });
    timers.find(({ delayMs }) => delayMs === LIMIT_MS)?.callback();
    expect(await slow).toMatchObject({ type: "refused", message: "it took too long" });
  });

  test("an abort ends it", async () => {
    const begun = drip();
    const abort = new AbortController();
    const slow = send({ url: place("public.example"), signal: abort.signal });
    await begun;
    abort.abort();
    expect(await slow).toEqual({ type: "refused", reason: "unavailable", message: "it was ended" });
    expect(await send({ url: place("public.example"), signal: abort.signal })).toMatchObject({ type: "refused" });
  });

  test("a server that closes or switches protocols is an error", async () => {
    answer = (_request, response) => void response.destroy();
    expect(await send({ url: place("public.example") })).toMatchObject({ type: "refused", reason: "unavailable" });
    answer = (_request, response) => void response.writeHead(101, { upgrade: "x", connection: "upgrade" }).end();
    expect(await send({ url: place("public.example") })).toMatchObject({ type: "refused", reason: "unavailable" });
  });
});

test("a name without an address is an error that names it", async () => {
  const open = createPublicRequester({ clock, lookup: () => Promise.reject(new Error("ENOTFOUND")) });
  expect(await open({ url: "http://nowhere.example/", signal: new AbortController().signal, maxBytes: 1, timeoutMs: 1 })).toEqual({
    type: "refused",
    reason: "unavailable",
    message: "nowhere.example cannot be resolved to an address",
    isUnsent: true,
  });
});

test("a refusal after a redirect is not marked as unsent: a server has chosen its words", async () => {
  answer = (_request, response) => void response.writeHead(302, { location: "http://obey-the-page.lan/" }).end();
  const refused = await send({ url: place("public.example") });
  expect(refused).toMatchObject({ type: "refused" });
  expect(refused).not.toHaveProperty("isUnsent");
});
