import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Logger } from "@factotum/agent-contract";
import type { McpServers, ServerSettings } from "@factotum/plugin-mcp";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createEditorTools } from "./editor-tools.ts";

let folder: string;
let made: Readonly<Record<string, ServerSettings>>[];
let secrets: string[];
let warnings: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "factotum-editor-tools-"));
  [made, secrets, warnings] = [[], [], []];
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

/** Servers that are only looked at. */
function open(close: () => Promise<void> = async () => undefined): ReturnType<typeof createEditorTools> {
  return createEditorTools({
    folder,
    create: () =>
      ({
        sources: (settings: Readonly<Record<string, ServerSettings>>) => {
          made.push(settings);
          return Object.keys(settings).map((name) => ({ id: `mcp:${name}`, tools: [] }));
        },
        close,
      }) as unknown as McpServers,
    isConfigured: (name) => name === "files",
    secrets: { add: (values) => void secrets.push(...values) },
    random: { uuid: () => "one" },
    logger: { warn: (message: string) => void warnings.push(message) } as unknown as Logger,
  });
}

const local = (name: string, env: Readonly<Record<string, string>> = {}) =>
  ({ type: "stdio", name, command: "/bin/server", args: ["-v"], env }) as const;

test("servers are local programs in the workspace, or at an address; none is trusted, and their secrets are hidden", () => {
  const far = {
    type: "sse",
    name: "far",
    url: "https://far.example/sse",
    headers: { authorization: "Bearer 12345678", x: "short" },
  } as const;
  const { sources, problems } = open()([local("My Notes!", { API_KEY: "notes-key-1", LANG: "de_DE.UTF-8" }), far]);
  expect(sources.map(({ id }) => id)).toEqual(["mcp:my-notes-", "mcp:far"]);
  expect(made).toEqual([
    {
      "my-notes-": {
        command: "/bin/server",
        args: ["-v"],
        env: { API_KEY: "notes-key-1", LANG: "de_DE.UTF-8" },
        roots: "workspace",
        sandbox: { mode: "inherit", network: "none", workspace: "ro" },
        timeoutMs: 60_000,
        trusted: false,
      },
      far: { url: far.url, transport: "sse", headers: far.headers, timeoutMs: 60_000, trusted: false },
    },
  ]);
  expect([secrets, problems]).toEqual([["notes-key-1", "Bearer 12345678"], []]);
});

test("a server with the name of a configured one, or of an earlier one, is left out", () => {
  const { sources, problems } = open()([local("Files"), local("a b"), local("A-B"), local("__proto__")]);
  expect(sources.map(({ id }) => id)).toEqual(["mcp:a-b", "mcp:__proto__"]);
  expect(problems).toEqual([expect.stringContaining('"Files" is left out'), expect.stringContaining('"A-B" is left out')]);
});

test("other servers have another fingerprint", () => {
  const tools = open();
  const prints = [[local("a")], [local("a")], [local("a", { A: "1" })], [local("b")]].map((servers) => tools(servers).fingerprint);
  expect(new Set(prints).size).toBe(3);
});

test("what is kept of them goes with the editor, and a server that cannot be ended is logged", async () => {
  await mkdir(join(folder, "one"));
  await writeFile(join(folder, "one", "list.json"), "{}");
  await open()([local("a")]).close();
  expect(existsSync(join(folder, "one"))).toBe(false);
  await open(async () => Promise.reject(new Error("stuck")))([local("a")]).close();
  expect(warnings).toEqual([expect.stringContaining("could not be removed")]);
});
