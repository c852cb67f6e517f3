import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { TestHost } from "@factotum/channel-conformance";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDiscordApi } from "./discord-api.ts";
import type { DiscordApi } from "./discord-api.ts";

const { signal } = new AbortController();
let headers: IncomingHttpHeaders[];
let server: ReturnType<typeof createServer>;
let baseUrl: string;

beforeEach(async () => {
  headers = [];
  server = createServer((request, response) => {
    headers.push(request.headers);
    if (request.url === "/moved") return void response.writeHead(302, { location: "https://elsewhere.example/" }).end();
    response
      .writeHead(200, {
        "content-type": "application/json",
        "x-ratelimit-limit": "1",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset-after": "5",
      })
      .end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const create = (url?: string): DiscordApi =>
  createDiscordApi({ token: "the-token", ...(url !== undefined && { baseUrl: url }) }, new TestHost(), { signal });

test("the token goes to the API, and to no file", async () => {
  const api = create(baseUrl);
  await api.call("me", (sdk, options) => sdk.users.getCurrent(options), { signal });
  await api.download(`${baseUrl}/file`, { signal, maxBytes: 100 });
  expect(headers.map(({ authorization }) => authorization)).toEqual(["Bot the-token", undefined]);
  api.close();
});

test("no file is fetched from another host, and no redirect is followed", async () => {
  const api = create(baseUrl);
  for (const url of ["http://127.0.0.1:1/x", "https://cdn.discordapp.com.example/x", "http://cdn.discordapp.com/x", "no address"])
    await expect(api.download(url, { signal, maxBytes: 100 })).rejects.toMatchObject({ message: "the file is on another host" });
  await expect(api.download(`${baseUrl}/moved`, { signal, maxBytes: 100 })).rejects.toMatchObject({ message: "HTTP 302" });
  expect(headers).toHaveLength(1);
});

test("the token goes to gateways of the platform only", () => {
  const platform = create();
  expect(platform.checkGateway("wss://gateway-us-east1-b.discord.gg")).toBe("wss://gateway-us-east1-b.discord.gg");
  for (const url of ["ws://gateway.discord.gg", "wss://discord.gg.example", "wss://evildiscord.gg", "wss://127.0.0.1", "x"])
    expect(() => platform.checkGateway(url)).toThrow("another host");
  const own = create("https://discord.internal:8443");
  expect(own.checkGateway("wss://discord.internal/gateway")).toBe("wss://discord.internal/gateway");
  expect(() => own.checkGateway("wss://gateway.discord.gg")).toThrow("another host");
});

test("a limit that is known beforehand is a refusal with its delay, without a request", async () => {
  const api = create(baseUrl);
  const send = async (): Promise<unknown> =>
    api.call("the message", (sdk, options) => sdk.channels.createMessage("1", { content: "x" }, options), { signal });
  await send();
  const reason: unknown = await send().catch((error: { reason?: unknown }) => error.reason);
  expect(reason).toMatchObject({ type: "refused", code: "429", status: 429 });
  expect((reason as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(1_000);
  expect(headers).toHaveLength(1);
  api.close();
});
