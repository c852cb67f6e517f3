import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startHost, textOf } from "../test/host.ts";
import { memoryRows, PluginFolders, toolCode } from "../test/plugins.ts";
import { isHost, type PluginFetch } from "./index.ts";

let folders: PluginFolders;
beforeAll(async () => {
  folders = await PluginFolders.create();
});
afterAll(async () => folders[Symbol.asyncDispose]());

const slow = { timeout: 60_000 };

test("nothing is started, and no code read, before the first call", slow, async () => {
  await using running = startHost([{ ...(await folders.write("absent", "")), folder: "/nowhere", entry: "/nowhere/index.js" }]);
  expect(running.host.sources()[0]?.tools.map(({ name }) => name)).toEqual(["absent_run"]);
  expect(running.host.alive).toBe(0);
  expect(textOf(await running.call("absent"))).toContain("The plugin absent did not do it");
});

test("its process reads its own package and its dependencies, and has no variable and no program of the gateway", slow, async () => {
  const plugin = await folders.write(
    "reads",
    toolCode(
      `const attempt = async (work) => { try { return await work(); } catch (error) { return error.code; } };
       const { readFileSync, writeFileSync } = await import("node:fs");
       const { execSync } = await import("node:child_process");
       return JSON.stringify([
         await attempt(() => readFileSync(new URL("data.txt", import.meta.url), "utf8")),
         await attempt(async () => (await import("helper")).word),
         await attempt(() => readFileSync("/etc/hostname", "utf8")),
         await attempt(() => import(new URL("../stranger/index.js", import.meta.url).href)),
         await attempt(() => writeFileSync(new URL("new.txt", import.meta.url), "x")),
         await attempt(() => execSync("id")),
         await attempt(() => import("node:sqlite")),
         Object.keys(process.env),
       ]);`,
    ),
  );
  await folders.write("helper", `export const word = "helped";`);
  await folders.write("stranger", `export const word = "strange";`);
  await writeFile(join(plugin.folder, "data.txt"), "data");
  await writeFile(
    join(plugin.folder, "package.json"),
    JSON.stringify({ name: "reads", type: "module", dependencies: { helper: "1.0.0" } }),
  );
  await using running = startHost([plugin]);
  const refused = "ERR_ACCESS_DENIED";
  expect(JSON.parse(textOf(await running.call("reads")))).toEqual([
    "data",
    "helped",
    refused,
    refused,
    refused,
    refused,
    "ERR_UNKNOWN_BUILTIN_MODULE",
    [],
  ]);
});

test("reads the workspaces that it may read, by their real paths, and changes none", slow, async () => {
  const workspace = join(folders.root, "workspace");
  await mkdir(workspace);
  await writeFile(join(workspace, "note.md"), "from the workspace");
  await symlink(workspace, join(folders.root, "link"));
  const plugin = await folders.write(
    "reader",
    toolCode(
      `const { readFileSync, writeFileSync } = await import("node:fs");
       const attempt = (work) => { try { return work(); } catch (error) { return error.code; } };
       const { main = "none", ...others } = api.workspaces;
       return JSON.stringify([Object.keys(others), attempt(() => readFileSync(main + "/note.md", "utf8")), attempt(() => writeFileSync(main + "/new.md", "x"))]);`,
    ),
    { workspaces: { main: join(folders.root, "link"), absent: join(folders.root, "absent") } },
  );
  await using running = startHost([plugin]);
  expect(JSON.parse(textOf(await running.call("reader")))).toEqual([[], "from the workspace", "ERR_ACCESS_DENIED"]);
  expect(running.lines).toEqual([]);
});

test.each([
  { mayRun: true, reason: undefined, says: "ran" },
  { mayRun: true, reason: "nothing holds them", says: "ERR_ACCESS_DENIED" },
  { mayRun: false, reason: undefined, says: "ERR_ACCESS_DENIED" },
])("runs programs if it may, and something holds them: %j", slow, async ({ mayRun, reason, says }) => {
  const code = toolCode(
    `const { execFileSync } = await import("node:child_process");
     try { return execFileSync("/bin/echo", ["ran"], { encoding: "utf8" }).trim(); } catch (error) { return error.code; }`,
  );
  await using running = startHost([await folders.write("runner", code, { mayRun })], { whyNoPrograms: async () => reason });
  expect(textOf(await running.call("runner"))).toBe(says);
  const told = running.lines.filter(({ message }) => message === "A plugin may run no programs here");
  expect(told.map(({ fields }) => fields)).toEqual(reason === undefined ? [] : [{ plugin: "runner", reason }]);
});

test("the answers of its hooks give no secret away, however deep it is in them", slow, async () => {
  const plugin = await folders.write(
    "tells",
    `export const plugin = { id: "tells", setup(api) {
       api.hook("before_tool_call", ({ tool }) => tool === "exec" ? { deny: "it is " + api.secrets.KEY } : { arguments: { list: [api.secrets.KEY], count: 1 } });
     } };`,
    { tools: [], hooks: [{ name: "before_tool_call" }], secrets: ["KEY"] },
  );
  const hideSecrets = (text: string): string => text.replaceAll("s3cret", "***");
  await using running = startHost([plugin], { readSecret: async () => "s3cret", hideSecrets });
  const [hooks] = running.host.hooks();
  const place = { agentId: "main", sessionKey: "agent:main:main", owner: true };
  const call = async (tool: string): Promise<unknown> =>
    hooks?.call(
      "before_tool_call",
      { ...place, callId: "c", tool, arguments: {}, tainted: false },
      { signal: new AbortController().signal },
    );
  expect(await call("exec")).toEqual({ deny: "it is ***" });
  expect(await call("read")).toEqual({ arguments: { list: ["***"], count: 1 } });
});

test("keeps state within its limits, and gets its settings and the secrets that it declares", slow, async () => {
  const rows = memoryRows();
  const plugin = await folders.write(
    "keeps",
    `export const plugin = { id: "keeps", setup(api) { api.tool("run", async ({ size = 1 }) => {
       const count = ((await api.state.get("count")) ?? 0) + 1;
       await api.state.set("count", count);
       const tooLarge = await api.state.set("large", "x".repeat(size)).then(() => "kept", (error) => error.message);
       return JSON.stringify({ count, tooLarge, keys: await api.state.keys(), config: api.config, secrets: api.secrets });
     }); } };`,
    { config: { city: "Ghent" }, secrets: ["KEY", "MISSING"] },
  );
  await using running = startHost([plugin], { rowsOf: () => rows, readSecret: async (name) => (name === "KEY" ? "s3cret" : undefined) });
  const answer = { config: { city: "Ghent" }, secrets: { KEY: "s3cret" }, keys: ["count", "large"] };
  expect(JSON.parse(textOf(await running.call("keeps")))).toEqual({ count: 1, tooLarge: "kept", ...answer });
  expect(JSON.parse(textOf(await running.call("keeps", { size: 65_536 })))).toEqual({
    count: 2,
    tooLarge: "the value has 65538 characters, and 65536 are allowed",
    ...answer,
  });
});

test("writes at the same time cannot pass the limit of rows together", slow, async () => {
  const rows = memoryRows();
  for (let row = 0; row < 995; row += 1) await rows.set(`old-${row}`, row);
  const code = toolCode(`
    const writes = Array.from({ length: 20 }, (_, row) => api.state.set("new-" + row, row));
    const ends = await Promise.allSettled(writes);
    const reasons = new Set(ends.flatMap(({ reason }) => (reason === undefined ? [] : [reason.message])));
    return ends.filter(({ status }) => status === "fulfilled").length + " " + [...reasons].join();`);
  await using running = startHost([await folders.write("hoarder", code)], { rowsOf: () => rows });
  expect(textOf(await running.call("hoarder"))).toBe("5 the state has 1000 rows, and no more are allowed");
  expect(await rows.keys("")).toHaveLength(1_000);
});

test("requests only the hosts of its manifest, redirects included", slow, async () => {
  const asked: PluginFetch[] = [];
  const plugin = await folders.write(
    "fetches",
    toolCode(`return await fetch_(args.url);`).replace(
      "setup(api) {",
      "setup(api) { const fetch_ = async (url) => api.fetch(url, { headers: { accept: 'text/plain' } }).then((r) => r.status + ' ' + r.text, (e) => 'refused: ' + e.message);",
    ),
    { hosts: ["api.example.org"] },
  );
  await using running = startHost([plugin], {
    fetch: async (request, allows) => {
      asked.push(request);
      if (!allows(new URL("https://other.example.org/")))
        return { status: 200, url: request.url, contentType: "text/plain", text: "hello", isCut: false };
      throw new Error("it may go anywhere");
    },
  });
  expect(textOf(await running.call("fetches", { url: "https://api.example.org/x" }))).toBe("200 hello");
  expect(textOf(await running.call("fetches", { url: "https://other.example.org/x" }))).toBe(
    "refused: the manifest has no permission network:other.example.org",
  );
  expect(asked).toMatchObject([{ url: "https://api.example.org/x", method: "GET", headers: { accept: "text/plain" } }]);
});

test("a request of a plugin ends with its process", slow, async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  const plugin = await folders.write("waits", toolCode(`await api.fetch("https://api.example.org/x");`), { hosts: ["api.example.org"] });
  await using running = startHost([plugin], {
    fetch: async ({ signal }) => {
      asked.resolve(signal);
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("ended"))));
    },
  });
  const called = running.call("waits");
  const signal = await asked.promise;
  expect(signal.aborted).toBe(false);
  running.host.apply([]);
  expect(textOf(await called)).toContain("switched off");
  expect(signal.aborted).toBe(true);
});

test("32 requests of a plugin wait at once, and no more", slow, async () => {
  const code = toolCode(`
    const asked = Array.from({ length: 40 }, (_, row) => api.state.get("row-" + row).catch((error) => error.message));
    console.log((await Promise.all(asked.slice(32))).join());
    return String(await Promise.all(asked.slice(0, 32)));`);
  const answer = Promise.withResolvers<number>();
  await using running = startHost([await folders.write("greedy", code)], {
    rowsOf: () => ({ ...memoryRows(), get: async () => answer.promise }),
  });
  const called = running.call("greedy");
  const refused = Array.from({ length: 8 }, () => "more than 32 requests wait").join();
  await expect.poll(() => running.lines.map(({ message }) => message), { timeout: 20_000 }).toContain(refused);
  answer.resolve(1);
  expect(textOf(await called)).toBe(Array.from({ length: 32 }, () => "1").join());
});

test.each([
  ["https://a.example.org/", "a.example.org", true],
  ["https://a.example.org/", "*.example.org", true],
  ["https://example.org/", "*.example.org", false],
  ["https://evilexample.org/", "*.example.org", false],
  ["https://a.example.org:8443/", "a.example.org", false],
  ["https://a.example.org:8443/", "a.example.org:8443", true],
  ["http://a.example.org/", "a.example.org:443", false],
  ["https://b.example/", "*", true],
])("%s is %s: %s", (url, host, expected) => {
  expect(isHost(new URL(url), host)).toBe(expected);
});

test("a handler of a hook answers, and its failure is the plugin's", slow, async () => {
  const plugin = await folders.write(
    "watches",
    `export const plugin = { id: "watches", setup(api) { api.hook("before_tool_call", ({ tool }) => { if (tool === "exec") throw new Error("no opinion"); return { deny: tool }; }); } };`,
    { tools: [], hooks: [{ name: "before_tool_call", priority: 5 }] },
  );
  await using running = startHost([plugin]);
  const [hooks] = running.host.hooks();
  expect(hooks).toMatchObject({ owner: "plugin watches", trusted: false, hooks: [{ name: "before_tool_call", priority: 5 }] });
  const payload = { agentId: "main", sessionKey: "s", owner: true, callId: "1", arguments: {}, tainted: false };
  const { signal } = new AbortController();
  expect(await hooks?.call("before_tool_call", { ...payload, tool: "read" }, { signal })).toEqual({ deny: "read" });
  await expect(hooks?.call("before_tool_call", { ...payload, tool: "exec" }, { signal })).rejects.toThrow("it failed: no opinion");
  expect(running.host.sources()[0]?.problem).toBe("it failed: no opinion");
});

test("a stopped call is cancelled, and the plugin goes on", slow, async () => {
  const code = toolCode(
    `if (!args.wait) return String(globalThis.cancelled); console.log("waits"); await new Promise((go) => call.signal.addEventListener("abort", go)); globalThis.cancelled = true;`,
  );
  await using running = startHost([await folders.write("waits", code)]);
  const stop = new AbortController();
  const called = running.call("waits", { wait: true }, { signal: stop.signal });
  await expect.poll(() => running.lines.map(({ message }) => message), { timeout: 20_000 }).toContain("waits");
  stop.abort();
  expect(textOf(await called)).toContain("the call was stopped");
  // The plugin may read the next call before it goes on.
  await expect.poll(async () => textOf(await running.call("waits"))).toBe("true");
});

test("tools act for the owner alone, and an isolated plugin's word counts for nothing", slow, async () => {
  const read = { name: "run", description: "Reads. Slowly.", parameters: {}, effect: "read" } as const;
  const isolated = await folders.write("plain", toolCode(`return "ran";`), { tools: [read] });
  const trusted = await folders.write("inside", toolCode(`return String(process.pid);`), { tools: [read], trusted: true });
  await using running = startHost([isolated, trusted]);
  const [inside, plain] = running.host.sources().map(({ tools }) => tools[0]);
  expect(plain).toMatchObject({ summary: "", traits: { effect: "write", network: true, output: "untrusted" } });
  expect(inside).toMatchObject({ summary: "Reads.", traits: { effect: "read", network: false, output: "trusted" } });
  expect(textOf(await running.call("plain", {}, { owner: false }))).toContain("act for the owner alone");
  expect(running.running.size).toBe(0);
  // In this process, and so without one of its own.
  expect(textOf(await running.call("inside"))).toBe(String(process.pid));
  expect(running.host.alive).toBe(0);
});

describe("apply", () => {
  test("keeps what is the same, and stops the rest", slow, async () => {
    const [kept, gone] = [
      await folders.write("kept", toolCode(`return String(process.pid);`)),
      await folders.write("gone", toolCode(`return "x";`)),
    ];
    await using running = startHost([kept, gone]);
    const before = textOf(await running.call("kept"));
    await running.call("gone");
    running.host.apply([{ ...kept }]);
    await expect.poll(() => running.running.size).toBe(1);
    expect(textOf(await running.call("kept"))).toBe(before);
    running.host.apply([{ ...kept, config: { other: true } }]);
    expect(textOf(await running.call("kept"))).not.toBe(before);
  });
});
