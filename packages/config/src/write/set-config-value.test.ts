import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { JsonValue } from "@factotum/agent-contract";
import { JsonParser } from "@croct/json5-parser";
import fc from "fast-check";
import JSON5 from "json5";
import { describe, expect, test, vi } from "vitest";
import { parse as parseYaml } from "yaml";
import { sampleChannels, temporaryHome, type TemporaryHome } from "../../test/sample.ts";
import { parseKeyPath, withValue, type KeyPath } from "../document/key-path.ts";
import { hashOf } from "../document/hash-of.ts";
import type { Document } from "../document/plain-object.ts";
import { loadConfig, rememberConfig } from "../load-config.ts";
import { REDACTED } from "../schema/secret.ts";
import { editText } from "./edit-text.ts";
import { changeConfig, setConfigValue, type SetConfigResult } from "./set-config-value.ts";

const CHILD = fileURLToPath(new URL("../../test/set-child.ts", import.meta.url));

const COMMENTED = `// mine
{
  // how to reach it
  gateway: { port: 18790 }, // the usual one
  agents: {
    list: [
      { id: "main" }, // first
      { id: 'coder', name: 'Coder' },
    ],
  },
}
`;

async function set(home: TemporaryHome, key: string, value: JsonValue | undefined, nowMs = 0): Promise<SetConfigResult> {
  return setConfigValue(key, value, { env: home.env, channels: sampleChannels().channels, nowMs });
}

describe("a change", () => {
  test("edits the text, keeps comments and the previous version, and reports the difference", async () => {
    await using home = await temporaryHome();
    const path = await home.write("factotum.json5", COMMENTED);
    const result = await set(home, "gateway.port", 4711);
    expect(result).toMatchObject({
      type: "written",
      path,
      keptComments: true,
      changes: [{ type: "changed", path: "gateway.port", before: 18790, after: 4711 }],
    });
    expect(await readFile(path, "utf8")).toBe(COMMENTED.replace("18790", "4711"));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    if (result.type !== "written" || result.versionPath === undefined) throw new Error("no version was kept");
    expect(await readFile(result.versionPath, "utf8")).toBe(COMMENTED);
    expect((await stat(result.versionPath)).mode & 0o777).toBe(0o600);
    expect((await readdir(home.home)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("creates the file and missing objects", async () => {
    await using home = await temporaryHome();
    expect(await set(home, 'models.providers["my.own"].api', "openai-chat")).toMatchObject({ type: "written" });
    expect(JSON5.parse(await readFile(join(home.home, "factotum.json5"), "utf8"))).toEqual({
      models: { providers: { "my.own": { api: "openai-chat" } } },
    });
  });

  test("keeps the comments of a YAML file", async () => {
    await using home = await temporaryHome();
    const path = await home.write("factotum.yaml", "# mine\ngateway:\n  port: 1 # low\n");
    await set(home, "gateway.bind", "lan");
    const text = await readFile(path, "utf8");
    expect(text).toContain("# mine");
    expect(text).toContain("# low");
    expect(parseYaml(text)).toEqual({ gateway: { port: 1, bind: "lan" } });
  });

  test("removes the key for undefined; a second time is a no-op", async () => {
    await using home = await temporaryHome();
    const path = await home.write("factotum.json5", COMMENTED);
    expect(await set(home, "agents.list[1].name", undefined)).toMatchObject({ type: "written", changes: [{ type: "removed" }] });
    expect(JSON5.parse(await readFile(path, "utf8"))).toMatchObject({ agents: { list: [{ id: "main" }, { id: "coder" }] } });
    expect(await set(home, "agents.list[1].name", undefined)).toEqual({ type: "unchanged", path });
    expect(await set(home, "gateway.port", 18790)).toEqual({ type: "unchanged", path });
  });

  test("creates missing lists, and removes an entry without the comments of others", async () => {
    await using home = await temporaryHome();
    const path = join(home.home, "factotum.json5");
    expect(await set(home, "agents.list[0].id", "main")).toMatchObject({ type: "written", path });
    expect(JSON5.parse(await readFile(path, "utf8"))).toEqual({ agents: { list: [{ id: "main" }] } });
    await home.write("factotum.json5", COMMENTED);
    expect(await set(home, "agents.list[1]", undefined)).toMatchObject({ type: "written", keptComments: true });
    expect(JSON5.parse(await readFile(path, "utf8"))).toMatchObject({ agents: { list: [{ id: "main" }] } });
    expect(await readFile(path, "utf8")).toContain("// first");
  });

  test("hides secrets in the difference", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", { gateway: { auth: { token: "canary-old" } } });
    const result = await set(home, "gateway.auth.token", "canary-new");
    expect(result).toMatchObject({ type: "written", changes: [{ before: REDACTED, after: REDACTED }] });
  });

  test("writes through a symbolic link", async () => {
    await using home = await temporaryHome();
    const target = await home.write("dotfiles/factotum.json5", "{}");
    await symlink(target, join(home.home, "factotum.json5"));
    await set(home, "gateway.port", 5);
    expect(JSON5.parse(await readFile(target, "utf8"))).toEqual({ gateway: { port: 5 } });
  });

  test("keeps the newest twenty versions", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", "{}");
    for (let port = 1; port <= 23; port += 1) await set(home, "gateway.port", port, port * 1000);
    const versions = (await readdir(join(home.home, "state/config-versions"))).sort();
    expect(versions).toHaveLength(20);
    expect(versions[0]).toMatch(/^1970-01-01T00-00-04-000Z-/);
    // The clock is set back: the previous version is kept all the same.
    const result = await set(home, "gateway.port", 24, 0);
    if (result.type !== "written" || result.versionPath === undefined) throw new Error("no version was kept");
    expect(JSON5.parse(await readFile(result.versionPath, "utf8"))).toEqual({ gateway: { port: 23 } });
  });
});

describe("refused without writing:", () => {
  test.each<[string, string, JsonValue | undefined, string]>([
    ["a value that does not fit", "gateway.port", "many", "gateway.port"],
    ["an unknown key", "gateway.prot", 1, "gateway.prot"],
    ["a channel that is not there", "channels.chater.appId", "x", "channels.chater"],
    ["a redaction mark", "gateway.auth.token", REDACTED, "gateway.auth.token"],
    ["a mark inside an object", "gateway.auth", { token: REDACTED }, "gateway.auth.token"],
    ["a mark in an address", "models.providers.x", { baseUrl: `https://${REDACTED}@host` }, "models.providers.x.baseUrl"],
    ["a hole in a list", "agents.list[7]", { id: "x" }, "agents.list[7]"],
    ["an id that is taken", "agents.list[1].id", "main", "agents.list[1].id"],
    ["an account that is not complete", "channels.chatter.appId", "x", "channels.chatter.appSecret"],
    ["no key", "a..b", 1, ""],
    ["a prototype", "gateway.__proto__.x", 1, ""],
  ])("%s", async (_, key, value, path) => {
    await using home = await temporaryHome();
    const file = await home.write("factotum.json5", COMMENTED);
    const result = await set(home, key, value);
    expect(result.type).toBe("refused");
    if (result.type === "refused") expect(result.problems.map((problem) => problem.path)).toContain(path);
    expect(await readFile(file, "utf8")).toBe(COMMENTED);
    expect(Object.prototype).not.toHaveProperty("x");
  });

  test("a change of a missing file that has a last good copy", async () => {
    await using home = await temporaryHome();
    const path = await home.write("factotum.json5", COMMENTED);
    const loaded = await loadConfig({ env: home.env, channels: sampleChannels().channels });
    if (loaded.type === "refused") throw new Error("the start was refused");
    await rememberConfig(loaded);
    await rm(path);
    expect(await set(home, "gateway.port", 1)).toMatchObject({ type: "refused", problems: [{ type: "missing" }] });
    await expect(stat(path)).rejects.toThrow("ENOENT");
  });

  test("a change of a file that cannot be read", async () => {
    await using home = await temporaryHome();
    const path = await home.write("factotum.json5", "{ broken");
    expect(await set(home, "gateway.port", 1)).toMatchObject({ type: "refused", problems: [{ type: "syntax" }] });
    expect(await readFile(path, "utf8")).toBe("{ broken");
  });
});

test("repairs one of two problems", async () => {
  await using home = await temporaryHome();
  await home.write("factotum.json5", { gateway: { port: "bad", bind: "worse" }, typo: 1 });
  expect(await set(home, "gateway.port", 5)).toMatchObject({ type: "written" });
  expect(await set(home, "gateway.port", "bad again")).toMatchObject({ type: "refused" });
  expect(await set(home, "typo", undefined)).toMatchObject({ type: "written" });
});

test("rewrites a file whose shape cannot be edited; the previous version keeps the comments", async () => {
  const text = `{ a: 1, // one\n a: 2 }`;
  const before: Document = { a: 2 };
  const result = await editText(text, "json5", { path: ["a"], value: undefined, before, after: {} });
  expect(JSON5.parse(result.text)).toEqual({});
});

test.each([
  ["{a: 1} // tail", "a", "{} // tail"],
  ["{ a: 1 } // tail", "a", "{ } // tail"],
  ["{ a: 1, b: 2 } // tail", "a", "{ b: 2 } // tail"],
  ["// head\n{a: {b: 1, /* two */ c: 2}}\n", "a.b", "// head\n{a: { /* two */ c: 2}}\n"],
  ["{a:1,/* two */b:2}", "b", "{a:1/* two */}"],
  ["{a:1 /* one, */ , /* two */ b:2}", "b", "{a:1 /* one, */  /* two */ }"],
  ["{a:1,b:2,c:3} // tail", "b", "{a:1,c:3} // tail"],
  ["{/* one */a: 1 // one, of one\n, b: 2}", "a", "{/* one */ // one, of one\n b: 2}"],
  ["{\n  // one\n  a: 1, // after\n  // two\n  b: 2\n}\n", "b", "{\n  // one\n  a: 1 // after\n  // two\n}\n"],
  ["{\n  // one\n  a: 1, // after\n  b: 2,\n  c: 3,\n}\n", "b", "{\n  // one\n  a: 1, // after\n  c: 3,\n}\n"],
  ["{\n  a: 1, // after\n  b: 2,\n}\n", "a", "{\n  // after\n  b: 2,\n}\n"],
  ["{a: [1,2] /* list */}", "a[0]", "{a: [2] /* list */}"],
  ["{a: [{id: 1}] /* list */}", "a[0]", "{a: [] /* list */}"],
  ["{a: [1,2,3] /* list */}", "a[2]", "{a: [1,2] /* list */}"],
  ["{a: [1, 2 /* of two, */, ], }", "a[1]", "{a: [1, /* of two, */ ], }"],
])("%j without %s keeps its comments", async (text, key, expected) => {
  const before = JSON5.parse<Document>(text);
  const path = parseKeyPath(key);
  const result = await editText(text, "json5", { path, value: undefined, before, after: withValue(before, path, undefined) });
  expect(result).toEqual({ keptComments: true, text: expected });
});

test("an edit changes exactly one value of any document", async () => {
  const key = fc.constantFrom("a", "b", "c d", "e.f", "port");
  const leaf: fc.Arbitrary<JsonValue> = fc.oneof(fc.integer(), fc.boolean(), fc.string(), fc.constant('it\'s "quoted"\n'));
  const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
    tree: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("tree"), { maxLength: 3 }), fc.dictionary(key, tie("tree"), { maxKeys: 3 })),
  }));
  const root = fc.dictionary(key, tree, { maxKeys: 4 });
  const printed = fc.constantFrom<(value: unknown) => string>(
    (value) => JSON.stringify(value, null, 2),
    (value) => JSON.stringify(value),
    (value) => JSON5.stringify(value, null, 2),
    (value) => `// head\n${JSON5.stringify(value, { space: "\t", quote: "'" })} // tail\n`,
  );
  await fc.assert(
    fc.asyncProperty(root, printed, fc.nat(), fc.option(tree, { nil: undefined }), key, async (document, print, pick, value, fresh) => {
      const places = placesOf(document);
      const path = places[pick % places.length] ?? [];
      const target = path.length === 0 ? [fresh] : path;
      const before = JSON5.parse<Document>(print(document));
      const after = withValue(before, target, value);
      const result = await editText(print(document), "json5", { path: target, value, before, after });
      expect(JSON5.parse(result.text)).toEqual(JSON.parse(JSON.stringify(after)));
    }),
    { numRuns: 300 },
  );
});

function placesOf(value: JsonValue, path: KeyPath = []): KeyPath[] {
  const below = Array.isArray(value)
    ? (value as readonly JsonValue[]).flatMap((entry, index) => placesOf(entry, [...path, index]))
    : typeof value === "object" && value !== null
      ? Object.entries(value as Record<string, JsonValue>).flatMap(([key, entry]) => placesOf(entry, [...path, key]))
      : [];
  return [path, ...below];
}

test("many edits are made in one tree of the text, and none of a document that is refused", async () => {
  await using home = await temporaryHome();
  await home.write("factotum.json5", COMMENTED);
  const parse = vi.spyOn(JsonParser, "parse");
  const how = { env: home.env, channels: sampleChannels().channels, isDryRun: true, showsText: true };
  const edits = (root: KeyPath, value: JsonValue) => Array.from({ length: 100 }, (_, index) => ({ path: [...root, `key${index}`], value }));
  expect(await changeConfig(() => edits([], 1), how)).toMatchObject({ type: "refused" });
  expect(parse).not.toHaveBeenCalled();
  const provider = { api: "openai-chat", baseUrl: "http://127.0.0.1:1", apiKey: "sk-0123456789" };
  const written = await changeConfig(() => edits(["models", "providers"], provider), how);
  expect(written).toMatchObject({ type: "written", keptComments: true, shown: expect.stringContaining("// the usual one") as string });
  // One for the edits, one to hide the secrets.
  expect(parse.mock.calls.length).toBeLessThanOrEqual(2);
});

test("serialises concurrent changes without losing one", async () => {
  await using home = await temporaryHome();
  const path = await home.write("factotum.json5", COMMENTED);
  const results = await Promise.all([
    ...Array.from({ length: 12 }, (_, index) => set(home, `models.providers.p${index}.api`, "openai-chat", index)),
    set(home, "gateway.port", 4711),
  ]);
  expect(results.map(({ type }) => type)).toEqual(Array.from({ length: 13 }, () => "written"));
  const after = JSON5.parse<{ gateway: unknown; models: { providers: object } }>(await readFile(path, "utf8"));
  expect(Object.keys(after.models.providers)).toHaveLength(12);
  expect(after.gateway).toEqual({ port: 4711 });
});

test.each(["makes", "changes"])("a file that somebody %s in between is not overwritten", async (how) => {
  await using home = await temporaryHome();
  const path = how === "makes" ? join(home.home, "factotum.json5") : await home.write("factotum.json5", "{}");
  const channels = sampleChannels().channels.map((source) => ({
    ...source,
    load: async () => {
      await writeFile(path, "{ gateway: { port: 9 } }");
      return source.load();
    },
  }));
  const account = { appId: "a", appSecret: "b", transport: { type: "websocket" } };
  expect(await setConfigValue("channels.chatter", account, { env: home.env, channels })).toMatchObject({ type: "refused" });
  expect(await readFile(path, "utf8")).toBe("{ gateway: { port: 9 } }");
});

test("leaves the old or the new file intact after a kill, and no stale lock", { timeout: 120_000 }, async () => {
  await using home = await temporaryHome();
  const path = await home.write("factotum.json5", "{ gateway: { port: 1 } }");
  let port = 1;
  for (let kill = 0; kill < 6; kill += 1) {
    const child = spawn(process.execPath, ["--conditions=factotum-source", CHILD, home.home, String(port)], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let complaint = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
    const ended = once(child, "close");
    let lines = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      port = Number(line);
      lines += 1;
      // Each time at another moment after the same output.
      if (lines === 3) setTimeout(() => child.kill("SIGKILL"), kill);
    }
    await ended;
    expect(complaint).toBe("");
    const after = JSON5.parse<{ gateway: { port: number } }>(await readFile(path, "utf8"));
    expect([port, port + 1]).toContain(after.gateway.port);
    port = after.gateway.port;
  }
  expect(port).toBeGreaterThan(18);
  expect(await set(home, "gateway.bind", "lan")).toMatchObject({ type: "written" });
});

describe("several changes for one version of the file", () => {
  const options = (home: TemporaryHome): Pick<Parameters<typeof changeConfig>[1], "env" | "channels"> => ({
    env: home.env,
    channels: sampleChannels().channels,
  });
  const edits = (): ReturnType<Parameters<typeof changeConfig>[0]> => [
    { path: ["gateway", "port"], value: 4711 },
    { path: ["agents", "list", 1, "name"], value: undefined },
  ];

  test("are one write, with all differences and the comments", async () => {
    await using home = await temporaryHome();
    const path = await home.write("factotum.json5", COMMENTED);
    const result = await changeConfig(edits, { ...options(home), base: hashOf(COMMENTED).slice(0, 16) });
    expect(result).toMatchObject({
      type: "written",
      keptComments: true,
      changes: expect.arrayContaining([
        { type: "changed", path: "gateway.port", before: 18790, after: 4711 },
        { type: "removed", path: "agents.list[1].name", before: "Coder" },
      ]) as unknown,
    });
    expect(await readFile(path, "utf8")).toMatch(/port: 4711 \}, \/\/ the usual one[^]*\{ id: 'coder' \}/);
  });

  test.each(["", "0000", hashOf("another text")])("are refused with the base %j", async (base) => {
    await using home = await temporaryHome();
    const path = await home.write("factotum.json5", COMMENTED);
    expect(await changeConfig(edits, { ...options(home), base })).toMatchObject({
      type: "refused",
      problems: [{ message: expect.stringContaining("has changed since it was read; read it again") as string }],
    });
    expect(await readFile(path, "utf8")).toBe(COMMENTED);
  });

  test("are only planned in a dry run, which finds the same problems", async () => {
    await using home = await temporaryHome();
    const path = await home.write("factotum.json5", COMMENTED);
    expect(await changeConfig(edits, { ...options(home), isDryRun: true })).toMatchObject({ type: "written" });
    const wrong = (): ReturnType<typeof edits> => [...edits(), { path: ["gateway", "bind"], value: 1 }];
    expect(await changeConfig(wrong, { ...options(home), isDryRun: true })).toMatchObject({
      type: "refused",
      problems: [{ path: "gateway.bind" }],
    });
    expect(await readFile(path, "utf8")).toBe(COMMENTED);
  });
});
