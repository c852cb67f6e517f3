import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../test/host.ts";
import { PluginFolders } from "../test/plugins.ts";
import type { InstalledPlugin, PluginHost } from "./index.ts";

let folders: PluginFolders;
beforeAll(async () => {
  folders = await PluginFolders.create();
});
afterAll(async () => folders[Symbol.asyncDispose]());

const slow = { timeout: 60_000 };
const signal = new AbortController().signal;

/** A plugin whose memory has these bodies, with `query` and `where`. */
async function withMemory(
  id: string,
  search: string,
  get = "return null;",
  parts: Partial<InstalledPlugin> = {},
): Promise<InstalledPlugin> {
  const memory = `{ async search(query) { ${search} }, async get(where) { ${get} } }`;
  const code = `export const plugin = { id: "${id}", setup(api) { api.memory(${memory}); } };`;
  return folders.write(id, code, { tools: [], roles: ["memory"], ...parts });
}

function memoryOf(host: PluginHost, id: string): NonNullable<ReturnType<PluginHost["memory"]>> {
  const memory = host.memory(id);
  if (memory === undefined) throw new Error("no memory");
  return memory;
}

const QUERY = { query: "tea", maxResults: 2, minScore: 0.2, sources: ["notes"] } as const;

test.each([
  [false, "untrusted"],
  [true, "agent"],
])("hits and passages of a plugin whose trust is %s are of the origin %s", slow, async (trusted, origin) => {
  const hit = `{ path: "a", startLine: 1, endLine: 2, text: query.query + query.agentId + query.maxResults, score: 5, day: "2026-01-02" }`;
  const passage = `{ text: JSON.stringify(where), startLine: 3, endLine: 4, isCut: true }`;
  const plugin = await withMemory(`good-${trusted}`, `return [${hit}];`, `return ${passage};`, { trusted });
  await using scene = startHost([plugin]);
  const memory = memoryOf(scene.host, plugin.id);
  const facts = { path: "a", startLine: 1, endLine: 2, text: "teamain2", score: 1, source: "notes", origin, day: "2026-01-02" };
  expect(await memory.search(QUERY, { agentId: "main", signal })).toEqual({ hits: [facts] });
  expect(await memory.get({ path: "a", from: 3, lines: 2 }, { agentId: "main", signal })).toEqual({
    type: "found",
    path: "a",
    startLine: 3,
    endLine: 4,
    text: '{"path":"a","from":3,"lines":2,"agentId":"main"}',
    origin,
    isCut: true,
  });
  expect(await memory.status({ agentId: "main", signal })).toEqual({
    provider: `plugin ${plugin.id}`,
    works: true,
    files: 0,
    chunks: 0,
    problems: [],
  });
  expect(scene.host.memory("other")).toBeUndefined();
});

test("what is no hit is left out, and so is one too many, too low, or with control characters in its path", slow, async () => {
  const hits = `const hit = { path: "a", startLine: 1, endLine: 1, text: "x", score: 1 };
    return [7, { ...hit, path: "a\\nb" }, { ...hit, path: "" }, { ...hit, startLine: 0 }, { ...hit, endLine: 0 }, { ...hit, text: 1 },
      { ...hit, score: "1" }, { ...hit, score: 0.1 }, { ...hit, path: "one", day: "today" }, { ...hit, path: "two" }, { ...hit, path: "three" }];`;
  await using scene = startHost([await withMemory("mixed", hits, "return { text: 1 };")], {
    hideSecrets: (text) => text.replace("two", "***"),
  });
  const memory = memoryOf(scene.host, "mixed");
  const { hits: found } = await memory.search(QUERY, { agentId: "main", signal });
  expect(found.map(({ path, day }) => [path, day])).toEqual([
    ["one", undefined],
    ["***", undefined],
  ]);
  expect(await memory.get({ path: "a", from: 1, lines: 1 }, { agentId: "main", signal })).toEqual({
    type: "not-found",
    message: "The memory has no a.",
  });
});

test.each([
  ["throws", `throw new Error("no index");`, "it failed: no index"],
  ["hangs", "await new Promise(() => {});", "it did not answer within 2 s"],
  ["exits", "process.exit(3);", "its process ended with the code 3"],
])("a memory that %s is an answer that says so", slow, async (id, body, told) => {
  await using scene = startHost([await withMemory(id, body, body)]);
  const memory = memoryOf(scene.host, id);
  const answer = await memory.search(QUERY, { agentId: "main", signal });
  expect(answer.hits).toEqual([]);
  expect(answer.degraded).toContain(told);
  expect(await memory.get({ path: "a", from: 1, lines: 1 }, { agentId: "main", signal })).toMatchObject({ type: "not-found" });
  expect(await memory.status({ agentId: "main", signal })).toMatchObject({ works: false, problems: [expect.any(String)] });
});

test("a plugin that is no memory by its manifest, or registers none, is not used as one", slow, async () => {
  const silent = await folders.write("silent-memory", `export const plugin = { id: "silent-memory", setup() {} };`, {
    tools: [],
    roles: ["memory"],
  });
  await using scene = startHost([silent, await withMemory("plain", "return [];", "return null;", { roles: [] })]);
  const { degraded } = await memoryOf(scene.host, "silent-memory").search(QUERY, { agentId: "main", signal });
  expect(degraded).toContain("it does not register its memory");
  expect(scene.host.memory("plain")).toBeUndefined();
});
