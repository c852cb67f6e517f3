import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";

const CONFIG = {
  agents: { list: [{ id: "main" }, { id: "coder", default: true, model: "demo/demo", workspace: "code", identity: { emoji: "🦉" } }] },
  bindings: [
    { agentId: "main", match: { channel: "webchat" } },
    {
      agentId: "coder",
      type: "acp",
      acp: { agent: "other" },
      match: { channel: "webchat", accountId: "*", peer: { kind: "group", id: "*" } },
    },
    { agentId: "main", match: { channel: "webchat", peer: { kind: "direct", id: "u\u001b1" } }, session: { dmScope: "per-peer" } },
  ],
  acp: { agents: { other: { command: "other-agent" } } },
  channels: { a2a: { peers: { research: { token: "t".repeat(32) } } } },
  broadcast: { strategy: "sequential", "a2a:research": ["coder", "main"] },
};

test("agents are listed with model and workspace, and bindings in the order in which they apply", { timeout: 120_000 }, async () => {
  await using cli = await CliHome.create();
  expect((await cli.run("agents", "list")).code).toBe(3);
  await mkdir(cli.factotumHome, { recursive: true });
  await writeFile(join(cli.factotumHome, "factotum.json5"), JSON.stringify(CONFIG));
  const running = cli.spawn("gateway", "run", "--setup", "--port", "0");
  await running.waitFor(/#token=/);

  const [headings, main = "", coder = "", ...shared] = (await cli.run("agents", "list")).stdout.split("\n");
  expect(shared.map((line) => line.split(/ {2,}/))).toEqual([
    [""],
    ["BROADCAST", "AGENTS", "STRATEGY"],
    ['"a2a:research"', "coder, main", "sequential"],
    [""],
  ]);
  expect(headings).toMatch(/^AGENT +NAME +MODEL +WORKSPACE$/);
  expect(main).toMatch(/^main .*workspace-main$/);
  expect(coder).toMatch(/^coder +🦉 coder +demo\/demo .*\/code +default$/);
  expect(JSON.parse((await cli.run("agents", "list", "--json")).stdout)).toMatchObject({
    agents: [
      { id: "main", isDefault: false },
      { id: "coder", isDefault: true, workspace: join(cli.factotumHome, "code") },
    ],
    broadcast: { strategy: "sequential", peers: { "a2a:research": ["coder", "main"] } },
  });

  const { stdout } = await cli.run("agents", "bindings");
  expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["BINDING", "AGENT", "KIND", "MATCHES", "DM SCOPE"],
    ["bindings[2]", "main", "peer", String.raw`webchat/default, direct "u\u{1b}1"`, "per-peer"],
    ["bindings[1]", "coder (acp/other)", "every peer of the kind", "every account of webchat, every group conversation"],
    ["bindings[0]", "main", "account", "webchat/default"],
    ["", "coder", "default", "every other message"],
    [""],
  ]);
  expect(JSON.parse((await cli.run("agents", "bindings", "--json")).stdout)).toMatchObject({
    bindings: [{ index: 2, dmScope: "per-peer" }, { index: 1 }, { index: 0, match: { channel: "webchat" } }],
    defaultAgentId: "coder",
  });
});
