import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../test/host.ts";
import { PluginFolders } from "../test/plugins.ts";
import type { ModelFetchInit } from "./fetch-models.ts";
import type { InstalledPlugin, PluginHost } from "./index.ts";

let folders: PluginFolders;
beforeAll(async () => {
  folders = await PluginFolders.create();
});
afterAll(async () => folders[Symbol.asyncDispose]());

const slow = { timeout: 60_000 };

/** A plugin whose models answer with this body of a generator, with `request`, `signal` and `api`. */
async function withModels(id: string, body: string, parts: Partial<InstalledPlugin> = {}): Promise<InstalledPlugin> {
  const code = `export const plugin = { id: "${id}", setup(api) { api.models(async function* (request, { signal }) { ${body} }); } };`;
  return folders.write(id, code, { tools: [], roles: ["models"], ...parts });
}

function ask(host: PluginHost, id: string, init: ModelFetchInit = {}): ReadableStreamDefaultReader<Uint8Array> {
  const answer = host.fetchModels(id, { body: JSON.stringify({ model: "one", messages: [] }), ...init });
  if (answer?.body === null || answer === undefined) throw new Error("no answer");
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  return answer.body.getReader();
}

async function allOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<readonly string[]> {
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += new TextDecoder().decode(part.value);
  return text
    .split("\n\n")
    .filter((line) => line !== "")
    .map((line) => line.replace(/^data: /, ""));
}

test.each([false, true])("the pieces of an answer come in their order (trusted: %s)", slow, async (trusted) => {
  const plugin = await withModels(`counts-${trusted}`, `for (let n = 0; n < 200; n += 1) yield { n, model: request.model };`, { trusted });
  await using scene = startHost([plugin]);
  const pieces = await allOf(ask(scene.host, plugin.id));
  expect(pieces).toEqual([...Array.from({ length: 200 }, (_, n) => `{"n":${n},"model":"one"}`), "[DONE]"]);
  expect(scene.host.fetchModels("other", { body: "{}" })).toBeUndefined();
});

test("a plugin is held back while its answer is not read", slow, async () => {
  const body = `for (let n = 0; n < (request.short ? 1 : 1_000); n += 1) { if (!request.short) await api.state.set("n", n); yield { n }; }`;
  const plugin = await withModels("fast", body);
  const stored: unknown[] = [];
  const rows = { get: async () => undefined, keys: async () => [], delete: async () => undefined };
  await using scene = startHost([plugin], { rowsOf: () => ({ ...rows, set: async (_key, value) => void stored.push(value) }) });
  const reader = ask(scene.host, "fast");
  await reader.read();
  // 32 on their way, and the one that was read.
  await expect.poll(() => stored.length).toBe(33);
  // What it had still written came before this answer.
  expect(await allOf(ask(scene.host, "fast", { body: '{"short":true}' }))).toHaveLength(2);
  expect(stored).toHaveLength(33);
  expect(await allOf(reader)).toHaveLength(1_000);
});

test.each([
  [
    "with-status",
    `throw Object.assign(new Error("wrong key"), { status: 401 });`,
    '{"error":{"message":"it failed: wrong key","code":401}}',
  ],
  ["without-status", `throw new Error("no idea");`, '{"error":{"message":"it failed: no idea","code":null}}'],
  ["no-json", `yield { a: 1n };`, '{"error":{"message":"it failed: Do not know how to serialize a BigInt","code":null}}'],
  [
    "large",
    `yield { a: "x".repeat(300_000) };`,
    '{"error":{"message":"it failed: a piece of its answer has 300008 characters, and 200000 are allowed","code":null}}',
  ],
  ["exits", `yield { n: 1 }; process.exit(3);`, '{"error":{"message":"its process ended with the code 3","code":503}}'],
])("an answer that fails ends with an error: %s", slow, async (id, body, last) => {
  await using scene = startHost([await withModels(id, body)]);
  expect((await allOf(ask(scene.host, id))).at(-1)).toBe(last);
});

test("an error gives no secret away", slow, async () => {
  const plugin = await withModels("tells", `throw Object.assign(new Error("wrong key " + api.secrets.KEY), { status: 401 });`, {
    secrets: ["KEY"],
  });
  const hideSecrets = (text: string): string => text.replaceAll("s3cret", "***");
  await using scene = startHost([plugin], { readSecret: async () => "s3cret", hideSecrets });
  expect(await allOf(ask(scene.host, "tells"))).toEqual(['{"error":{"message":"it failed: wrong key ***","code":401}}']);
});

test("a plugin that does not register the models of its manifest, or others, is not used", slow, async () => {
  const silent = await folders.write("silent", `export const plugin = { id: "silent", setup() {} };`, { tools: [], roles: ["models"] });
  const loud = await withModels("loud", `yield {};`, { roles: [] });
  await using scene = startHost([silent, loud]);
  expect(await allOf(ask(scene.host, "silent"))).toEqual(['{"error":{"message":"it does not register its models","code":503}}']);
  expect(scene.host.fetchModels("loud", { body: "{}" })).toBeUndefined();
});

test("an answer that is no longer awaited, or too large, ends in the plugin", slow, async () => {
  const body = `try { for (let n = 0; ; n += 1) yield { n }; } finally { await api.state.set("ended", signal.aborted); }`;
  const plugin = await withModels("endless", body);
  const stored: unknown[] = [];
  const rows = { get: async () => undefined, keys: async () => [], delete: async () => undefined };
  await using scene = startHost([plugin], { rowsOf: () => ({ ...rows, set: async (_key, value) => void stored.push(value) }) });
  const stop = new AbortController();
  const reader = ask(scene.host, "endless", { signal: stop.signal });
  await reader.read();
  stop.abort(new Error("stopped"));
  await expect(allOf(reader)).rejects.toThrow("stopped");
  await expect.poll(() => stored).toEqual([true]);

  const left = ask(scene.host, "endless");
  await left.read();
  await left.cancel();
  await expect.poll(() => stored).toEqual([true, true]);

  let bytes = 0;
  const checkBody = (piece: Uint8Array): Error | undefined => ((bytes += piece.byteLength) > 100 ? new Error("too much") : undefined);
  await expect(allOf(ask(scene.host, "endless", { checkBody }))).rejects.toThrow("too much");
  await expect.poll(() => stored).toEqual([true, true, true]);
  expect(scene.host.sources()[0]?.problem).toBeUndefined();
});

test("a request for embeddings is answered with a vector for each text, and a failure with its status", slow, async () => {
  const body = `
    if (request.input.includes("")) throw Object.assign(new Error("a text is empty"), { status: 400 });
    for (const text of request.input) yield { embedding: [text.length, 1] };`;
  await using scene = startHost([await withModels("vectors", body)]);
  const embed = async (input: readonly string[], init: ModelFetchInit = {}) =>
    scene.host.fetchEmbeddings("vectors", { body: JSON.stringify({ model: "one", input }), ...init });
  const answer = await embed(["a", "bcd"]);
  expect(await answer?.json()).toEqual({
    object: "list",
    model: "one",
    data: [
      { object: "embedding", index: 0, embedding: [1, 1] },
      { object: "embedding", index: 1, embedding: [3, 1] },
    ],
  });
  const refused = await embed(["a", ""]);
  expect(refused?.status).toBe(400);
  expect(await refused?.json()).toEqual({ error: { message: "it failed: a text is empty", code: 400 } });
  await expect(embed(["a"], { checkBody: () => new Error("too large") })).rejects.toThrow("too large");
  expect(scene.host.fetchEmbeddings("other", { body: "{}" })).toBeUndefined();
});
