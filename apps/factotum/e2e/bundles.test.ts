import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { runCommand, type CommandOutcome } from "@factotum/testing-product";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PLAIN_MCP_SERVER } from "../test/plain-mcp-server.ts";
import { startMcpScene } from "./mcp-scene.ts";

let [folder, home] = ["", ""];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "factotum-bundles-"));
  home = join(folder, "home");
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

const run = async (...args: readonly string[]): Promise<CommandOutcome> => runCommand(args, { home, env: { npm_config_offline: "true" } });

const MCP = { mcpServers: { plain: { command: process.execPath, args: ["${CLAUDE_PLUGIN_ROOT}/server.mjs"] } } };
const FILES = {
  "skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies a shelf.\n---\n\nPut the books in order.\n",
  "server.mjs": PLAIN_MCP_SERVER,
  ".mcp.json": JSON.stringify(MCP),
};
const CLAUDE = {
  ...FILES,
  ".claude-plugin/plugin.json": JSON.stringify({ name: "shelf", version: "2.1.0", description: "Shelves." }),
  "commands/sort.md": "---\ndescription: Sorts.\naccess: anyone\n---\nSort the shelf $ARGUMENTS.\n",
  ".lsp.json": JSON.stringify({ go: { command: "gopls", extensionToLanguage: { ".go": "go" } } }),
  "hooks/hooks.json": JSON.stringify({
    hooks: { PostToolUse: [{ hooks: [{ type: "command", command: "touch /tmp/factotum-hook-ran" }] }] },
  }),
  "agents/reviewer.md": "Review.",
};

async function writeBundle(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name, file)), { recursive: true });
    await writeFile(join(folder, name, file), text);
  }
  return join(folder, name);
}

describe("bundles of other products in the built product", { timeout: 300_000 }, () => {
  test("a Claude plugin is one plugin: skills, commands and servers are used, hooks and agents listed, and nothing is left", async () => {
    await using scene = await startMcpScene({}, { home });
    const path = await writeBundle("shelf", CLAUDE);
    expect(await run("plugins", "add", path)).toMatchObject({ code: 2 });
    const added = await run("plugins", "add", path, "--yes");
    expect(added).toMatchObject({ code: 0, stdout: "shelf 2.1.0 is installed.\n" });
    expect(added.stderr).toContain(
      "shelf 2.1.0 provides skills in ./skills, commands in ./commands, MCP server shelf-plain, language server shelf-go.",
    );
    expect(added.stderr).toContain("Not used: hooks (PostToolUse), agents.");
    expect((await run("plugins", "list")).stdout).toMatch(
      /^shelf +2\.1\.0 +installed .*not used: hooks \(PostToolUse\), not used: agents$/m,
    );
    expect((await run("skills", "list")).stdout).toContain("tidy");
    await scene.use();
    expect(JSON.stringify(scene.model.requests.at(-1)?.body)).toContain("Tidies a shelf.");
    const told = await run("agent", "-m", "/sort by author");
    expect(told).toMatchObject({ code: 0 });
    expect(JSON.stringify(scene.model.requests.at(-1)?.body)).toContain("Sort the shelf by author.");
    expect(await scene.use({ name: "mcp__shelf-plain_where", arguments: {} })).toMatch(/node_modules\\?\/shelf/);
    expect(await run("plugins", "remove", "shelf")).toMatchObject({ code: 0 });
    expect((await run("skills", "list")).stdout).not.toContain("tidy");
    expect((await run("mcp", "list")).stdout).toContain("There are no MCP servers.");
    const current = (await readFile(join(home, "extensions", "current"), "utf8")).trim();
    expect(await readdir(join(home, "extensions", current, "packages"))).toEqual([]);
  });

  test.each([
    [".codex-plugin/plugin.json", { skills: "./skills/", mcpServers: "./.mcp.json" }],
    ["plugin.json", { mcpServers: MCP.mcpServers }],
  ])("%s in a tarball, with a package.json of its own or without", async (file, more) => {
    const files = { ...FILES, [file]: JSON.stringify({ name: "shelf", version: "1.0.0", ...more }) };
    const path = await writeBundle(
      "shelf",
      file === "plugin.json" ? { ...files, "package.json": '{"files":["x"],"scripts":{"prepack":"exit 1"}}' } : files,
    );
    await promisify(execFile)("tar", ["-czf", join(folder, "shelf.tgz"), "-C", folder, "shelf"]);
    await rm(path, { recursive: true });
    const added = await run("plugins", "add", join(folder, "shelf.tgz"), "--yes");
    expect(added).toMatchObject({ code: 0, stdout: "shelf 1.0.0 is installed.\n" });
    expect((await run("mcp", "test", "shelf-plain")).stdout).toContain("mcp__shelf-plain_where");
    expect((await run("skills", "list")).stdout).toContain("tidy");
  });

  test.each([
    ["broken JSON", { ".mcp.json": "{" }, "./.mcp.json is not JSON"],
    ["a broken manifest", { ".claude-plugin/plugin.json": "[" }, ".claude-plugin/plugin.json is not JSON"],
    [
      "a folder outside",
      { ".claude-plugin/plugin.json": '{"name":"shelf","skills":"../other"}' },
      'skills: "../other" is no path inside of the bundle',
    ],
    ["a file outside", { ".claude-plugin/plugin.json": '{"name":"shelf","mcpServers":"/etc/x.json"}' }, "is no path inside of the bundle"],
    ["a program outside", { ".mcp.json": '{"a":{"command":"${CLAUDE_PLUGIN_ROOT}/../x"}}' }, "a path that leaves the package"],
    ["a foreign name", { ".claude-plugin/plugin.json": '{"name":"../x"}' }, "name: lower-case letters, digits and - are expected"],
  ])("a bundle with %s is refused, and nothing is installed", async (_, changed, reason) => {
    const refused = await run("plugins", "add", await writeBundle("shelf", { ...CLAUDE, ...changed }), "--yes");
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain(reason);
    expect(await readdir(join(home, "extensions")).catch(() => [])).toEqual([]);
  });
});
