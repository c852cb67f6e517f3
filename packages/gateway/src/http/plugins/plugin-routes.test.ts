import { once } from "node:events";
import { request as send, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import type { Clock } from "@factotum/agent-contract";
import type { PluginRouteRequest } from "@factotum/plugin";
import { describe, expect, test } from "vitest";
import { realClock, startTestGateway, type TestGateway } from "../../../test/gateway-harness.ts";
import type { PluginRoute, RouteAnswer } from "./plugin-route.ts";

const ANSWER = { type: "answer", status: 200, headers: {}, body: "fine" } as const;

interface Asked {
  readonly request: PluginRouteRequest;
  readonly signal: AbortSignal;
}

/** The routes of the plugin `site`; each call is recorded, and answered by `answer`. */
function site(
  routes: readonly Pick<PluginRoute, "method" | "path" | "public">[],
  answer: (asked: Asked) => RouteAnswer | Promise<RouteAnswer> = () => ANSWER,
): { readonly asked: readonly Asked[]; readonly pluginRoutes: (id: string) => readonly PluginRoute[] } {
  const asked: Asked[] = [];
  const listed = routes.map((route): PluginRoute => ({
    ...route,
    answer: async (request, { signal }) => {
      const one = { request, signal };
      asked.push(one);
      return answer(one);
    },
  }));
  return { asked, pluginRoutes: (id) => (id === "site" || id === "other" || id === "third" ? listed : []) };
}

const OWN = { method: "GET", path: "/report", public: false } as const;
const OPEN = { method: "GET", path: "/open", public: true } as const;
const HOOK = { method: "POST", path: "/hook", public: true } as const;

const asOwner = ({ token }: TestGateway): { readonly authorization: string } => ({ authorization: `Bearer ${token}` });

async function codeOf(response: Response): Promise<readonly [number, string]> {
  const { error } = (await response.json()) as { readonly error: { readonly code: string } };
  return [response.status, error.code];
}

describe("who reaches a route", () => {
  test.each([
    ["GET", "/plugins/site/report", 200],
    ["GET", "/plugins/site/open", 200],
    ["GET", "/plugins/site/missing", 404],
    ["GET", "/plugins/site", 404],
    ["GET", "/plugins/absent/report", 404],
    ["GET", "/plugins", 404],
    ["GET", "/plugins/", 404],
    ["GET", "/plugins/site/%72eport", 404],
    ["GET", "/plugins/site//report", 404],
    ["POST", "/plugins/site/report", 405],
    ["OPTIONS", "/plugins/site/open", 405],
  ])("the owner's %s %s is answered with %s", async (method, path, status) => {
    const { asked, pluginRoutes } = site([OWN, OPEN]);
    await using running = await startTestGateway({ pluginRoutes });
    const response = await fetch(`${running.gateway.url}${path}`, { method, headers: asOwner(running) });
    expect(response.status).toBe(status);
    expect(asked).toHaveLength(status === 200 ? 1 : 0);
  });

  test.each([
    ["GET", "/plugins/site/report", 401],
    ["GET", "/plugins/site/open", 200],
    ["GET", "/plugins/site/missing", 401],
    ["GET", "/plugins/absent/open", 401],
    ["POST", "/plugins/site/report", 401],
    // A public route is no secret.
    ["POST", "/plugins/site/open", 405],
    // The other method of its path is the owner's.
    ["GET", "/plugins/site/hook", 401],
    ["POST", "/plugins/site/hook", 200],
  ])("a stranger's %s %s is answered with %s", async (method, path, status) => {
    const { asked, pluginRoutes } = site([OWN, OPEN, HOOK, { ...OWN, path: "/hook" }]);
    await using running = await startTestGateway({ pluginRoutes });
    for (const headers of [{}, { authorization: "Bearer wrong" }])
      expect((await fetch(`${running.gateway.url}${path}`, { method, headers })).status).toBe(status);
    expect(asked).toHaveLength(status === 200 ? 2 : 0);
  });

  test("wrong tokens are delayed as elsewhere, and pages of other sites and other hosts are refused, public routes included", async () => {
    const { asked, pluginRoutes } = site([OWN, OPEN]);
    await using running = await startTestGateway({ pluginRoutes });
    const { url } = running.gateway;
    for (const path of ["report", "open"]) {
      const headers = { ...asOwner(running), origin: "http://evil.example" };
      expect(await codeOf(await fetch(`${url}/plugins/site/${path}`, { headers }))).toEqual([403, "forbidden"]);
      expect((await raw(running, `GET /plugins/site/${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`))[0]).toContain(
        " 403 ",
      );
    }
    for (let count = 0; count < 5; count += 1) await fetch(`${url}/plugins/site/report`, { headers: { authorization: "Bearer wrong" } });
    for (const path of ["report", "open"])
      expect((await fetch(`${url}/plugins/site/${path}`, { headers: { authorization: "Bearer wrong" } })).status).toBe(429);
    expect(asked).toEqual([]);
  });

  test("405 names the methods", async () => {
    const { pluginRoutes } = site([OPEN, { ...HOOK, path: "/open" }]);
    await using running = await startTestGateway({ pluginRoutes });
    const response = await fetch(`${running.gateway.url}/plugins/site/open`, { method: "DELETE" });
    expect(response.headers.get("allow")).toBe("GET, HEAD, POST");
    expect(await codeOf(response)).toEqual([405, "method_not_supported"]);
  });
});

describe("a request", () => {
  test("has its parts without credentials, and paths as they were sent", async () => {
    const { asked, pluginRoutes } = site([{ method: "POST", path: "/files/*", public: false }]);
    await using running = await startTestGateway({ pluginRoutes });
    const response = await fetch(`${running.gateway.url}/plugins/site/files/a%20b/c?x=1&x=2&__proto__=y`, {
      method: "POST",
      body: "\uFEFFgrüße",
      headers: {
        ...asOwner(running),
        cookie: "a=b",
        "proxy-authorization": "Basic x",
        "x-forwarded-access-token": "t",
        "cf-access-jwt-assertion": "t",
        "x-hub-signature": "sha1=1",
        "content-type": "text/plain",
      },
    });
    expect(await response.text()).toBe("fine");
    const request = asked[0]?.request;
    expect(request).toMatchObject({ method: "POST", path: "/files/a%20b/c", body: "\uFEFFgrüße" });
    expect(Object.entries(request?.query ?? {})).toEqual([
      ["x", "2"],
      ["__proto__", "y"],
    ]);
    expect(request?.headers).toMatchObject({ "x-hub-signature": "sha1=1", "content-type": "text/plain" });
    expect(JSON.stringify(request)).not.toMatch(/authorization|cookie|token|jwt/);
  });

  test("with HEAD is one with GET, whose body is left out", async () => {
    const { asked, pluginRoutes } = site([OPEN]);
    await using running = await startTestGateway({ pluginRoutes });
    const response = await fetch(`${running.gateway.url}/plugins/site/open`, { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(asked[0]?.request.method).toBe("GET");
  });

  test.each([
    [262_144, 200],
    [262_145, 413],
  ])("of %i bytes is answered with %i", async (bytes, status) => {
    const { asked, pluginRoutes } = site([HOOK]);
    await using running = await startTestGateway({ pluginRoutes });
    const response = await fetch(`${running.gateway.url}/plugins/site/hook`, { method: "POST", body: "x".repeat(bytes) });
    expect(response.status).toBe(status);
    expect(asked).toHaveLength(status === 200 ? 1 : 0);
  });

  test("that is no text is refused", async () => {
    const { asked, pluginRoutes } = site([HOOK]);
    await using running = await startTestGateway({ pluginRoutes });
    const response = await fetch(`${running.gateway.url}/plugins/site/hook`, { method: "POST", body: Buffer.from([0xff]) });
    expect(await codeOf(response)).toEqual([400, "invalid_body"]);
    expect(asked).toEqual([]);
  });

  test("whose body does not arrive within three seconds is ended, on a public route", async () => {
    let passDeadline = (): void => undefined;
    const scheduled = Promise.withResolvers<void>();
    const clock: Clock = {
      ...realClock,
      schedule: (delayMs, callback) => {
        if (delayMs !== 3000) return realClock.schedule(delayMs, callback);
        passDeadline = callback;
        scheduled.resolve();
        return { [Symbol.dispose]: () => undefined };
      },
    };
    const { asked, pluginRoutes } = site([HOOK]);
    await using running = await startTestGateway({ pluginRoutes, clock });
    const answer = raw(running, "POST /plugins/site/hook HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nslow");
    await scheduled.promise;
    passDeadline();
    expect((await answer).join("")).toMatch(/^HTTP\/1\.1 408 /);
    expect(asked).toEqual([]);
    // Nor is one that breaks off an error of the gateway.
    const socket = connect(Number(new URL(running.gateway.url).port), "127.0.0.1");
    await once(socket, "connect");
    socket.end("POST /plugins/site/hook HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nslow");
    await once(socket.resume(), "close");
    expect(running.logger.lines.join("\n")).not.toContain("A request failed");
  });

  test("whose client leaves is told to the plugin", async () => {
    const left = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const { pluginRoutes } = site([OPEN], async ({ signal }) => {
      signal.addEventListener("abort", () => left.resolve());
      begun.resolve();
      await left.promise;
      return ANSWER;
    });
    await using running = await startTestGateway({ pluginRoutes });
    const leaving = new AbortController();
    const asking = fetch(`${running.gateway.url}/plugins/site/open`, { signal: leaving.signal });
    await begun.promise;
    leaving.abort();
    await expect(asking).rejects.toThrow("aborted");
    await left.promise;
  });
});

describe("an answer", () => {
  /** Headers as they are on the wire; `fetch` hides some. */
  async function answered(answer: RouteAnswer): Promise<IncomingMessage & { readonly text: string }> {
    const { pluginRoutes } = site([OPEN], () => answer);
    await using running = await startTestGateway({ pluginRoutes });
    const request = send(`${running.gateway.url}/plugins/site/open`, { agent: false }).end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += String(chunk);
    return Object.assign(response, { text });
  }

  test("is no page of the gateway, and sets neither cookies nor anything else for its origin", async () => {
    const { statusCode, headers, text } = await answered({
      type: "answer",
      status: 201,
      headers: {
        "content-type": "Text/HTML; charset=latin1",
        "set-cookie": "a=b",
        "access-control-allow-origin": "*",
        "content-security-policy": "default-src *",
        "x-content-type-options": "sniff",
        "cache-control": "public",
        "service-worker-allowed": "/",
        "clear-site-data": '"*"',
        location: "/",
        "www-authenticate": "Basic",
        "strict-transport-security": "max-age=1",
        "content-encoding": "gzip",
        "content-language": "fr\r\nx-evil: 1",
        "content-disposition": 'attachment; filename="a.html"',
        "retry-after": "7",
      },
      body: "<h1>Grüße</h1>",
    });
    expect([statusCode, text]).toEqual([201, "<h1>Grüße</h1>"]);
    const { date: _date, connection: _connection, "keep-alive": _alive, "content-length": _length, ...rest } = headers;
    expect(rest).toEqual({
      "content-type": "text/html; charset=utf-8",
      "content-disposition": 'attachment; filename="a.html"',
      "retry-after": "7",
      "content-security-policy":
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
  });

  test.each([
    ["text/javascript", "text/plain; charset=utf-8"],
    ["text/css", "text/plain; charset=utf-8"],
    ["image/svg+xml", "text/plain; charset=utf-8"],
    ["application/xhtml+xml", "text/plain; charset=utf-8"],
    ["", "text/plain; charset=utf-8"],
    ["text/csv;header=present", "text/csv; charset=utf-8"],
    ["application/json", "application/json; charset=utf-8"],
  ])("of the type %j is sent as %s", async (type, sent) => {
    const { headers } = await answered({ ...ANSWER, headers: { "content-type": type } });
    expect(headers["content-type"]).toBe(sent);
  });

  test.each([204, 205, 304])("with the status %i has no body", async (status) => {
    const { statusCode, headers, text } = await answered({ ...ANSWER, status });
    expect([statusCode, text, headers["content-type"]]).toEqual([status, "", undefined]);
  });

  test.each([
    [{ type: "failed" }, 502, "plugin_failed", undefined],
    [{ type: "late" }, 504, "plugin_timeout", undefined],
    [{ type: "too-large" }, 413, "request_too_large", undefined],
    [{ type: "busy", retryAfterSeconds: 60 }, 503, "plugin_busy", "60"],
  ] as const)("%j is %i, without a reason", async (answer, status, code, retryAfter) => {
    const { statusCode, headers, text } = await answered(answer);
    expect([statusCode, headers["retry-after"], headers["cache-control"]]).toEqual([status, retryAfter, "no-store"]);
    expect(JSON.parse(text)).toMatchObject({ error: { code } });
  });
});

test("strangers fill the places for them alone, and the owner still finds one", async () => {
  const gate = Promise.withResolvers<void>();
  const { asked, pluginRoutes } = site([OWN, OPEN], async () => {
    await gate.promise;
    return ANSWER;
  });
  await using running = await startTestGateway({ pluginRoutes });
  const ask = async (path: string, headers = {}): Promise<Response> => fetch(`${running.gateway.url}/plugins/${path}`, { headers });
  const held = Array.from({ length: 8 }, async () => ask("site/open"));
  await expect.poll(() => asked.length).toBe(8);
  const refused = await ask("site/open");
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await codeOf(refused)).toEqual([503, "plugin_busy"]);
  const owned = Array.from({ length: 8 }, async () => ask("site/report", asOwner(running)));
  await expect.poll(() => asked.length).toBe(16);
  expect((await ask("site/report", asOwner(running))).status).toBe(503);
  gate.resolve();
  expect((await Promise.all([...held, ...owned])).every(({ status }) => status === 200)).toBe(true);
  expect((await ask("site/open")).status).toBe(200);
});

test("a request that a plugin works on survives a flood of connections, and the connection is unproven again after it", async () => {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const { pluginRoutes } = site([OPEN], async () => {
    begun.resolve();
    await gate.promise;
    return ANSWER;
  });
  await using running = await startTestGateway({ pluginRoutes });
  using sockets = new DisposableStack();
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(running.gateway.url).port), "127.0.0.1").setEncoding("utf8");
    socket.on("error", () => undefined);
    sockets.defer(() => socket.destroy());
    await once(socket, "connect");
    return socket;
  };
  const flood = async (): Promise<void> => {
    const idle: Promise<unknown>[] = [];
    for (let count = 0; count < 512; count += 1) idle.push(closedOf(await open()));
    // Every older unproven one was closed long before.
    await idle[255];
  };
  const asking = await open();
  asking.write("GET /plugins/site/open HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  await begun.promise;
  await flood();
  gate.resolve();
  expect(String((await once(asking, "data"))[0])).toContain(" 200 ");
  await flood();
  expect(asking.closed).toBe(true);
});

/** Resolves once a connection is closed, also with a reset. */
async function closedOf(socket: Socket): Promise<void> {
  await new Promise((resolve) => socket.once("close", resolve));
}

/** Sends raw bytes and resolves with everything received until the server closes. */
async function raw({ gateway }: TestGateway, text: string): Promise<readonly string[]> {
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  const pieces: string[] = [];
  socket.setEncoding("utf8").on("data", (piece: string) => pieces.push(piece));
  await once(socket, "connect");
  socket.write(text);
  await once(socket, "close");
  return pieces;
}
