import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleChannels, temporaryHome } from "../test/sample.ts";
import { loadConfig } from "./load-config.ts";
import { LspServerSchema } from "./schema/lsp.ts";
import { McpServerSchema } from "./schema/mcp-servers.ts";

const mcp = (name: string): { name: string; packageName: string; ids: string[]; settings: ReturnType<typeof McpServerSchema.parse> } => ({
  name,
  packageName: "kit",
  ids: [name, "kit"],
  settings: McpServerSchema.parse({ command: "brought" }),
});
const go = { name: "kit-go", packageName: "kit", ids: ["kit-go", "kit"], settings: LspServerSchema.parse({ command: "gopls" }) };

async function load(document: object) {
  await using home = await temporaryHome();
  await mkdir(home.home, { recursive: true });
  await writeFile(join(home.home, "factotum.json5"), JSON.stringify(document), { mode: 0o600 });
  const packageServers = { mcp: [mcp("kit-a"), mcp("kit-b")], lsp: [go] };
  const loaded = await loadConfig({ env: home.env, channels: sampleChannels().channels, packageServers });
  if (loaded.type === "refused") throw new Error(JSON.stringify(loaded.problems));
  const { config, problems } = loaded;
  const used = [...Object.entries(config.mcp.servers), ...Object.entries(config.lsp.servers)].flatMap(([name, { enabled }]) =>
    enabled ? [name] : [],
  );
  return { config, problems, used };
}

test("servers of packages come after the owner's", async () => {
  const { used, problems } = await load({ mcp: { servers: { own: { command: "own" } } } });
  expect(used).toEqual(["own", "kit-a", "kit-b", "kit-go"]);
  expect(problems).toEqual([]);
});

test("an entry of the owner's takes the place of one of a package, and a line says so", async () => {
  const { config, problems } = await load({ mcp: { servers: { "kit-a": { command: "own" } } } });
  expect(config.mcp.servers["kit-a"]).toMatchObject({ command: "own" });
  expect(problems).toEqual([
    {
      type: "extension",
      path: "mcp.servers.kit-a",
      message: "this entry takes the place of the server of kit; rename it to have both",
    },
  ]);
});

test.each([
  [{ deny: ["kit-a"] }, ["kit-b", "kit-go"]],
  [{ deny: ["kit"] }, []],
  [{ allow: [] }, []],
  [{ allow: ["kit-b"] }, ["kit-b"]],
  [{ entries: { "kit-go": { enabled: false } } }, ["kit-a", "kit-b"]],
])("plugins %j leaves %j", async (plugins, left) => {
  expect((await load({ plugins })).used).toEqual(left);
});
