import { expect, test, vi } from "vitest";
import { startHttpServer } from "../test/http-server.ts";
import { callTool, openScene, textOf } from "../test/scene.ts";
import { startSessionServer } from "../test/session-server.ts";
import type { ServerSettings } from "./index.ts";

const settings = (url: string, more: object = {}): ServerSettings => ({
  url,
  transport: "streamable-http",
  headers: { "x-team": "blue" },
  auth: "hunter2",
  timeoutMs: 60_000,
  trusted: false,
  ...more,
});

test("a server of the newest revision at an address is asked with the token, and its verdict is remembered", async () => {
  await using remote = await startHttpServer();
  await using scene = await openScene();
  const source = await scene.listed(settings(remote.url));
  expect(source.problem).toBeUndefined();
  expect(textOf(await callTool(source, "mcp__raw_echo", { a: 1 }, scene))).toBe('heard {"a":1}');
  expect(new Set(remote.requests.map((request) => request.replace(/^\w+ /, "")))).toEqual(new Set(["/mcp Bearer hunter2"]));
  const before = remote.requests.length;
  await callTool(source, "mcp__raw_echo", {}, { ...scene, run: { agentId: "other" } });
  // The list and the call, without a question for the revision.
  expect(remote.requests.length - before).toBe(2);
});

test("an answer that is too large fails its call, and not the gateway", async () => {
  await using remote = await startHttpServer();
  await using scene = await openScene();
  const source = await scene.listed(settings(remote.url));
  const result = await callTool(source, "mcp__raw_large", {}, scene);
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain("an answer of more than 12 MB");
  scene.clock.advance(60_000);
  expect(textOf(await callTool(source, "mcp__raw_echo", {}, scene))).toContain("heard");
});

test("a redirect to another place is not followed, so that the token stays here", async () => {
  await using elsewhere = await startHttpServer();
  await using remote = await startHttpServer({ redirectTo: elsewhere.url });
  await using scene = await openScene();
  const source = await scene.listed(settings(remote.url));
  expect(source.tools).toEqual([]);
  expect(source.problem).toMatch(/redirect/i);
  expect(elsewhere.requests).toEqual([]);
});

test("a server that is not there is down, with the reason", async () => {
  const gone = await startHttpServer();
  await gone[Symbol.asyncDispose]();
  await using scene = await openScene();
  for (const transport of ["streamable-http", "sse"]) {
    const source = await scene.listed(settings(gone.url, { transport }));
    expect(source.problem).toMatch(/^fetch failed.*ECONNREFUSED/);
  }
});

test("a server over server-sent events is used over one stream, which ends when nothing uses it any longer", async () => {
  await using remote = await startSessionServer();
  await using scene = await openScene();
  const source = await scene.listed(settings(`${remote.url}/sse`, { transport: "sse" }));
  expect(source.problem).toBeUndefined();
  expect(textOf(await callTool(source, "mcp__raw_echo", { a: 1 }, scene))).toBe('heard {"a":1}');
  expect(new Set(remote.requests)).toEqual(new Set(["GET /sse", "POST /messages?session=1"]));
  const streams = (): number => remote.requests.filter((request) => request === "GET /sse").length;
  // A call that comes at the moment at which the idle server would be stopped keeps it.
  scene.clock.fire(600_000);
  expect(textOf(await callTool(source, "mcp__raw_echo", {}, scene))).toBe("heard {}");
  expect([streams(), remote.open()]).toEqual([1, 1]);
  scene.clock.fire(600_000);
  await vi.waitFor(() => expect(remote.open()).toBe(0));
  expect(textOf(await callTool(source, "mcp__raw_echo", {}, scene))).toBe("heard {}");
  expect([streams(), remote.open()]).toEqual([2, 1]);
});

test("a server that streams without end is disconnected, and the reason is named", { timeout: 60_000 }, async () => {
  await using remote = await startSessionServer();
  await using scene = await openScene();
  const source = await scene.listed(settings(`${remote.url}/sse`, { transport: "sse" }));
  const result = await callTool(source, "mcp__raw_echo", { flood: true }, scene);
  expect(textOf(result)).toContain("was lost: it floods the gateway with output that nothing asked for");
  await vi.waitFor(() => expect(remote.open()).toBe(0));
  scene.clock.advance(60_000);
  expect(textOf(await callTool(source, "mcp__raw_echo", { a: 1 }, scene))).toBe('heard {"a":1}');
});

test("an HTTP session is ended at the server when nothing uses it any longer", async () => {
  await using remote = await startSessionServer();
  await using scene = await openScene();
  const source = await scene.listed(settings(`${remote.url}/mcp`));
  expect(textOf(await callTool(source, "mcp__raw_echo", { a: 1 }, scene))).toBe('heard {"a":1}');
  expect(remote.requests).not.toContain("DELETE /mcp session-1");
  scene.clock.fire(600_000);
  await vi.waitFor(() => expect(remote.requests.filter((request) => request === "DELETE /mcp session-1")).toHaveLength(1));
  await callTool(source, "mcp__raw_echo", {}, scene);
  await scene.servers.close();
  expect(remote.requests.filter((request) => request === "DELETE /mcp session-1")).toHaveLength(2);
});
