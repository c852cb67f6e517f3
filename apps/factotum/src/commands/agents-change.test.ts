import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";

const fileOf = async (cli: CliHome): Promise<{ agents?: { list?: unknown[] }; bindings?: unknown[] }> =>
  JSON.parse(await readFile(join(cli.factotumHome, "factotum.json5"), "utf8")) as { agents?: { list?: unknown[] }; bindings?: unknown[] };

async function withConfig(config: object): Promise<CliHome> {
  const cli = await CliHome.create();
  await mkdir(cli.factotumHome, { recursive: true });
  await writeFile(join(cli.factotumHome, "factotum.json5"), JSON.stringify(config));
  return cli;
}

test("an agent is added next to the built-in one, gets messages, and is removed with its bindings", async () => {
  await using cli = await withConfig({});
  const added = await cli.run("agents", "add", "coder", "--name", "The coder", "--model", "anthropic/claude-opus-4-6");
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining("factotum agents bind coder --channel CHANNEL") as string });
  expect(existsSync(join(cli.factotumHome, "workspace-coder", "AGENTS.md"))).toBe(true);
  expect((await fileOf(cli)).agents?.list).toEqual([
    { id: "main", default: true },
    { id: "coder", name: "The coder", model: "anthropic/claude-opus-4-6" },
  ]);

  const bound = await cli.run(
    "agents",
    "bind",
    "coder",
    "--channel",
    "webchat",
    "--peer",
    "group:*",
    "--role",
    "a",
    "--role",
    "b",
    "--guild",
    "7",
    "--json",
  );
  expect(bound.code).toBe(0);
  const match = { channel: "webchat", peer: { kind: "group", id: "*" }, guildId: "7", roles: ["a", "b"] };
  expect((await fileOf(cli)).bindings).toEqual([{ agentId: "coder", match }]);
  expect((await cli.run("agents", "bind", "main", "--channel", "webchat", "--account", "*")).code).toBe(0);

  expect((await cli.run("agents", "remove", "coder")).stdout).toContain("Its files stay in");
  expect(await fileOf(cli)).toMatchObject({ agents: { list: [{ id: "main" }] }, bindings: [{ agentId: "main" }] });
  expect(existsSync(join(cli.factotumHome, "workspace-coder", "AGENTS.md"))).toBe(true);
});

test("an agent is changed, becomes the default one, and loses a binding", async () => {
  const list = [
    { id: "main", default: true },
    { id: "coder", name: "Old", model: "anthropic/claude-opus-4-6" },
  ];
  const match = { channel: "webchat" };
  await using cli = await withConfig({ agents: { list }, bindings: [{ agentId: "coder", match }] });
  expect((await cli.run("agents", "set", "coder", "--name", "New", "--model", "", "--default")).code).toBe(0);
  expect((await fileOf(cli)).agents?.list).toEqual([{ id: "main" }, { id: "coder", name: "New", default: true }]);
  expect((await cli.run("agents", "set", "nosuch", "--name", "X")).code).toBe(2);
  expect((await cli.run("agents", "unbind", "1")).code).toBe(1);
  expect((await cli.run("agents", "unbind", "0")).code).toBe(0);
  expect((await fileOf(cli)).bindings).toEqual([]);
});

test("an agent that is removed leaves the conversations that it answers with others", async () => {
  const a2a = { peers: { research: { token: "t".repeat(32) } } };
  const agents = { list: [{ id: "main" }, { id: "coder" }] };
  await using cli = await withConfig({
    agents,
    channels: { a2a },
    broadcast: { "a2a:research": ["coder", "main"], "a2a:other": ["coder"] },
  });
  expect((await cli.run("agents", "remove", "coder")).code).toBe(0);
  expect((await fileOf(cli)) as object).toMatchObject({ broadcast: { "a2a:research": ["main"] } });
  expect(Object.keys(((await fileOf(cli)) as { broadcast: object }).broadcast)).toEqual(["a2a:research"]);
});

test.each([
  [["add", "coder"], 'There is an agent "coder" already'],
  [["add", "Not An Id"], 'factotum agents add ID --name "Not An Id"'],
  [["remove", "missing"], "There are main, coder"],
  [["remove", "main"], "is the default agent"],
  [["bind", "missing", "--channel", "webchat"], 'There is no agent "missing"'],
  [["bind", "coder", "--channel", "webchat", "--peer", "room"], "group:-100123"],
  [["bind", "coder"], "--channel"],
  [["bind", "main", "--channel", "webchat", "--peer", "direct:7"], "bindings[0] gives these messages to coder already"],
])("%j is refused, and changes nothing", async (args, words) => {
  const match = { peer: { id: "7", kind: "direct" }, channel: "webchat" };
  const config = { agents: { list: [{ id: "main" }, { id: "coder" }] }, bindings: [{ agentId: "coder", match }] };
  await using cli = await withConfig(config);
  const { code, stderr } = await cli.run("agents", ...args);
  expect(code).not.toBe(0);
  expect(stderr).toContain(words);
  expect(await fileOf(cli)).toEqual(config);
});

test("an agent that is removed reaches no other one and is reached by none, also if the name is given again", async () => {
  const kept = { from: "main", to: "writer" };
  const allow = [{ from: "main", to: "coder" }, { from: "coder", to: "*" }, kept];
  const list = [{ id: "main" }, { id: "coder" }, { id: "writer" }];
  await using cli = await withConfig({ agents: { list }, tools: { agentToAgent: { enabled: true, allow } } });
  expect((await cli.run("agents", "remove", "coder")).code).toBe(0);
  expect(await fileOf(cli)).toMatchObject({ tools: { agentToAgent: { allow: [kept] } } });
});

test("a model that does not exist is noted", async () => {
  await using cli = await withConfig({});
  const { code, stderr } = await cli.run("agents", "add", "coder", "--model", "nope/xx");
  expect([code, stderr]).toEqual([0, expect.stringContaining('note: agents.list[1].model: there is no provider "nope"') as string]);
});

test("a binding that matches nothing is noted", async () => {
  await using cli = await withConfig({});
  const { code, stderr } = await cli.run("agents", "bind", "main", "--channel", "webchat", "--account", "work");
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining("note: bindings[0].match.accountId: this account is not configured") as string,
  ]);
});
