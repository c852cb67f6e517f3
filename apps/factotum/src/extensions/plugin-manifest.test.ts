import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FoundPlugin } from "./found-extensions.ts";
import { parseManifest } from "./manifest.ts";
import { stoppedHooks } from "./stopped-hooks.ts";
import { usablePlugins, type UsablePlugins } from "./usable-plugins.ts";

const tool = { name: "count", description: "Counts.", parameters: { type: "object" } };
const tools = { type: "tools", id: "counter", entry: "./index.mjs", tools: [tool] };
const hooks = { type: "hooks", id: "counter", entry: "./index.mjs", hooks: [{ name: "agent_end", priority: 3 }] };
const models = { type: "models", id: "counter", entry: "./index.mjs", models: [{ id: "large", contextWindow: 128_000 }] };
const command = { name: "count-all", description: "Counts all." };
const commands = { type: "commands", id: "counter", entry: "./index.mjs", commands: [command] };
const read = (...provides: readonly object[]): ReturnType<typeof parseManifest> =>
  parseManifest({ name: "counter", version: "1.0.0", factotum: { api: 1, provides } });

test("reads tools, hooks, models and commands of one plugin", () => {
  expect(read(tools, hooks, models, commands)).toMatchObject({
    type: "manifest",
    manifest: { provides: [{ ...tools, tools: [{ ...tool, effect: "write" }] }, hooks, models, commands] },
  });
});

test.each([
  [[{ ...tools, id: "Counter" }], "id: lower-case letters"],
  [[{ ...tools, entry: "./../x.mjs" }], "entry: the path leaves the package"],
  [[{ ...tools, tools: [] }], "tools: the list is empty"],
  [[{ ...tools, tools: [tool, tool] }], "tools: two tools have the same name"],
  [[{ ...tools, id: "web", tools: [{ ...tool, name: "search" }] }], "tools: the id and the name of a tool together"],
  [[{ ...tools, id: "lsp", tools: [{ ...tool, name: "look" }] }], "tools: the id and the name of a tool together"],
  [[{ ...tools, tools: [{ ...tool, name: "mcp-x" }] }], "tools[0].name: lower-case letters, digits and _"],
  [[{ ...tools, tools: [{ ...tool, parameters: { type: "string" } }] }], 'tools[0].parameters: a JSON Schema of the type "object"'],
  [[{ ...tools, tools: [{ ...tool, parameters: { type: "object", title: "x".repeat(9_000) } }] }], "at most 8192 characters"],
  [[{ ...hooks, hooks: [{ name: "before_breakfast" }] }], "hooks[0].name: one of message_received, "],
  [[{ ...hooks, hooks: [{ name: "agent_end" }, { name: "agent_end" }] }], "hooks: a hook is listed twice"],
  [[{ ...models, id: "openai" }], "id: this is the name of a provider that the product knows"],
  [[{ ...models, models: [] }], "models: the list is empty"],
  [[{ ...models, models: [{ id: "large\n\u001B[2K" }] }], "models: the id of a model has letters, digits"],
  [[{ ...models, models: [{ id: "large" }, { id: "large" }] }], "models: two models have the same id"],
  [[{ ...models, models: [{ id: "large", contextWindow: -1 }] }], "models[0].contextWindow: "],
  [[{ ...commands, commands: [] }], "commands: the list is empty"],
  [[{ ...commands, commands: [{ name: "/todo", description: "x" }] }], "commands[0].name: lower-case letters and digits"],
  [[{ ...commands, commands: [{ name: "todo", description: "two\nlines" }] }], "commands[0].description: a text of one line"],
  [[{ ...commands, commands: [command, command] }], "commands: two commands have the same name"],
  [[tools, { ...models, entry: "./other.mjs" }], "the entries of the plugin counter differ in entry or configSchema"],
  [[tools, { ...hooks, entry: "./other.mjs" }], "the entries of the plugin counter differ in entry or configSchema"],
  [[tools, tools], "the plugin counter has two entries of the type tools"],
])("refuses %j", (provides, problem) => {
  expect(read(...provides)).toMatchObject({ type: "invalid", problems: [expect.stringContaining(problem) as string] });
});

describe("which plugins are used", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "factotum-usable-"));
    const schema = { type: "object", properties: { word: { type: "string" } }, additionalProperties: false };
    await writeFile(join(folder, "config.json"), JSON.stringify(schema));
  });
  afterAll(async () => rm(folder, { recursive: true, force: true }));

  const found = (id: string, parts: Partial<FoundPlugin> = {}): FoundPlugin => ({
    id,
    packageName: id,
    version: "1.0.0",
    folder,
    entry: join(folder, "index.mjs"),
    tools: [],
    hooks: [],
    models: [],
    commands: [],
    routes: [],
    isMemory: false,
    permissions: ["network:api.example.com", "secrets:KEY", "exec"],
    ...parts,
  });
  const entry = (
    more: object,
  ): { readonly enabled: boolean; readonly trusted: boolean; readonly config: Readonly<Record<string, unknown>> } => ({
    enabled: true,
    trusted: false,
    config: {},
    ...more,
  });

  const route = { method: "GET", path: "/report", public: true } as const;

  test("those that the configuration does not switch off, isolated unless it says otherwise", async () => {
    const entries = { off: entry({ enabled: false }), inside: entry({ trusted: true }) };
    const all = ["plain", "inside", "off", "denied", "unlisted"].map((id) => found(id, { routes: [route] }));
    const { plugins, problems } = await usablePlugins(
      { plugins: all, servers: { mcp: [], lsp: [] } },
      {
        plugins: { entries, deny: ["denied"], allow: ["plain", "inside", "off", "denied"] },
        memory: { extraPaths: [], sessions: [] },
        agents: [],
      },
    );
    expect(problems).toEqual([]);
    expect(plugins).toMatchObject([
      { id: "plain", trusted: false, hosts: ["api.example.com"], secrets: ["KEY"], config: {} },
      { id: "inside", trusted: true, routes: [route] },
    ]);
  });

  test("workspaces and programs are for those whose manifest has the permission", async () => {
    const installed = [
      found("reads", { permissions: ["fs:workspace"] }),
      found("runs", { permissions: ["exec"] }),
      found("plain", { permissions: ["network:exec"] }),
    ];
    const agents = [
      { id: "main", workspace: "/home/me/work" },
      { id: "coder", workspace: "/code" },
    ];
    const { plugins } = await usablePlugins(
      { plugins: installed, servers: { mcp: [], lsp: [] } },
      { plugins: { entries: {}, deny: [] }, memory: { extraPaths: [], sessions: [] }, agents },
    );
    expect(plugins).toMatchObject([
      { id: "reads", workspaces: { main: "/home/me/work", coder: "/code" }, mayRun: false },
      { id: "runs", workspaces: {}, mayRun: true },
      { id: "plain", workspaces: {}, mayRun: false },
    ]);
  });

  test.each([
    ["facts", {}, []],
    ["facts", { isMemory: true, off: true }, ["memory.provider"]],
    ["facts", { isMemory: false }, ["memory.provider"]],
    ["other", {}, ["memory.provider"]],
  ])(
    "a memory.provider of %s with %j has problems at %j",
    async (provider, { isMemory = true, off = false }: { isMemory?: boolean; off?: boolean }, paths) => {
      const config = {
        plugins: { entries: {}, deny: off ? ["facts"] : [] },
        memory: { provider, extraPaths: [], sessions: [] },
        agents: [],
      };
      const { plugins, problems } = await usablePlugins({ plugins: [found("facts", { isMemory })], servers: { mcp: [], lsp: [] } }, config);
      expect(problems.map(({ path }) => path)).toEqual(paths);
      if (paths.length === 0) expect(plugins).toMatchObject([{ roles: ["memory"] }]);
    },
  );

  test("a command that cannot be typed is named", async () => {
    const command = (name: string): object => ({ name, description: "Says it." });
    const installed = [
      found("two", { commands: [command("todo"), command("stop")] as FoundPlugin["commands"] }),
      found("one", { commands: [command("todo"), command("day")] as FoundPlugin["commands"] }),
    ];
    const { plugins, problems } = await usablePlugins(
      { plugins: installed, servers: { mcp: [], lsp: [] } },
      { plugins: { entries: {}, deny: [] }, memory: { extraPaths: [], sessions: [] }, agents: [] },
    );
    expect(plugins).toHaveLength(2);
    expect(problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      "plugins.entries.two: the command /todo of the plugin two cannot be used: the plugin one has one of this name",
      "plugins.entries.two: the command /stop of the plugin two cannot be used: the product itself has one of this name",
    ]);
  });

  test("not one whose settings its schema refuses, and an unknown one is named", async () => {
    const entries = {
      good: entry({ config: { word: "sum" } }),
      bad: entry({ config: { word: 7 } }),
      plain: entry({ config: { word: "x" } }),
      absent: entry({}),
    };
    const configSchema = join(folder, "config.json");
    const installed = [
      found("good", { configSchema }),
      found("bad", { configSchema }),
      found("plain"),
      found("lost", { configSchema: "/nowhere.json" }),
    ];
    const { plugins, problems } = await usablePlugins(
      { plugins: installed, servers: { mcp: [], lsp: [] } },
      { plugins: { entries, deny: [] }, memory: { extraPaths: [], sessions: [] }, agents: [] },
    );
    expect(plugins).toMatchObject([{ id: "good", roles: [], config: { word: "sum" } }]);
    expect(problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      expect.stringMatching(/^plugins\.entries\.bad\.config: the plugin bad is not used: word: .*[^d]$/),
      "plugins.entries.plain.config: the plugin plain is not used: it has no settings",
      "plugins.entries.lost.config: the plugin lost is not used: its schema is missing",
      "plugins.entries.absent: no installed package has a plugin absent; install it: factotum plugins add <folder, tarball or package>",
    ]);
  });

  test("what a plugin decides on is denied while its settings are wrong, unless it is switched off", async () => {
    const configSchema = join(folder, "config.json");
    const hooks = [{ name: "before_tool_call", priority: 7 }, { name: "message_sending" }, { name: "agent_end" }] as const;
    const use = async (more: object): Promise<UsablePlugins> =>
      usablePlugins(
        { plugins: [found("rules", { configSchema, hooks })], servers: { mcp: [], lsp: [] } },
        {
          plugins: { entries: { rules: entry({ config: { wrod: "x" }, ...more }) }, deny: [] },
          memory: { extraPaths: [], sessions: [] },
          agents: [],
        },
      );
    const { plugins, stopped, problems } = await use({});
    expect(plugins).toEqual([]);
    expect(problems.map(({ message }) => message)).toEqual([
      'the plugin rules is not used: Unrecognized key: "wrod". Until this is mended or the plugin is switched off, what it decides on is denied (before_tool_call, message_sending)',
    ]);
    const [source, ...others] = stoppedHooks(stopped);
    expect(others).toEqual([]);
    expect(source).toMatchObject({
      owner: "plugin rules",
      hooks: [
        { name: "before_tool_call", priority: 7 },
        { name: "message_sending", priority: 0 },
      ],
    });
    const call = { callId: "c", tool: "exec", arguments: {}, tainted: false, agentId: "main", sessionKey: "s", owner: true };
    await expect(source?.call("before_tool_call", call, { signal: new AbortController().signal })).rejects.toThrow("Unrecognized key");
    expect(await use({ enabled: false })).toEqual({ plugins: [], stopped: [], problems: [] });
  });
});
