import type { AgentToolResult, ToolSource } from "@factotum/agent-contract";
import { FakeIssuer, GuardedMcpServer } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { memoryLogins, type MemoryLogins } from "../test/memory-logins.ts";
import { callTool, openScene, testClock, textOf, type Scene, type TestClock } from "../test/scene.ts";
import { revokeLogin, startLogin, type RemoteServer, type Revocation, type StartedLogin } from "./index.ts";

const REDIRECT_URL = "http://127.0.0.1:3999/callback";

interface Guarded extends AsyncDisposable {
  readonly issuer: FakeIssuer;
  readonly server: GuardedMcpServer;
  readonly logins: MemoryLogins;
  readonly clock: TestClock;
  readonly scene: Scene;
  readonly settings: RemoteServer;
  readonly begin: (more?: Partial<RemoteServer>) => Promise<StartedLogin>;
  readonly logIn: (more?: Partial<RemoteServer>) => Promise<void>;
  readonly listed: (more?: Partial<RemoteServer>) => Promise<ToolSource>;
  readonly call: (source: ToolSource, name: string) => Promise<AgentToolResult>;
}

async function openGuarded({ fetch: fetchOwn = fetch }: { readonly fetch?: typeof fetch } = {}): Promise<Guarded> {
  const issuer = await FakeIssuer.start();
  const server = await GuardedMcpServer.start(issuer);
  const logins = memoryLogins();
  let later = 0;
  const real = testClock();
  const clock: TestClock = {
    ...real,
    now: () => Date.now() + later,
    advance: (ms) => {
      later += ms;
      real.advance(ms);
    },
  };
  const scene = await openScene({ logins, clock, fetch: fetchOwn });
  const settings: RemoteServer = { url: server.url, transport: "streamable-http", headers: {}, timeoutMs: 60_000, trusted: true };
  const begin = async (more: Partial<RemoteServer> = {}): Promise<StartedLogin> => {
    const readSecret = async (value: unknown): Promise<string> => Promise.resolve(String(value));
    const signal = new AbortController().signal;
    const options = { logins, clock, fetch: fetchOwn, readSecret, version: "1", redirectUrl: REDIRECT_URL, signal };
    const started = await startLogin("raw", { ...settings, ...more }, options);
    if (started === undefined) throw new Error("it wants no login");
    return started;
  };
  return {
    issuer,
    server,
    logins,
    clock,
    scene,
    settings,
    begin,
    logIn: async (more) => {
      const started = await begin(more);
      await started.finish(await browse(started));
    },
    listed: async (more = {}) => scene.listed({ ...settings, ...more }),
    call: async (source, name) => callTool(source, name, {}, scene),
    [Symbol.asyncDispose]: async () => {
      await scene[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
    },
  };
}

/** A browser whose user agrees to everything: the address at which it ends. */
async function browse({ address }: StartedLogin): Promise<string> {
  const answer = await fetch(address, { redirect: "manual" });
  return answer.headers.get("location") ?? (await answer.text());
}

test("a server that wants a login is one line, for the model too, and works after one", async () => {
  await using guarded = await openGuarded();
  const { issuer, server, logins, scene } = guarded;
  const before = await guarded.listed();
  expect(before.problem).toBe("needs login: factotum mcp login raw");
  expect(before.tools).toEqual([]);
  await guarded.logIn();
  const source = await guarded.listed();
  expect(source.problem).toBeUndefined();
  expect(textOf(await guarded.call(source, "mcp__raw_ping"))).toBe("did ping");
  const { tokens } = JSON.parse(logins.texts.get("raw") ?? "") as { readonly tokens: { readonly access_token: string } };
  expect(new Set(server.authorizations)).toEqual(new Set(["", `Bearer ${tokens.access_token}`]));
  // All of it is hidden wherever text leaves, and none was logged.
  expect(issuer.secrets.filter((secret) => !logins.secrets.has(secret))).toEqual([]);
  expect(issuer.secrets.filter((secret) => scene.logged.join("\n").includes(secret))).toEqual([]);
  expect(issuer.tokenRequests[0]?.form.get("resource")).toBe(server.url);
  issuer.revoke();
  const refused = await guarded.call(source, "mcp__raw_ping");
  expect(refused.isError).toBe(true);
  expect(textOf(refused)).toContain("needs login: factotum mcp login raw");
  expect(source.problem).toBe("needs login: factotum mcp login raw");
});

test("an expired token is renewed once for all requests that wait, and a refused one too", async () => {
  await using guarded = await openGuarded();
  const { issuer, clock } = guarded;
  await guarded.logIn();
  const source = await guarded.listed();
  const all = async (): Promise<ReadonlySet<string>> =>
    new Set((await Promise.all(Array.from({ length: 8 }, async () => guarded.call(source, "mcp__raw_ping")))).map(textOf));
  clock.advance(3_600_000);
  const release = Promise.withResolvers<void>();
  issuer.held = release.promise;
  const calls = all();
  await expect.poll(() => issuer.tokenRequests.length).toBe(2);
  release.resolve();
  expect(await calls).toEqual(new Set(["did ping"]));
  expect(issuer.tokenRequests.map(({ form }) => form.get("grant_type"))).toEqual(["authorization_code", "refresh_token"]);
  issuer.expireTokens();
  expect(await all()).toEqual(new Set(["did ping"]));
  expect(issuer.tokenRequests).toHaveLength(3);
});

test("a renewal that fails for a while is no reason for a new login", async () => {
  await using guarded = await openGuarded();
  const { issuer, server, clock, logins } = guarded;
  await guarded.logIn();
  const source = await guarded.listed();
  const kept = logins.texts.get("raw");
  clock.advance(3_600_000);
  server.isDescribed = false;
  expect(textOf(await guarded.call(source, "mcp__raw_ping"))).toMatch(/names no authorization server|no longer describes itself/);
  expect(logins.texts.get("raw")).toBe(kept);
  server.isDescribed = true;
  clock.advance(600_000);
  expect(textOf(await guarded.call(source, "mcp__raw_ping"))).toBe("did ping");
  expect(issuer.tokenRequests).toHaveLength(2);
});

test("more permissions are asked for by the next login, and never twice", async () => {
  await using guarded = await openGuarded();
  const { issuer, server } = guarded;
  await guarded.logIn();
  const source = await guarded.listed();
  expect(textOf(await guarded.call(source, "mcp__raw_change"))).toContain("needs login for more permissions: factotum mcp login raw");
  // A renewal in between does not make them forgotten.
  issuer.expireTokens();
  expect(textOf(await guarded.call(source, "mcp__raw_ping"))).toBe("did ping");
  const started = await guarded.begin();
  expect(new URL(started.address).searchParams.get("scope")).toBe("read write");
  await started.finish(await browse(started));
  expect(textOf(await guarded.call(source, "mcp__raw_change"))).toBe("did change");
  server.refusesChange = true;
  const refused = textOf(await guarded.call(source, "mcp__raw_change"));
  expect(refused).toContain("although the login asked for all permissions");
  expect(refused).not.toContain("needs login");
});

test("tokens of an issuer stay with it: a server that names another one needs a new login", async () => {
  await using guarded = await openGuarded();
  await using other = await FakeIssuer.start();
  const { issuer, server, clock } = guarded;
  await guarded.logIn();
  const source = await guarded.listed();
  server.issuer = other;
  clock.advance(3_600_000);
  expect(textOf(await guarded.call(source, "mcp__raw_ping"))).toContain("needs login");
  expect(other.requests.map(({ path }) => path)).toEqual(["/.well-known/oauth-authorization-server"]);
  await guarded.logIn();
  expect(textOf(await guarded.call(source, "mcp__raw_ping"))).toBe("did ping");
  const sent = other.requests.map(({ headers, form }) => JSON.stringify([headers, String(form)])).join("\n");
  expect(issuer.secrets.filter((secret) => sent.includes(secret))).toEqual([]);
});

test("tokens and headers go to no other address: not to that of a redirect, of other settings, or of the issuer", async () => {
  await using guarded = await openGuarded();
  await using elsewhere = await GuardedMcpServer.start(guarded.issuer);
  const headers = { "x-key": "key-of-the-server" };
  await guarded.logIn({ headers });
  const source = await guarded.listed({ headers });
  expect(source.problem).toBeUndefined();
  expect(JSON.stringify(guarded.issuer.requests.map((request) => request.headers))).not.toContain("key-of-the-server");
  guarded.server.redirectTo = elsewhere.url;
  expect((await guarded.call(source, "mcp__raw_ping")).isError).toBe(true);
  expect(elsewhere.authorizations).toEqual([]);
  const moved = await guarded.listed({ url: elsewhere.url });
  expect(moved.problem).toContain("needs login");
  expect(new Set(elsewhere.authorizations)).toEqual(new Set([""]));
});

test.each<[string, (guarded: Guarded) => void, RegExp]>([
  [
    "another issuer in the metadata",
    ({ issuer }) => void (issuer.metadata = { issuer: "https://evil.example" }),
    /by another name \(issuer\)/,
  ],
  ["another resource", ({ server }) => void (server.describedAs = "https://evil.example/mcp"), /another resource/],
  ["no S256", ({ issuer }) => void (issuer.metadata = { code_challenge_methods_supported: ["plain"] }), /S256/],
  ["no word of PKCE", ({ issuer }) => void (issuer.metadata = { code_challenge_methods_supported: undefined }), /S256/],
  [
    "a token endpoint without encryption",
    ({ issuer }) => void (issuer.metadata = { token_endpoint: "http://evil.example/token" }),
    /not encrypted/,
  ],
  [
    "a registration at another place, which is not public",
    ({ issuer }) => void (issuer.metadata = { registration_endpoint: "https://192.0.2.7/register" }),
    /192\.0\.2\.7 cannot be reached: it is not a public address/,
  ],
  ["no description", ({ server }) => void (server.isDescribed = false), /names no authorization server/],
])("there is no login with %s", async (_what, spoil, why) => {
  await using guarded = await openGuarded();
  spoil(guarded);
  await expect(guarded.begin()).rejects.toThrow(why);
  expect(guarded.issuer.tokenRequests).toEqual([]);
  expect(guarded.issuer.requests.filter(({ path }) => path === "/authorize")).toEqual([]);
});

test.each<[string, (answer: URL) => void, RegExp]>([
  ["another state", (answer) => answer.searchParams.set("state", "x".repeat(43)), /not the answer to this login/],
  ["no state", (answer) => answer.searchParams.delete("state"), /not the answer to this login/],
  ["another place", (answer) => void (answer.pathname = "/other"), /not the answer to this login/],
  ["another issuer", (answer) => answer.searchParams.set("iss", "https://evil.example"), /another authorization server/],
  ["no issuer", (answer) => answer.searchParams.delete("iss"), /another authorization server/],
  [
    "an error",
    (answer) => {
      answer.searchParams.delete("code");
      answer.searchParams.set("error", "access_denied");
    },
    /access_denied/,
  ],
])("an answer with %s is refused, and no code is sent", async (_what, spoil, why) => {
  await using guarded = await openGuarded();
  const started = await guarded.begin();
  const answer = new URL(await browse(started));
  spoil(answer);
  await expect(started.finish(answer.href)).rejects.toThrow(why);
  expect(guarded.issuer.tokenRequests).toEqual([]);
  expect(guarded.logins.texts.get("raw") ?? "").not.toContain("access_token");
});

test("the code alone is an answer where its issuer need not name itself, and works once", async () => {
  await using guarded = await openGuarded();
  guarded.issuer.metadata = { authorization_response_iss_parameter_supported: undefined };
  const started = await guarded.begin();
  const code = new URL(await browse(started)).searchParams.get("code") ?? "";
  await started.finish(`${code}\n`);
  await expect(started.finish(code)).rejects.toThrow();
  expect((await guarded.listed()).problem).toBeUndefined();
});

test("a configured client is used at the configured issuer alone", async () => {
  await using guarded = await openGuarded();
  await using other = await FakeIssuer.start();
  const { issuer, server } = guarded;
  issuer.addClient("known", "secret-of-known", REDIRECT_URL);
  const oauth = { clientId: "known", clientSecret: "secret-of-known", issuer: issuer.url };
  await guarded.logIn({ oauth });
  expect((await guarded.listed({ oauth })).problem).toBeUndefined();
  expect(issuer.requests.map(({ path }) => path)).not.toContain("/register");
  expect(guarded.logins.texts.get("raw")).not.toContain("secret-of-known");
  server.issuer = other;
  await expect(guarded.begin({ oauth })).rejects.toThrow("another authorization server than the configured one");
});

test("tokens of a configured client stay with their issuer, even where none is configured", async () => {
  await using guarded = await openGuarded();
  await using other = await FakeIssuer.start();
  const { issuer, server, clock } = guarded;
  issuer.addClient("known", "secret-of-known", REDIRECT_URL);
  const oauth = { clientId: "known", clientSecret: "secret-of-known" };
  await guarded.logIn({ oauth });
  const source = await guarded.listed({ oauth });
  server.issuer = other;
  clock.advance(3_600_000);
  expect(textOf(await guarded.call(source, "mcp__raw_ping"))).toContain("needs login");
  expect(other.tokenRequests).toEqual([]);
});

test("a server whose authorization is configured, or that is not encrypted, gets no login", async () => {
  await using guarded = await openGuarded();
  await expect(guarded.begin({ auth: "token" })).rejects.toThrow("is in the configuration");
  await expect(guarded.begin({ url: "http://nas.lan/mcp" })).rejects.toThrow("https://");
  const source = await guarded.listed({ auth: "token-of-another" });
  expect(source.problem).not.toContain("needs login");
});

async function revoke({ logins, clock, settings }: Guarded, more: Partial<RemoteServer> = {}): Promise<Revocation> {
  const readSecret = async (value: unknown): Promise<string> => Promise.resolve(String(value));
  return revokeLogin("raw", { ...settings, ...more }, { logins, clock, fetch, readSecret });
}

test("tokens are taken back by the service that gave them, the refresh token first", async () => {
  await using guarded = await openGuarded();
  const { issuer } = guarded;
  expect(await revoke(guarded)).toBe("no-login");
  await guarded.logIn();
  const [access = "", refresh = ""] = issuer.secrets.slice(-2);
  expect(issuer.scopeOf(access, guarded.server.url)).toBeDefined();
  expect(await revoke(guarded)).toBe("revoked");
  expect(issuer.requests.filter(({ path }) => path === "/revoke").map(({ form }) => form.get("token"))).toEqual([refresh, access]);
  expect(issuer.scopeOf(access, guarded.server.url)).toBeUndefined();
  const source = await guarded.listed();
  expect(source.problem).toContain("needs login");
});

test("a client without basic authentication names itself in the form", async () => {
  await using guarded = await openGuarded();
  await guarded.logIn();
  guarded.issuer.metadata = { revocation_endpoint_auth_methods_supported: ["client_secret_post"] };
  // The issuer of these tests knows the other way alone.
  await expect(revoke(guarded)).rejects.toThrow("it answers with 401");
  const [asked] = guarded.issuer.requests.filter(({ path }) => path === "/revoke");
  expect(asked?.headers.authorization).toBeUndefined();
  expect(guarded.issuer.secrets).toContain(asked?.form.get("client_secret"));
});

test.each([
  [{ revocation_endpoint: undefined }, "unsupported"],
  [{ revocation_endpoint: "http://issuer.example/revoke" }, "its address for that is not encrypted"],
  [{ revocation_endpoint: "http://127.0.0.1:9/revoke" }, "fetch failed"],
])("a service whose metadata has %j gets no token", async (metadata, told) => {
  await using guarded = await openGuarded();
  await guarded.logIn();
  guarded.issuer.metadata = metadata;
  const outcome = await revoke(guarded).catch((error: unknown) => (error instanceof Error ? error.message : ""));
  expect(outcome).toContain(told);
  expect(guarded.issuer.requests.filter(({ path }) => path === "/revoke")).toEqual([]);
});

test("a service that refuses is told, and another issuer gets no token", async () => {
  await using guarded = await openGuarded();
  await guarded.logIn();
  await expect(revoke(guarded, { oauth: { clientId: "other", clientSecret: "wrong" } })).rejects.toThrow("it answers with 401");
  const before = guarded.issuer.requests.filter(({ path }) => path === "/revoke").length;
  await expect(revoke(guarded, { oauth: { issuer: "https://elsewhere.example" } })).rejects.toThrow("another authorization server");
  expect(guarded.issuer.requests.filter(({ path }) => path === "/revoke")).toHaveLength(before);
});
