import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost, textOf, type TestHost } from "../test/host.ts";
import { PluginFolders } from "../test/plugins.ts";
import type { HostedRoute, InstalledPlugin, PluginHost } from "./index.ts";

let folders: PluginFolders;
beforeAll(async () => {
  folders = await PluginFolders.create();
});
afterAll(async () => folders[Symbol.asyncDispose]());

const slow = { timeout: 60_000 };
const signal = new AbortController().signal;
const REPORT = { method: "GET", path: "/report", public: false } as const;
const REQUEST = { method: "GET", path: "/report", query: { day: "1" }, headers: { accept: "*/*" }, body: "" } as const;

/** A plugin whose route has this body, with `request`, `signal` and `api`, and a tool `run` that answers. */
async function withRoute(id: string, body: string, parts: Partial<InstalledPlugin> = {}): Promise<InstalledPlugin> {
  const route = `api.route("GET", "/report", async (request, { signal }) => { ${body} });`;
  const code = `export const plugin = { id: "${id}", setup(api) { ${route} api.tool("run", () => "runs"); } };`;
  return folders.write(id, code, { routes: [REPORT], ...parts });
}

function routeOf(host: PluginHost, id: string): HostedRoute {
  const [route] = host.routes(id);
  if (route === undefined) throw new Error("no route");
  return route;
}

function problemOf({ host }: TestHost, id: string): string | undefined {
  return host.sources().find((source) => source.id === `plugin:${id}`)?.problem;
}

/** How many requests plugins have begun to work on. */
function began({ lines }: TestHost): number {
  return lines.filter(({ message }) => message === "began").length;
}

test.each([false, true])("a route of a plugin whose trust is %s gets the request and answers", slow, async (trusted) => {
  const plugin = await withRoute(
    `good-${trusted}`,
    `return { status: 201, headers: { "Content-Type": "application/json", "x-key": "secret" }, body: JSON.stringify(request) + "secret" };`,
    { trusted },
  );
  await using scene = startHost([plugin], { hideSecrets: (text) => text.replaceAll("secret", "***") });
  const route = routeOf(scene.host, plugin.id);
  expect(route).toMatchObject(REPORT);
  expect(scene.running.size).toBe(0);
  expect(await route.answer(REQUEST, { signal })).toEqual({
    type: "answer",
    status: 201,
    headers: { "content-type": "application/json", "x-key": "***" },
    body: `${JSON.stringify(REQUEST)}***`,
  });
  expect(problemOf(scene, plugin.id)).toBeUndefined();
  expect(scene.host.routes("other")).toEqual([]);
});

test("an answer has the status 200 and no body by default", slow, async () => {
  await using scene = startHost([await withRoute("empty", "return {};")]);
  expect(await routeOf(scene.host, "empty").answer(REQUEST, { signal })).toEqual({ type: "answer", status: 200, headers: {}, body: "" });
});

test.each([
  ["nothing", "undefined"],
  ["a text", `"x"`],
  ["a status below 200", "{ status: 199 }"],
  ["a status above 599", "{ status: 600 }"],
  ["a broken status", "{ status: 200.5 }"],
  ["a status that is no number", `{ status: "200" }`],
  ["a body that is no text", "{ body: 1 }"],
  ["headers that are none", "{ headers: null }"],
  ["a header that is no text", `{ headers: { "retry-after": 1 } }`],
])("%s is not the answer of a route, and the owner learns it", slow, async (_name, value) => {
  await using scene = startHost([await withRoute("wrong", `return ${value};`, { trusted: true })]);
  expect(await routeOf(scene.host, "wrong").answer(REQUEST, { signal })).toEqual({ type: "failed" });
  expect(problemOf(scene, "wrong")).toBe("its answer to GET /report is not that of a route");
  expect(scene.lines).toContainEqual(expect.objectContaining({ level: "warn", message: "A plugin failed" }));
});

test("a route that throws again and again is reported, and does not have the plugin rest; its log has a bound", slow, async () => {
  await using scene = startHost([await withRoute("throws", `throw new Error("no secret here");`)], {
    hideSecrets: (text) => text.replaceAll("secret", "***"),
  });
  const route = routeOf(scene.host, "throws");
  for (let count = 0; count < 250; count += 1) expect(await route.answer(REQUEST, { signal })).toEqual({ type: "failed" });
  expect(problemOf(scene, "throws")).toBe("it failed: no *** here");
  expect(scene.lines.filter(({ message }) => message === "A plugin failed")).toHaveLength(200);
  expect(textOf(await scene.call("throws"))).toBe("runs");
  expect(problemOf(scene, "throws")).toBeUndefined();
});

test("a plugin whose process ends fails, and after three times it is busy for a minute", slow, async () => {
  await using scene = startHost([await withRoute("exits", "process.exit(3);")]);
  const route = routeOf(scene.host, "exits");
  for (let count = 0; count < 3; count += 1) expect(await route.answer(REQUEST, { signal })).toEqual({ type: "failed" });
  expect(problemOf(scene, "exits")).toBe("its process ended with the code 3");
  expect(await route.answer(REQUEST, { signal })).toEqual({ type: "busy", retryAfterSeconds: 60 });
});

test("a route that hangs is late after 30 seconds, and its process is ended", slow, async () => {
  await using scene = startHost([await withRoute("hangs", `api.logger.info("began"); await new Promise(() => {});`)]);
  const answer = routeOf(scene.host, "hangs").answer(REQUEST, { signal });
  await expect.poll(() => began(scene), { timeout: 20_000 }).toBe(1);
  scene.clock.advance(29_000);
  expect(scene.running.size).toBe(1);
  scene.clock.advance(1_001);
  expect(await answer).toEqual({ type: "late" });
  expect(problemOf(scene, "hangs")).toBe("it did not answer within 30 s");
  await expect.poll(() => scene.running.size).toBe(0);
});

test("a client that leaves is told to the plugin, and its place is taken until the plugin has ended its work", slow, async () => {
  const body = `api.logger.info("began"); await new Promise((go) => signal.addEventListener("abort", go)); api.logger.info("told"); throw new Error("stopped");`;
  await using scene = startHost([await withRoute("polite", body)]);
  const client = new AbortController();
  const answer = routeOf(scene.host, "polite").answer(REQUEST, { signal: client.signal });
  await expect.poll(() => began(scene), { timeout: 20_000 }).toBe(1);
  client.abort();
  expect(await answer).toEqual({ type: "failed" });
  expect(scene.lines.some(({ message }) => message === "told")).toBe(true);
  // The client has caused that, and not the plugin.
  expect(problemOf(scene, "polite")).toBeUndefined();

  const stubborn = await withRoute("stubborn", `api.logger.info("began"); await new Promise(() => {});`);
  scene.host.apply([stubborn]);
  const other = new AbortController();
  const late = routeOf(scene.host, "stubborn").answer(REQUEST, { signal: other.signal });
  await expect.poll(() => began(scene), { timeout: 20_000 }).toBe(2);
  other.abort();
  scene.clock.advance(30_001);
  expect(await late).toEqual({ type: "late" });
});

test("requests that are too large, alone or together, do not reach the plugin", slow, async () => {
  await using scene = startHost([await withRoute("reads", `return { body: String(request.body.length) };`)]);
  const route = routeOf(scene.host, "reads");
  // As JSON a control character takes six bytes.
  expect(await route.answer({ ...REQUEST, body: "\u0001".repeat(100_000) }, { signal })).toEqual({ type: "too-large" });
  expect(scene.running.size).toBe(0);
  const body = "x".repeat(262_144);
  const all = await Promise.all([1, 2, 3].map(async () => route.answer({ ...REQUEST, body }, { signal })));
  expect(all.map(({ type }) => type)).toEqual(["answer", "answer", "busy"]);
  // Both are answered: there is room again.
  expect(await route.answer({ ...REQUEST, body }, { signal })).toMatchObject({ type: "answer", body: "262144" });
});

/** Four plugins that work on a request until their client leaves, so that no other has a process. */
async function fourBusy(): Promise<readonly InstalledPlugin[]> {
  const body = `api.logger.info("began"); await new Promise((go) => signal.addEventListener("abort", go)); return {};`;
  return Promise.all([1, 2, 3, 4].map(async (number) => withRoute(`busy-${number}`, body)));
}

test("a plugin that finds no process is busy, and is not blamed", slow, async () => {
  const busy = await fourBusy();
  await using scene = startHost([...busy, await withRoute("fifth", "return {};")]);
  const held = busy.map(async ({ id }) => routeOf(scene.host, id).answer(REQUEST, { signal }));
  await expect.poll(() => began(scene), { timeout: 30_000 }).toBe(4);
  const fifth = routeOf(scene.host, "fifth").answer(REQUEST, { signal });
  scene.clock.advance(10_001);
  expect(await fifth).toEqual({ type: "busy", retryAfterSeconds: 1 });
  expect(problemOf(scene, "fifth")).toBeUndefined();
  scene.clock.advance(20_000);
  expect((await Promise.all(held)).map(({ type }) => type)).toEqual(["late", "late", "late", "late"]);
});

test("a client that leaves while its plugin waits for a process does not end the wait for others", slow, async () => {
  const busy = await fourBusy();
  await using scene = startHost([...busy, await withRoute("fifth", `return { body: "there" };`)]);
  const holder = new AbortController();
  for (const { id } of busy) void routeOf(scene.host, id).answer(REQUEST, { signal: holder.signal });
  await expect.poll(() => began(scene), { timeout: 30_000 }).toBe(4);
  const client = new AbortController();
  const left = routeOf(scene.host, "fifth").answer(REQUEST, { signal: client.signal });
  const stays = routeOf(scene.host, "fifth").answer(REQUEST, { signal });
  client.abort();
  holder.abort();
  expect(await stays).toMatchObject({ type: "answer", body: "there" });
  expect(await left).toEqual({ type: "failed" });
  expect(problemOf(scene, "fifth")).toBeUndefined();
});

test.each([
  ["one too few", "", /it does not register GET \/report/],
  [
    "one too many",
    `api.route("GET", "/report", () => ({})); api.route("POST", "/report", () => ({}));`,
    /it registers POST \/report, which/,
  ],
  ["one twice", `api.route("GET", "/report", () => ({})); api.route("GET", "/report", () => ({}));`, /GET \/report is registered twice/],
])("routes other than the declared ones are refused: %s", slow, async (_name, registrations, problem) => {
  const code = `export const plugin = { id: "other-routes", setup(api) { ${registrations} } };`;
  await using scene = startHost([await folders.write("other-routes", code, { tools: [], routes: [REPORT] })]);
  expect(await routeOf(scene.host, "other-routes").answer(REQUEST, { signal })).toEqual({ type: "failed" });
  expect(problemOf(scene, "other-routes")).toMatch(problem);
});
