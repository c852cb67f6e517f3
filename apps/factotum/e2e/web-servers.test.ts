import { withoutUndefined } from "@factotum/agent-contract";
import { once } from "node:events";
import { request as sendRequest, type IncomingMessage } from "node:http";
import { freePort, hasWebServer, startProduct, startWebServer, type WebServer } from "@factotum/testing-product";
import { startStrictServer } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { checkedOfficially } from "./check-official.ts";
import { startProxy } from "./start-proxy.ts";

const HOST = "assistant.example.com";
const EVIL = "evil.example.com";

type Headers = Readonly<Record<string, string>>;

interface Place {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  /** Address of the client, on loopback. */
  readonly from?: string;
}

async function send(
  { port, path, token, from = "127.0.0.1" }: Place,
  route: string,
  headers: Headers = {},
  body?: object,
): Promise<IncomingMessage> {
  const request = sendRequest({
    host: "127.0.0.1",
    localAddress: from,
    port,
    path: `${path}${route}`,
    method: body === undefined ? "GET" : "POST",
    agent: false,
    headers: { host: HOST, authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
  });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  return answer;
}

async function statusOf(place: Place, route: string, headers: Headers = {}): Promise<number | undefined> {
  const answer = await send(place, route, headers);
  answer.resume();
  return answer.statusCode;
}

/** The first frame of the socket, or the status of a refused handshake. */
async function hello({ port, path, token }: Place, headers: Headers): Promise<string | number> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}/ws`, { headers: { host: HOST, ...headers } });
  const { promise, resolve } = Promise.withResolvers<string | number>();
  socket.on("error", () => undefined);
  socket.on("unexpected-response", (_request, { statusCode }) => resolve(statusCode ?? 0));
  socket.on("open", () =>
    socket.send(
      JSON.stringify({ type: "connect", minProtocol: 1, maxProtocol: 1, client: { name: "test", version: "0" }, auth: { token } }),
    ),
  );
  socket.on("message", (data: Buffer) => resolve((JSON.parse(data.toString()) as { readonly type: string }).type));
  socket.on("close", (code) => resolve(code));
  try {
    return await promise;
  } finally {
    socket.terminate();
  }
}

const CASES: readonly (readonly [server: WebServer | "a proxy like tailscale serve", path: string, place: string | undefined])[] = [
  ["nginx", "", undefined],
  ["nginx", "/assistant", "location /assistant/"],
  ["caddy", "", undefined],
  ["caddy", "/assistant", "handle /assistant*"],
  ["caddy", "/assistant", "handle_path /assistant/*"],
  ["a proxy like tailscale serve", "", undefined],
];

describe.each(CASES)("behind %s at the path %j (%s)", (server, path, place) => {
  const isThere = server === "nginx" || server === "caddy" ? hasWebServer(server) : true;

  test.skipIf(!isThere)("page, /v1 and /ws are served to the public address alone, and streams are not held back", async () => {
    await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
    const content = [{ type: "text" as const, text: "The beginning of the answer, and what never comes." }];
    model.respond(() => ({ type: "message", content, usage: { input: 1, output: 1 }, fault: { type: "stall", afterBytes: 700 } }));
    const port = await freePort();
    await using product = await startProduct({
      config: {
        gateway: { publicUrl: `https://${HOST}${path}`, trustedProxies: ["127.0.0.1"] },
        agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
        models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
      },
    });
    await using proxies = new AsyncDisposableStack();
    let listensAt = port;
    if (server === "nginx" || server === "caddy")
      proxies.use(await startWebServer(server, { target: product.url, port, host: HOST, ...withoutUndefined({ place }) }));
    else listensAt = Number(new URL(proxies.use(await startProxy(product.url)).url).port);
    const at = { port: listensAt, path, token: product.token };

    expect(await statusOf(at, "/")).toBe(200);
    expect(await statusOf(at, "/v1/models")).toBe(200);
    expect(await hello(at, { origin: `https://${HOST}` })).toBe("hello");
    expect(await hello(at, { origin: `https://${EVIL}` })).toBe(403);
    expect(await statusOf(at, "/v1/models", { origin: `https://${EVIL}` })).toBe(403);
    // nginx and Caddy answer for another site themselves; the gateway refuses one that reaches it, with and without a proxy.
    const direct = { ...at, port: Number(new URL(product.url).port) };
    for (const headers of [{ host: EVIL }, { host: EVIL, origin: `http://${EVIL}` }, { host: EVIL, "x-forwarded-host": HOST }]) {
      expect(await statusOf(direct, "/v1/models", headers)).toBe(403);
      expect(await hello(direct, headers)).toBe(403);
    }

    const body = { model: "factotum", stream: true, messages: [{ role: "user", content: "Begin." }] };
    const answer = await send(at, "/v1/chat/completions", {}, body);
    expect(answer.statusCode).toBe(200);
    let text = "";
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      text += chunk.toString();
      // The model never ends this answer, so the client did not wait for its end.
      if (text.includes("The beginning")) break;
    }
    expect(text).toContain("The beginning");
    const unproxied = await send(direct, "/v1/chat/completions", { host: "127.0.0.1" }, body);
    expect(unproxied.headers["x-accel-buffering"]).toBe("no");
    unproxied.destroy();
  });
});

for (const server of ["nginx", "caddy"] as const) {
  test.skipIf(!hasWebServer(server))(
    `behind ${server} wrong tokens are counted for the address that it names, whatever the client claims`,
    async () => {
      const port = await freePort();
      await using product = await startProduct({ config: { gateway: { publicUrl: `https://${HOST}`, trustedProxies: ["127.0.0.1"] } } });
      await using _proxy = await startWebServer(server, { target: product.url, port, host: HOST });
      const [attacker, owner] = ["127.0.0.2", "127.0.0.3"].map((from) => ({ port, path: "", token: "wrong", from }));
      if (attacker === undefined || owner === undefined) throw new Error("no clients");
      for (let count = 0; count < 5; count += 1)
        expect(await statusOf(attacker, "/v1/models", { "x-forwarded-for": `203.0.113.${count}` })).toBe(401);
      expect(await statusOf(attacker, "/v1/models", { "x-forwarded-for": "203.0.113.9" })).toBe(429);
      expect(await statusOf({ ...owner, token: product.token }, "/v1/models")).toBe(200);
    },
  );
}
