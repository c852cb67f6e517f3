import { expect, test } from "vitest";
import { startHttpServer } from "../test/http-server.ts";
import { callTool, openScene, textOf } from "../test/scene.ts";
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
    expect(source.problem).toContain("ECONNREFUSED");
  }
});
