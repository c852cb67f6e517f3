import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AgentTool, JsonObject, JsonValue, RunFacts } from "@factotum/agent-contract";
import { createCoreTools, createFileAccess } from "@factotum/tools";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSettingsService } from "./settings-service.ts";

/** An attempt of the assistant to change what it may do itself, and a similar change that the owner may allow, or that needs no decision. */
interface Pair {
  readonly title: string;
  readonly refused: JsonObject;
  readonly allowed: JsonObject;
}

const FILE = `{
  gateway: { port: 18790, auth: { mode: "token" } },
  commands: { ownerAllowFrom: ["telegram:1"] },
  tools: { exec: { mode: "ask", timeoutSeconds: 60 }, elevated: { enabled: false }, checkpoints: true },
  models: { providers: { anthropic: { apiKey: { env: "ANTHROPIC_API_KEY" } } } },
}
`;

const patch = (value: JsonObject): JsonObject => ({ action: "patch", patch: value });
const apply = (value: JsonValue, key?: string): JsonObject => ({ action: "apply", value, ...(key === undefined ? {} : { key }) });
const pair = (title: string, refused: JsonObject, allowed: JsonObject): Pair => ({ title, refused, allowed });
const WHOLE = {
  gateway: { port: 18790, auth: { mode: "token" } },
  commands: { ownerAllowFrom: ["telegram:1"] },
  tools: { exec: { mode: "ask", timeoutSeconds: 60 }, elevated: { enabled: false }, checkpoints: true },
};

const THROUGH_THE_TOOL: readonly Pair[] = [
  pair("the mode of commands", patch({ tools: { exec: { mode: "full" } } }), patch({ tools: { checkpoints: false } })),
  pair("a pattern for commands", patch({ tools: { exec: { allow: ["*"] } } }), patch({ tools: { deny: ["exec"] } })),
  pair(
    "a limit of commands",
    patch({ tools: { exec: { timeoutSeconds: 9999 } } }),
    patch({ tools: { web: { fetch: { maxBytes: 99_999 } } } }),
  ),
  pair("the removal of the mode", patch({ tools: { exec: null } }), patch({ tools: { checkpoints: null } })),
  pair("the removal of everything around it", patch({ tools: null }), patch({ models: null })),
  pair("one key by its path", apply("full", "tools.exec.mode"), apply(4711, "gateway.port")),
  pair("one key by its path in quotes", apply("full", 'tools["exec"].mode'), apply(4711, 'gateway["port"]')),
  pair("the object around it", apply({ mode: "full" }, "tools.exec"), apply({ fetch: { maxBytes: 99_999 } }, "tools.web")),
  pair(
    "the object two levels around it",
    apply({ ...WHOLE.tools, exec: { mode: "full" } }, "tools"),
    apply({ ...WHOLE.tools, checkpoints: false }, "tools"),
  ),
  pair(
    "the whole file",
    apply({ ...WHOLE, tools: { ...WHOLE.tools, exec: { mode: "full" } } }),
    apply({ ...WHOLE, tools: { ...WHOLE.tools, checkpoints: false } }),
  ),
  pair("the whole file without it", apply({ ...WHOLE, tools: {} }), apply({ ...WHOLE, gateway: { auth: { mode: "token" } } })),
  pair(
    "a permitted change beside it",
    patch({ gateway: { port: 4711 }, tools: { elevated: { enabled: true } } }),
    patch({ gateway: { port: 4711 }, tools: { elevated: { enabled: false } } }),
  ),
  pair(
    "who may run commands on the host",
    patch({ tools: { elevated: { allowFrom: { telegram: ["2"] } } } }),
    patch({ tools: { sandbox: { tools: { deny: ["exec"] } } } }),
  ),
  pair(
    "how long approvals wait",
    patch({ tools: { approvals: { timeoutMinutes: 1 } } }),
    patch({ agents: { defaults: { timeoutSeconds: 60 } } }),
  ),
  pair("another owner", patch({ commands: { ownerAllowFrom: ["telegram:1", "telegram:2"] } }), patch({ session: { dmScope: "per-peer" } })),
  pair("an owner at an index", apply("telegram:2", "commands.ownerAllowFrom[0]"), apply(["exec"], "tools.deny")),
  pair("no owner", patch({ commands: { ownerAllowFrom: [] } }), patch({ messages: { queue: { cap: 3 } } })),
  pair("no token", patch({ gateway: { auth: { mode: "none" } } }), patch({ gateway: { bind: "loopback" } })),
  pair(
    "a token of its own",
    patch({ gateway: { auth: { token: { env: "MINE" } } } }),
    patch({ models: { providers: { xai: { apiKey: { env: "XAI" } } } } }),
  ),
  pair("the removal of the token's mode", patch({ gateway: { auth: null } }), patch({ gateway: { port: null } })),
  pair(
    "a secret in plain text",
    patch({ models: { providers: { anthropic: { apiKey: "sk-ant-0123456789" } } } }),
    patch({ models: { providers: { anthropic: { apiKey: "${OTHER}" } } } }),
  ),
  pair(
    "a program that prints a secret",
    patch({ models: { providers: { anthropic: { apiKey: { exec: ["sh", "-c", "id"] } } } } }),
    patch({ models: { providers: { anthropic: { apiKey: { file: "credentials/anthropic" } } } } }),
  ),
  pair(
    "a program in a new provider",
    apply({ apiKey: { exec: ["id"] } }, "models.providers.xai"),
    apply({ apiKey: { env: "XAI" } }, "models.providers.xai"),
  ),
  pair("an unknown key", patch({ tools: { exce: { mode: "full" } } }), patch({ tools: { profile: "coding" } })),
  pair("a key with points in its name", patch({ "tools.exec.mode": "full" }), patch({ agents: { defaults: { thinking: "low" } } })),
  pair("a forbidden name", apply("full", "tools.__proto__.exec"), apply("low", "agents.defaults.thinking")),
  pair("an invalid value", patch({ gateway: { port: "many" } }), patch({ gateway: { port: 1024 } })),
];

const write = (file: string, content = "x"): JsonObject => ({ tool: "write", path: file, content });
const edit = (file: string): JsonObject => ({ tool: "edit", path: file, edits: [{ oldText: "ask", newText: "full" }] });
const diff = (...lines: readonly string[]): JsonObject => ({
  tool: "apply_patch",
  patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n"),
});
const HUNK = ["@@", "-mode: ask", "+mode: full"];

/** `HOME` is the state folder, `CONFIG` a configuration file elsewhere, which is in a folder that the owner has opened. */
const THROUGH_FILES: readonly Pair[] = [
  pair("the file, written", write("HOME/factotum.json5"), write("factotum.json5")),
  pair("the file, relative", write("../factotum.json5"), write("sub/factotum.json5")),
  pair("the file, by a detour", write("sub/../../factotum.json5"), write("sub/../factotum.json5")),
  pair("the file, edited", edit("HOME/factotum.json5"), edit("note.txt")),
  pair("the file, patched", diff("*** Update File: HOME/factotum.json5", ...HUNK), diff("*** Update File: note.txt", ...HUNK)),
  pair("the file, deleted", diff("*** Delete File: ../factotum.json5"), diff("*** Delete File: note.txt")),
  pair(
    "the file, moved over",
    diff("*** Update File: note.txt", "*** Move to: ../factotum.json5", ...HUNK),
    diff("*** Update File: note.txt", "*** Move to: moved.txt", ...HUNK),
  ),
  pair("the file, through a link", edit("link.json5"), edit("inner.txt")),
  pair("the file, through a link to its folder", write("state/factotum.json5"), write("folder/factotum.json5")),
  pair("the file, by ~", write("~/.factotum/factotum.json5"), write("~/.factotum/workspace/factotum.json5")),
  pair("a file of another format", write("HOME/factotum.yaml"), write("factotum.yaml")),
  pair("a configuration elsewhere, written", write("CONFIG"), write("CONFIG.txt")),
  pair("a configuration elsewhere, edited", edit("CONFIG"), edit("CONFIG.bak")),
  pair("a configuration elsewhere, deleted", diff("*** Delete File: CONFIG"), diff("*** Delete File: CONFIG.bak")),
  pair("the database", write("HOME/state/factotum.db"), write("state.db")),
  pair("the last good copy", write("HOME/state/last-good.json"), write("last-good.json")),
  pair("the token", write("HOME/credentials/gateway-token"), write("credentials/gateway-token")),
  pair("a new folder in the state", write("HOME/extensions/evil/package.json"), write("extensions/evil/package.json")),
  pair(
    "two files, one of them the configuration",
    diff("*** Add File: a.txt", "+a", "*** Delete File: ../factotum.json5"),
    diff("*** Add File: a.txt", "+a"),
  ),
];

let base: string;
let home: string;
let call: (name: string, args: JsonObject) => Promise<{ readonly isRefused: boolean; readonly text: string }>;
let tools: readonly AgentTool[];
let run: RunFacts;

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), "factotum-own-settings-")));
  home = path.join(base, ".factotum");
  const workspace = path.join(home, "workspace");
  await mkdir(path.join(workspace, "sub"), { recursive: true });
  await mkdir(path.join(base, "elsewhere"));
  await writeFile(path.join(home, "factotum.json5"), FILE);
  for (const name of ["config.json5", "config.json5.bak"]) await writeFile(path.join(base, "elsewhere", name), "mode: ask\n");
  for (const name of ["note.txt", "sub/real.txt"]) await writeFile(path.join(workspace, name), "mode: ask\n");
  await symlink("../factotum.json5", path.join(workspace, "link.json5"));
  await symlink("..", path.join(workspace, "state"));
  await symlink("sub/real.txt", path.join(workspace, "inner.txt"));
  await symlink("sub", path.join(workspace, "folder"));
  run = {
    runId: "1",
    kind: "user",
    agentId: "main",
    sessionKey: "agent:main:main",
    sessionId: "1",
    workspace,
    owner: true,
    timeZone: "UTC",
  };
  const files = createFileAccess({
    home,
    protectedPaths: [path.join(base, "elsewhere", "config.json5")],
    userHome: base,
    roots: () => [{ type: "owner", path: path.join(base, "elsewhere"), writable: true }],
  });
  const settings = createSettingsService({
    options: async () => ({ env: { FACTOTUM_HOME: home, HOME: base }, channels: [] }),
    reload: async () => ({ type: "applied", problems: [], changed: [], needsRestart: [] }),
  });
  tools = createCoreTools({
    files,
    settings,
    restarter: { restartAfter: () => undefined },
    execTimeoutSeconds: 1,
  } as Partial<Parameters<typeof createCoreTools>[0]> as Parameters<typeof createCoreTools>[0]);
  call = async (name, args) => {
    const tool = tools.find((one) => one.name === name);
    const written = JSON.parse(
      JSON.stringify(args)
        .replaceAll("CONFIG", path.join(base, "elsewhere", "config.json5"))
        .replaceAll("HOME", home),
    ) as JsonObject;
    const result = await tool?.execute(
      { id: "1", name, arguments: written },
      { signal: new AbortController().signal, run, tainted: false, onDelta: () => undefined },
    );
    const text = result?.content.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
    return { isRefused: result?.isError === true, text };
  };
});
afterEach(() => rm(base, { recursive: true, force: true }));

const configuration = (): Promise<string> => readFile(path.join(home, "factotum.json5"), "utf8");
const hash = async (): Promise<string> =>
  (JSON.parse((await call("gateway", { action: "get", key: "gateway.port" })).text) as { readonly hash: string }).hash;

test("are at least 15 pairs each", () => {
  for (const pairs of [THROUGH_THE_TOOL, THROUGH_FILES]) expect(pairs.length).toBeGreaterThanOrEqual(15);
});

describe("a change of its own settings through the tool", () => {
  test.each(THROUGH_THE_TOOL)("$title", async ({ refused, allowed }) => {
    const tool = tools.find(({ name }) => name === "gateway");
    const based = async (args: JsonObject): Promise<JsonObject> => ({ ...args, base: await hash() });
    const attempt = await based(refused);
    // The owner is not even asked.
    expect(await tool?.inspect?.({ id: "1", name: "gateway", arguments: attempt }, run)).toMatchObject({ type: "invalid" });
    expect(await call("gateway", attempt)).toMatchObject({ isRefused: true });
    expect(await configuration()).toBe(FILE);
    expect(await readdir(home)).not.toContain("credentials");
    const change = await based(allowed);
    expect(await tool?.inspect?.({ id: "1", name: "gateway", arguments: change }, run)).toMatchObject({ type: "action" });
    expect(tool?.traitsFor?.({ id: "1", name: "gateway", arguments: change })).toMatchObject({ effect: "config" });
    expect(await call("gateway", change)).toMatchObject({ isRefused: false });
    expect(await configuration()).not.toBe(FILE);
  });
});

describe("a change of its own settings through the file tools", () => {
  test.each(THROUGH_FILES)("$title", async ({ refused, allowed }) => {
    const { tool, ...attempt } = refused;
    const { tool: same, ...change } = allowed;
    const name = typeof tool === "string" ? tool : "";
    expect(same).toBe(name);
    expect(await call(name, attempt)).toMatchObject({ isRefused: true });
    expect(await configuration()).toBe(FILE);
    expect(await readFile(path.join(base, "elsewhere", "config.json5"), "utf8")).toBe("mode: ask\n");
    expect((await readdir(home)).toSorted()).toEqual(["factotum.json5", "workspace"]);
    expect(await call(name, change)).toMatchObject({ isRefused: false });
  });
});
