import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand, type CommandOutcome } from "@factotum/testing-product";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PLAIN_MCP_SERVER } from "../test/plain-mcp-server.ts";
import { packPlugin } from "../test/plugin-package.ts";
import { processesBelow, stillRunning } from "./processes.ts";
import { startMcpScene } from "./mcp-scene.ts";

const TSC = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
const PROVIDES = [
  { type: "mcp", servers: "./mcp.json" },
  { type: "lsp", servers: "./lsp.json" },
];
const LSP = { ts: { command: process.execPath, args: [TSC, "--lsp", "--stdio"], extensions: { ".ts": "typescript" } } };

let [folder, home] = ["", ""];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "factotum-servers-"));
  home = join(folder, "home");
});
// The installer of types of a language server may still write its cache.
afterEach(async () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));

const run = async (...args: readonly string[]): Promise<CommandOutcome> => runCommand(args, { home, env: { npm_config_offline: "true" } });

async function packKit(version: string, args: readonly string[]): Promise<string> {
  const mcp = { mcpServers: { plain: { command: process.execPath, args, env: { KIT_KEY: "given" } } } };
  const files = { "server.mjs": PLAIN_MCP_SERVER, "mcp.json": JSON.stringify(mcp), "lsp.json": JSON.stringify(LSP) };
  return packPlugin(folder, { id: "kit", version, provides: PROVIDES, files });
}

async function listed(kind: "mcp" | "lsp"): Promise<readonly { readonly name: string; readonly source: string | null }[]> {
  const { servers } = JSON.parse((await run(kind, "list", "--json")).stdout) as {
    readonly servers: readonly { readonly name: string; readonly source: string | null }[];
  };
  return servers.map(({ name, source }) => ({ name, source })).filter(({ name }) => name.startsWith("kit-"));
}

describe("servers of a package in the built product", { timeout: 300_000 }, () => {
  test("are shown, used, asked about when they change, switched off, and gone with the package", async () => {
    await using scene = await startMcpScene({}, { home });
    const { product, use } = scene;
    const unasked = await run("plugins", "add", await packKit("1.0.0", ["./server.mjs"]));
    expect(unasked).toMatchObject({ code: 2 });
    const added = await run("plugins", "add", await packKit("1.0.0", ["./server.mjs"]), "--yes");
    expect(added.stderr).toContain("kit 1.0.0 provides MCP server kit-plain, language server kit-ts.");
    expect(added.stderr).toContain(`  kit-plain: ${process.execPath} ./server.mjs; with KIT_KEY=given\n`);
    expect(added.stderr).toContain("Its servers run as you");
    expect(await processesBelow(product.pid)).toEqual([]);
    const where = JSON.parse(/\{.*\}/.exec(await use({ name: "mcp__kit-plain_where", arguments: {} }))?.[0] ?? "") as object;
    expect(where).toMatchObject({ folder: expect.stringMatching(/node_modules\/kit$/) as string, args: [], key: "given", other: null });
    const below = await processesBelow(product.pid);
    expect(below.length).toBeGreaterThan(0);
    expect(await listed("mcp")).toEqual([{ name: "kit-plain", source: "kit" }]);
    expect(await listed("lsp")).toEqual([{ name: "kit-ts", source: "kit" }]);
    expect((await run("mcp", "remove", "kit-plain")).stderr).toContain("belongs to the package kit");

    const changed = await packKit("1.1.0", ["./server.mjs", "--all"]);
    const asks = await run("plugins", "update", changed);
    expect(asks).toMatchObject({ code: 2 });
    expect(asks.stderr).toContain("New since 1.0.0: MCP server kit-plain.");
    expect(asks.stderr).not.toContain("kit-ts:");
    expect(await run("plugins", "update", changed, "--yes")).toMatchObject({ code: 0 });
    await expect.poll(async () => stillRunning(below), { timeout: 20_000 }).toEqual([]);
    expect((await run("mcp", "list")).stdout).toMatch(/^kit-plain +kit +untrusted .*server\.mjs --all$/m);
    expect(await run("mcp", "test", "kit-plain")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("mcp__kit-plain_where") as string,
    });

    await run("config", "set", "plugins.deny", '["kit-plain"]');
    expect((await run("mcp", "list")).stdout).toMatch(/^kit-plain +kit +untrusted +off/m);
    await run("config", "set", "plugins.deny", "[]");
    expect(await run("plugins", "remove", "kit")).toMatchObject({ code: 0 });
    expect([...(await listed("mcp")), ...(await listed("lsp"))]).toEqual([]);
    await expect.poll(async () => processesBelow(product.pid), { timeout: 20_000 }).toEqual([]);
    await expect.poll(async () => readdir(join(home, "state", "mcp")).catch(() => []), { timeout: 20_000 }).toEqual([]);
  });

  test("an entry of the owner's takes the place of one of a package, and the language server checks changes", async () => {
    await run("plugins", "add", await packKit("1.0.0", ["./server.mjs"]), "--yes");
    const workspace = join(home, "workspace");
    await mkdir(workspace, { recursive: true });
    await writeFile(join(workspace, "a.ts"), "export const a: number = 1;\n");
    const script = join(folder, "own.mjs");
    await writeFile(script, PLAIN_MCP_SERVER);
    const own = { "kit-plain": { command: process.execPath, args: [script, "own"], trusted: true } };
    await using scene = await startMcpScene({}, { home, settings: { mcp: { servers: own } } });
    expect(await scene.use({ name: "mcp__kit-plain_where", arguments: {} })).toContain('"args":["own"]');
    expect((await run("status")).stdout).toContain("this entry takes the place of the server of kit");
    expect(await listed("mcp")).toEqual([{ name: "kit-plain", source: null }]);
    const edits = [{ oldText: "= 1", newText: '= "x"' }];
    expect(await scene.use({ name: "edit", arguments: { path: "a.ts", edits } })).toContain("This change introduced errors in a.ts");
  });

  test("a package whose servers cannot be read is refused, and nothing is installed", async () => {
    const bad = await packPlugin(folder, { id: "bad", provides: [{ type: "mcp", servers: "./mcp.json" }], files: { "mcp.json": "{" } });
    expect(await run("plugins", "add", bad, "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("bad cannot be installed: ./mcp.json is not JSON.") as string,
    });
    expect(await readdir(join(home, "extensions")).catch(() => [])).toEqual([]);
  });
});
