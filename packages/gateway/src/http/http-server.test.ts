import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import type { ChannelAccount } from "../index.ts";
import { createMemoryLogger, realClock, realRandom, startTestGateway, TestPlatform } from "../../test/gateway-harness.ts";
import { NO_SERVICES } from "../../test/no-services.ts";
import { NO_MEMORY } from "../../test/no-memory.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { authorize, OWN } from "../access/authorize.ts";
import type { HttpRoute, Principal } from "../access/authorize.ts";
import { ClientSockets } from "../rpc/client-sockets.ts";
import { createRpcHandlers } from "../rpc/rpc-handlers.ts";
import { WebchatHub } from "../rpc/webchat-hub.ts";
import { createAuthenticator } from "../access/credentials.ts";
import { startHttpServer } from "./http-server.ts";
import type { PluginRoute } from "./plugins/plugin-route.ts";
import type { HttpServer } from "./http-server.ts";

/** Sends raw bytes and resolves with everything received until the server closes. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const answer: string[] = [];
  socket.setEncoding("utf8").on("data", (piece: string) => answer.push(piece));
  await once(socket, "connect");
  socket.write(text);
  await once(socket, "close");
  return answer.join("");
}

/** Sends raw bytes and resolves with the status of the answer. */
async function statusOf(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  await once(socket, "connect");
  socket.write(text);
  const [head] = (await once(socket, "data")) as [string];
  socket.destroy();
  return head.slice("HTTP/1.1 ".length);
}

/** A second server over the gateway's engine, with other timeouts. */
async function serverWithPatience(running: TestGateway, requestTimeoutMs: number): Promise<HttpServer> {
  const { engine } = running.gateway;
  const common = { clock: realClock, random: realRandom, logger: createMemoryLogger() };
  const authenticator = createAuthenticator(running.token, realClock);
  const handlers = createRpcHandlers({
    engine,
    hub: new WebchatHub(),
    status: () => running.gateway.status(),
    warnings: () => [],
    reloadConfig: () => Promise.reject(new Error("there is no file")),
    services: NO_SERVICES,
    memory: NO_MEMORY,
    requestRestart: async () => undefined,
    requestShutdown: () => undefined,
  });
  return startHttpServer({
    engine,
    authenticator,
    clock: realClock,
    clients: new ClientSockets({
      handlers,
      authenticator,
      storage: engine.parts.storage,
      events: engine.parts.events,
      approvals: engine.parts.approvals,
      jobs: { onChange: () => ({ [Symbol.dispose]: () => undefined }) },
      notes: NO_MEMORY.files,
      files: engine.parts.fileChanges,
      answered: () => undefined,
      configControl: { onChange: () => ({ [Symbol.dispose]: () => undefined }) },
      deadLetters: engine.parts.letterChanges,
      warnings: () => [],
      channels: () => [],
      pairingCodes: () => [],
      version: "0.0.0-test",
      ...common,
    }),
    webFolder: undefined,
    host: "127.0.0.1",
    port: 0,
    loopbackOnly: true,
    pluginRoutes: () => [],
    readSecret: async () => undefined,
    readiness: () => undefined,
    metrics: async () => "",
    requestTimeoutMs,
  });
}

const ANSWER = { type: "answer", status: 200, headers: {}, body: "" } as const;

/** A request of every route; a route without one does not compile. */
const REQUESTS: Readonly<Record<HttpRoute, string>> = {
  "GET /": "GET / HTTP/1.1",
  "GET /healthz": "GET /healthz HTTP/1.1",
  "GET /readyz": "GET /readyz HTTP/1.1",
  "GET /metrics": "GET /metrics HTTP/1.1",
  "GET /ws": `GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==`,
  "POST /v1/chat/completions": "POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 0",
  "POST /v1/embeddings": "POST /v1/embeddings HTTP/1.1\r\nContent-Length: 0",
  "POST /v1/responses": "POST /v1/responses HTTP/1.1\r\nContent-Length: 0",
  "GET /media": `GET /media/${"0".repeat(32)}?session=agent:main:main HTTP/1.1`,
  "POST /uploads": "POST /uploads HTTP/1.1\r\nContent-Length: 0",
  "GET /v1/models": "GET /v1/models HTTP/1.1",
  "OPTIONS /v1": "OPTIONS /v1/models HTTP/1.1",
  "ANY /v1": "GET /v1/unknown HTTP/1.1",
  "ANY /channels": "POST /channels/test/default HTTP/1.1\r\nContent-Length: 0",
  "POST /hooks": "POST /hooks/wake HTTP/1.1\r\nContent-Length: 0",
  "ANY /plugins": "GET /plugins/site/report HTTP/1.1",
  "PUBLIC /plugins": "GET /plugins/site/open HTTP/1.1",
};

/** Routes for platforms, which send a signature and no token. */
const PLATFORMS: ReadonlySet<HttpRoute> = new Set(["ANY /channels", "POST /hooks"]);

describe("every route", () => {
  test.each(Object.entries(REQUESTS) as [HttpRoute, string][])(
    "%s is open to the callers named by the rules, on the real port",
    async (route, request) => {
      const report = { method: "GET", path: "/report", public: false, answer: async () => ANSWER } as const;
      const pluginRoutes = (id: string): readonly PluginRoute[] =>
        id === "site" ? [report, { ...report, path: "/open", public: true }] : [];
      await using running = await startTestGateway({ platform: new TestPlatform(), pluginRoutes });
      const { host, port } = new URL(running.gateway.url);
      const ask = async (header: string): Promise<string> => {
        const connection = route === "GET /ws" ? "Upgrade" : "close";
        return statusOf(Number(port), `${request}\r\nHost: ${host}\r\nConnection: ${connection}\r\n${header}\r\n`);
      };
      const action = { type: "http", route } as const;
      // A channel's webhook is for its platform, which sends no token; the channel verifies the signature.
      const stranger: Principal = { type: PLATFORMS.has(route) ? "platform" : "anonymous" };
      expect(await ask("")).toMatch(authorize(stranger, action, OWN).type === "allow" ? /^(?!401|403)/ : /^401/);
      const owner: Principal = { type: PLATFORMS.has(route) ? "platform" : "token" };
      expect(authorize(owner, action, OWN).type).toBe("allow");
      expect(await ask(`Authorization: Bearer ${running.token}\r\n`)).toMatch(/^(?!401|403)/);
      // A page of another site has no access, even with the token.
      if (!PLATFORMS.has(route))
        expect(await ask(`Authorization: Bearer ${running.token}\r\nOrigin: http://evil.example\r\n`)).toMatch(/^403/);
    },
  );
});

describe("a handshake for a socket", () => {
  test.each(["//", "http://[::bad/ws", "*", "/%ff", "/elsewhere"])("to %s is refused, and the gateway continues", async (target) => {
    await using running = await startTestGateway();
    const { host, port } = new URL(running.gateway.url);
    const answer = await raw(
      Number(port),
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect((await fetch(`${running.gateway.url}/healthz`)).status).toBe(200);
  });
});

test.each(["h2c", "h2c, TLS/1.3", "websocket2"])(
  "an offer to upgrade to %s is ignored: the request is answered normally",
  async (protocol) => {
    await using running = await startTestGateway();
    const { host, port } = new URL(running.gateway.url);
    const body = JSON.stringify({ model: "unknown", messages: [] });
    const answer = await raw(
      Number(port),
      `POST /v1/chat/completions HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${running.token}\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\nConnection: Upgrade, HTTP2-Settings, close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain("messages: ");
  },
);

test("pending requests of one account of a channel do not block another account's", async () => {
  const gate = Promise.withResolvers<void>();
  const full = Promise.withResolvers<void>();
  let held = 0;
  const account = new TestPlatform().account();
  const slow: ChannelAccount = {
    ...account,
    create: async (host) => ({
      ...(await account.create(host)),
      handleWebhook: async () => {
        held += 1;
        if (held === 64) full.resolve();
        await gate.promise;
        return new Response("late");
      },
    }),
  };
  const other: ChannelAccount = { ...account, accountId: "other", config: { ...account.config, accountId: "other" } };
  await using running = await startTestGateway({ accounts: [slow, other] });
  const post = (accountId: string): Promise<Response> =>
    fetch(`${running.gateway.url}/channels/test/${accountId}`, { method: "POST", body: "{}" });
  const waiting = Array.from({ length: 64 }, () => post("default"));
  await full.promise;
  expect((await post("default")).status).toBe(503);
  expect((await post("other")).status).toBe(200);
  gate.resolve();
  expect((await Promise.all(waiting)).every(({ status }) => status === 200)).toBe(true);
  expect((await post("default")).status).toBe(200);
});

describe("an endless request", () => {
  test.each([
    ["in its head", "POST /channels/test/default HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "],
    ["in its body", "POST /channels/test/default HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"],
  ])("%s is closed in time, so that it does not occupy a slot", async (_name, text) => {
    await using running = await startTestGateway({ platform: new TestPlatform() });
    const server = await serverWithPatience(running, 100);
    try {
      expect(await raw(server.port, text)).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
    } finally {
      await server.close();
    }
  });
});
