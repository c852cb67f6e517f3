import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPublicFetch } from "./fetch-public-file.ts";
import { isPublicAddress } from "./public-address.ts";

const NEVER = { schedule: () => ({ [Symbol.dispose]: () => undefined }) };

test.each(["1.1.1.1", "93.184.216.34", "2606:4700::1111", "192.0.1.1", "172.32.0.1"])("%s is a public address", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  "127.0.0.1",
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "64:ff9b::7f00:1",
  "fe80::1",
  "fc00::1",
  "fd12::1",
  "ff02::1",
  "2002:7f00:1::",
  "2001::1",
  "2001:db8::1",
  "localhost",
  "",
])("%s is not a public address", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

describe("a fetch", () => {
  let requests: { readonly url: string; readonly headers: Readonly<Record<string, unknown>> }[];
  let answer: RequestListener;
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? "", headers: request.headers });
    answer(request, response);
  });
  beforeEach(async () => {
    requests = [];
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const port = (): number => (server.address() as AddressInfo).port;
  const options = { maxBytes: 1_000, signal: new AbortController().signal };

  /** Names of the test; only the server's address counts as public. */
  function fetchWith(names: Readonly<Record<string, readonly string[]>>): ReturnType<typeof createPublicFetch> {
    return createPublicFetch({
      clock: NEVER,
      lookup: async (host) => (names[host] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      isOpen: (address) => address === "127.0.0.1" || isPublicAddress(address),
    });
  }

  test("returns the bytes, and sends no identifying data", async () => {
    answer = (_request, response) => void response.end("hello");
    const file = await fetchWith({ "files.example": ["127.0.0.1"] })(`http://files.example:${port()}/a.txt?x=1`, options);
    expect(file).toMatchObject({ type: "file", url: `http://files.example:${port()}/a.txt?x=1` });
    expect(file.type === "file" && Buffer.from(file.bytes).toString()).toBe("hello");
    expect(requests[0]?.url).toBe("/a.txt?x=1");
    expect(Object.keys(requests[0]?.headers ?? {}).toSorted()).toEqual(["accept", "accept-encoding", "connection", "host", "user-agent"]);
  });

  test("connects to the address that was checked, even if the name changes later", async () => {
    answer = (_request, response) => void response.end("hello");
    let asked = 0;
    const fetch = createPublicFetch({
      clock: NEVER,
      lookup: async () => [{ address: asked++ === 0 ? "127.0.0.1" : "10.0.0.1", family: 4 }],
      isOpen: (address) => address === "127.0.0.1",
    });
    expect((await fetch(`http://flips.example:${port()}/`, options)).type).toBe("file");
    expect(asked).toBe(1);
  });

  test.each([
    "http://inner.example/",
    "http://both.example/",
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::1]/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://inner.example./",
    "http://user:secret@files.example/",
    "file:///etc/passwd",
    "ftp://files.example/a",
    "data:text/plain,hello",
    "nonsense",
  ])("refuses %s", async (url) => {
    const names = {
      "inner.example": ["192.168.0.1"],
      "inner.example.": ["192.168.0.1"],
      "both.example": ["127.0.0.1", "10.0.0.1"],
      "files.example": ["127.0.0.1"],
    };
    expect(await fetchWith(names)(url, options)).toMatchObject({ type: "refused", reason: "not-allowed" });
    expect(requests).toEqual([]);
  });

  test("follows redirects, each checked like the first", async () => {
    const fetch = fetchWith({ "files.example": ["127.0.0.1"], "inner.example": ["10.0.0.1"] });
    const to =
      (location: string): RequestListener =>
      (request, response) =>
        void (request.url === "/start" ? response.writeHead(302, { location }).end() : response.end("there"));
    answer = to("/next");
    expect(await fetch(`http://files.example:${port()}/start`, options)).toMatchObject({ type: "file" });
    answer = to("http://inner.example/x");
    expect(await fetch(`http://files.example:${port()}/start`, options)).toMatchObject({ type: "refused", reason: "not-allowed" });
    answer = to("http://169.254.169.254/x");
    expect(await fetch(`http://files.example:${port()}/start`, options)).toMatchObject({ type: "refused", reason: "not-allowed" });
    answer = to("/start");
    expect(await fetch(`http://files.example:${port()}/start`, options)).toMatchObject({ type: "refused", reason: "unavailable" });
  });

  test("enforces the size limit, whatever size the server announces", async () => {
    const fetch = fetchWith({ "files.example": ["127.0.0.1"] });
    answer = (_request, response) => void response.writeHead(200, { "content-length": "2000" }).end("x".repeat(2_000));
    expect(await fetch(`http://files.example:${port()}/`, options)).toMatchObject({ type: "refused", reason: "too-large" });
    answer = (_request, response) => {
      response.write("x".repeat(600));
      response.end("x".repeat(600));
    };
    expect(await fetch(`http://files.example:${port()}/`, options)).toMatchObject({ type: "refused", reason: "too-large" });
  });

  test("ends failing and endless answers", async () => {
    const fetch = fetchWith({ "files.example": ["127.0.0.1"] });
    answer = (_request, response) => void response.writeHead(404).end("no");
    expect(await fetch(`http://files.example:${port()}/`, options)).toMatchObject({ type: "refused", reason: "unavailable" });
    answer = (_request, response) => void response.destroy();
    expect(await fetch(`http://files.example:${port()}/`, options)).toMatchObject({ type: "refused", reason: "unavailable" });
    const timers: { readonly delayMs: number; readonly callback: () => void }[] = [];
    const timed = createPublicFetch({
      clock: {
        schedule: (delayMs, callback) => {
          timers.push({ delayMs, callback });
          return { [Symbol.dispose]: () => undefined };
        },
      },
      isOpen: () => true,
    });
    const begun = Promise.withResolvers<void>();
    answer = (_request, response) => {
      response.write("x");
      begun.resolve();
    };
    const slow = timed(`http://127.0.0.1:${port()}/`, options);
    await begun.promise;
    timers.find(({ delayMs }) => delayMs === 60_000)?.callback();
    expect(await slow).toMatchObject({ type: "refused", reason: "unavailable" });
    const abort = new AbortController();
    const held = Promise.withResolvers<void>();
    answer = () => held.resolve();
    const aborted = timed(`http://127.0.0.1:${port()}/`, { ...options, signal: abort.signal });
    await held.promise;
    abort.abort();
    expect(await aborted).toMatchObject({ type: "refused", reason: "unavailable" });
  });
});
