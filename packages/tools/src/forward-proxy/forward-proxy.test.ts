import { once } from "node:events";
import { createServer, request as sendRequest } from "node:http";
import type { IncomingMessage, OutgoingHttpHeaders, Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parsePrivatePlaces } from "../public-fetch/private-places.ts";
import { startForwardProxy, type ForwardProxy, type ForwardProxyOptions, type RefusedRequest } from "./forward-proxy.ts";
import { createHostList } from "./host-list.ts";

const TOKEN = "secret-token";
const AUTHORIZED = { "proxy-authorization": `Basic ${Buffer.from(`factotum:${TOKEN}`).toString("base64")}` };

let server: Server;
let proxy: ForwardProxy;
let asked: { readonly url: string; readonly headers: IncomingMessage["headers"]; readonly body: string }[];
let refused: RefusedRequest[];
let looked: string[];

beforeEach(async () => {
  [asked, refused, looked] = [[], [], []];
  server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      asked.push({ url: request.url ?? "", headers: request.headers, body });
      if (request.url === "/large") return void response.end(Buffer.alloc(100_000));
      if (request.url === "/away") return void response.writeHead(302, { location: "http://inner.example/secret" }).end();
      return void response.end("hello");
    });
  });
  server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\nsocket"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const port = (): number => (server.address() as AddressInfo).port;

/** `public.example` counts as public and is the server; `inner.example` is private. */
async function start(options: Partial<ForwardProxyOptions> = {}): Promise<void> {
  proxy = await startForwardProxy({
    token: TOKEN,
    allowsPrivate: () => false,
    onRefused: (one) => refused.push(one),
    lookup: async (host) => {
      looked.push(host);
      return [{ address: host.startsWith("inner") ? "10.0.0.1" : "127.0.0.1", family: 4 }];
    },
    isOpen: (address) => address === "127.0.0.1",
    ...options,
  });
}

async function get(url: string, headers: OutgoingHttpHeaders = AUTHORIZED, body?: string): Promise<{ status: number; text: string }> {
  const request = sendRequest({
    host: "127.0.0.1",
    port: proxy.port,
    path: url,
    headers,
    method: body === undefined ? "GET" : "POST",
    agent: false,
  });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let text = "";
  for await (const part of response.setEncoding("utf8") as AsyncIterable<string>) text += part;
  return { status: response.statusCode ?? 0, text };
}

async function tunnel(
  to: string,
  headers: Readonly<Record<string, string>> = AUTHORIZED,
): Promise<{ readonly head: string; readonly socket: Socket }> {
  const socket = connect(proxy.port, "127.0.0.1");
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`CONNECT ${to} HTTP/1.1\r\nhost: ${to}\r\n${lines.join("")}\r\n`);
  const [data] = (await once(socket, "data")) as [Buffer];
  return { head: data.toString(), socket };
}

const place = (name: string, path = "/"): string => `http://${name}:${port()}${path}`;

describe("plain requests", () => {
  test("go to the address that was checked, with their body, without the headers of the proxy", async () => {
    await start();
    const headers = {
      ...AUTHORIZED,
      host: "inner.example",
      "x-own": "kept",
      "proxy-connection": "keep-alive",
      connection: "x-hop",
      "x-hop": "1",
    };
    expect(await get(place("public.example", "/page?q=1"), headers, "sent")).toEqual({ status: 200, text: "hello" });
    expect(asked).toMatchObject([{ url: "/page?q=1", body: "sent", headers: { "x-own": "kept", host: `public.example:${port()}` } }]);
    expect(Object.keys(asked[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(["proxy-authorization"]));
    expect(asked[0]?.headers).not.toHaveProperty("x-hop");
    expect(asked[0]?.headers).not.toHaveProperty("proxy-connection");
    expect(looked).toEqual(["public.example"]);
  });

  test("redirects come back to the client, which asks again", async () => {
    await start();
    expect((await get(place("public.example", "/away"))).status).toBe(302);
    expect((await get("http://inner.example/secret?key=1")).status).toBe(403);
    expect(refused).toEqual([{ host: "inner.example", reason: "inner.example is not on the open internet", isPrivate: true }]);
  });

  test.each(["/relative", "ftp://public.example/", "gopher://public.example/"])("%s is no address for it", async (url) => {
    await start();
    expect((await get(url)).status).toBe(400);
    expect(asked).toEqual([]);
  });

  test("a body that is too large breaks off", async () => {
    await start({ maxBytes: 50_000 });
    await expect(get(place("public.example", "/large"))).rejects.toThrow(/aborted|hang up/);
    expect((await get(place("public.example"))).text).toBe("hello");
  });

  test("a server that does not answer is given up", async () => {
    server.removeAllListeners("request");
    await start({ idleTimeoutMs: 50 });
    expect(await get(place("public.example"))).toEqual({ status: 502, text: "the server sent nothing for too long\n" });
  });
});

describe("tunnels", () => {
  test("carry everything in both directions", async () => {
    await start();
    const { head, socket } = await tunnel(`public.example:${port()}`);
    expect(head).toBe("HTTP/1.1 200 Connection established\r\n\r\n");
    socket.write("GET /socket HTTP/1.1\r\nhost: public.example\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
    let text = "";
    for await (const part of socket) text += String(part);
    expect(text).toContain("101 Switching Protocols\r\n\r\nsocket");
  });

  test.each(["10.0.0.1:80", "inner.example:443", "[::ffff:127.0.0.1]:80", "169.254.169.254:80", "2130706433:80", "0x7f.1:80"])(
    "%s is refused",
    async (to) => {
      await start({ isOpen: (address) => address === "127.0.0.9" });
      const { head, socket } = await tunnel(to);
      expect(head).toMatch(/^HTTP\/1\.1 403 /);
      expect(head).toContain("is not on the open internet");
      socket.destroy();
      expect(refused).toHaveLength(1);
    },
  );

  test("one that is idle is ended", async () => {
    await start({ idleTimeoutMs: 50 });
    const { socket } = await tunnel(`public.example:${port()}`);
    await once(socket, "close");
  });

  test("one to a port where nothing listens is refused with a reason", async () => {
    await start();
    const { head, socket } = await tunnel("public.example:1");
    expect(head).toMatch(/^HTTP\/1\.1 502 /);
    socket.destroy();
  });
});

describe("who and where", () => {
  test.each([
    ["no password", {}],
    ["a wrong one", { "proxy-authorization": `Basic ${Buffer.from("factotum:secret-toker").toString("base64")}` }],
    ["another scheme", { "proxy-authorization": `Bearer ${TOKEN}` }],
  ])("%s: nothing is resolved", async (_name, headers) => {
    await start();
    expect((await get(place("public.example"), headers)).status).toBe(407);
    const { head, socket } = await tunnel(`public.example:${port()}`, headers);
    expect(head).toMatch(/^HTTP\/1\.1 407 /);
    socket.destroy();
    expect([looked, refused, asked]).toEqual([[], [], []]);
  });

  test("a list of hosts narrows", async () => {
    await start({ allowsHost: createHostList(["public.example", "*.docs.example"]) });
    expect((await get(place("public.example"))).status).toBe(200);
    expect((await get(place("a.docs.example"))).status).toBe(200);
    expect(await get(place("docs.example"))).toEqual({ status: 403, text: `docs.example:${port()} is not among the allowed hosts\n` });
    expect((await get(place("notpublic.example"))).status).toBe(403);
    expect((await get(place("public.example.evil.example"))).status).toBe(403);
    expect(refused.map(({ host }) => host)).toEqual(["docs.example", "notpublic.example", "public.example.evil.example"]);
  });

  test("a listed host whose address is private stays refused", async () => {
    await start({ allowsHost: createHostList(["inner.example"]) });
    expect((await get("http://inner.example/")).status).toBe(403);
  });

  test("a private place that the owner has opened is reached, its neighbour is not", async () => {
    await start({ isOpen: () => false, allowsPrivate: parsePrivatePlaces([`127.0.0.1:${port()}`]) });
    expect((await get(place("127.0.0.1"))).text).toBe("hello");
    expect((await get("http://127.0.0.1:1/")).status).toBe(403);
  });
});

test("ends its connections when it is closed", async () => {
  await start();
  const { socket } = await tunnel(`public.example:${port()}`);
  const closed = once(socket, "close");
  await proxy[Symbol.asyncDispose]();
  await closed;
  await start();
});
