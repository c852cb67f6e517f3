import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startListingServer } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { ScriptedPrompts, type ScriptedAnswer } from "../../test/scripted-prompts.ts";

const KEY = "sk-ant-0123456789abcdef";

async function guide(home: CliHome, answers: readonly ScriptedAnswer[]): Promise<ScriptedPrompts & { readonly code: number | null }> {
  const prompts = new ScriptedPrompts(answers);
  const { code } = await home.runWith({ prompts: async () => prompts }, "setup");
  return Object.assign(prompts, { code });
}

async function configure(home: CliHome, providerUrl: string): Promise<void> {
  await mkdir(home.factotumHome, { recursive: true });
  await writeFile(
    join(home.factotumHome, "factotum.json5"),
    `// mine\n{ models: { providers: { anthropic: { baseUrl: "${providerUrl}" } } } }\n`,
  );
}

async function configured(home: CliHome, key: string): Promise<unknown> {
  return JSON.parse((await home.run("config", "get", key)).stdout);
}

test("reports a wrong key, stores the right one, sets a model and a name, and offers them as defaults when it runs again", async () => {
  await using home = await CliHome.create();
  await using provider = await startListingServer({ key: KEY, models: ["claude-sonnet-5-5", "claude-haiku-5"] });
  await configure(home, provider.url);
  const first = await guide(home, [
    [/^Which provider.*\[anthropic\]$/, "anthropic"],
    [/^Paste the key/, "sk-ant-wrong-0123456789"],
    [/^What now/, "again"],
    [/^Paste the key/, ` ${KEY} `],
    [/^Which model\? \[claude-sonnet-5-5\]$/, "claude-haiku-5"],
    [/name\?.*\[\]$/, "Ada"],
    [/^Where do you want to write/, ":later"],
    [/heartbeat.*\[off\]$/, "day"],
    [/^Start the gateway now/, false],
  ]);
  expect(first).toMatchObject({ code: 0, left: [] });
  expect(first.said.join("\n")).toMatch(
    /refused this key[^]*takes the key[^]*kept in credentials\/anthropic[^]*The model is anthropic\/claude-haiku-5\.[^]*The assistant is Ada\./,
  );
  expect(first.said.join("\n")).not.toContain(KEY);
  expect(first.said.join("\n")).toMatch(/costs nothing while there is nothing to do[^]*except from 22:00 to 08:00/);
  expect(await configured(home, "agents.defaults.heartbeat")).toEqual({ every: "30m", activeHours: { start: "08:00", end: "22:00" } });
  expect(await home.read("credentials/anthropic")).toBe(`${KEY}\n`);
  expect(await home.read("factotum.json5")).toMatch(/^\/\/ mine\n/);
  expect(await home.read("workspace/IDENTITY.md")).toContain("- Name: Ada\n");

  const again = await guide(home, [
    [/^Which provider.*\[:keep\]$/, ":keep"],
    [/name\?.*\[Ada\]$/, "Ada"],
    [/^Where do you want to write/, ":later"],
    [/heartbeat.*\[day\]$/, "day"],
    [/^Start the gateway now/, false],
  ]);
  expect(again).toMatchObject({ code: 0, left: [] });
});

test("offers a key of the environment first; refuses an unknown model", async () => {
  await using home = await CliHome.create();
  await using provider = await startListingServer({ key: KEY, models: ["claude-sonnet-5-5"] });
  await configure(home, provider.url);
  home.env["ANTHROPIC_API_KEY"] = KEY;
  const result = await guide(home, [
    [/^Which provider.*\[anthropic\]$/, "anthropic"],
    [/has a key already.*\[use\]$/, "store"],
    [/^Which model/, ":other"],
    [/^The model's name/, "claude-nine"],
    [/^Which model/, "claude-sonnet-5-5"],
    [/name\?/, ""],
    [/^Where do you want to write/, ":later"],
    [/heartbeat.*\[off\]$/, "off"],
    [/^Start the gateway now/, false],
  ]);
  expect(result).toMatchObject({ code: 0, left: [] });
  expect(result.said.join("\n")).toContain('no model "claude-nine"');
  expect(await home.read("credentials/anthropic")).toBe(`${KEY}\n`);
});

test("tests the model that is kept, and says when its key is refused", async () => {
  await using home = await CliHome.create();
  await using provider = await startListingServer({ key: KEY, models: ["claude-sonnet-5-5"] });
  await configure(home, provider.url);
  expect((await home.run("config", "set", "agents.defaults.model", "anthropic/claude-sonnet-5-5")).code).toBe(0);
  home.env["ANTHROPIC_API_KEY"] = "sk-ant-revoked-0123456789";
  const refused = await guide(home, [
    [/^Which provider.*\[:keep\]$/, ":keep"],
    [/^What now/, "another"],
    [/^Which provider.*\[:keep\]$/, ":keep"],
    [/^What now/, "anyway"],
    [/name\?/, ""],
    [/^Where do you want to write/, ":later"],
    [/heartbeat.*\[off\]$/, "off"],
    [/^Start the gateway now/, false],
  ]);
  expect(refused).toMatchObject({ code: 0, left: [] });
  expect(refused.said.join("\n")).toContain("refused this key");
});

test("keeps a heartbeat that is configured in another way, until another one is chosen", async () => {
  await using home = await CliHome.create();
  await mkdir(home.factotumHome, { recursive: true });
  await writeFile(
    join(home.factotumHome, "factotum.json5"),
    '{ agents: { list: [{ id: "main", heartbeat: { every: "1h", target: "last" } }] } }',
  );
  const heartbeat = async (choice: string): Promise<unknown> => {
    const result = await guide(home, [
      [/^Which provider/, ":keep"],
      [/name\?/, ""],
      [/^Where do you want to write/, ":later"],
      [/heartbeat.*\[other\]$/, choice],
      [/^Start the gateway now/, false],
    ]);
    expect(result).toMatchObject({ code: 0, left: [] });
    return configured(home, "agents.list[0].heartbeat");
  };
  expect(await heartbeat("other")).toEqual({ every: "1h", target: "last" });
  expect(await heartbeat("always")).toEqual({ every: "30m", target: "last" });
});

test("sets a first channel up, asks for its settings again if they are refused, and does not ask about a second one", async () => {
  await using home = await CliHome.create();
  const around = (...channel: readonly ScriptedAnswer[]): readonly ScriptedAnswer[] => [
    [/^Which provider/, ":keep"],
    [/name\?/, ""],
    ...channel,
    [/heartbeat/, "off"],
    [/^Start the gateway now/, false],
  ];
  const first = await guide(
    home,
    around(
      [/^Where do you want to write.*\[:later\]$/, "feishu"],
      [/^appId/, "wrong"],
      [/^appSecret/, "s3cret-of-feishu"],
      [/^transport/, "websocket"],
      [/^appId/, "cli_0123456789abcdef"],
    ),
  );
  expect(first).toMatchObject({ code: 0, left: [] });
  expect(await home.read("credentials/feishu-default-appSecret")).toBe("s3cret-of-feishu\n");
  expect(await guide(home, around())).toMatchObject({ code: 0, left: [] });
});

test("keeps finished steps when the person leaves", async () => {
  await using home = await CliHome.create();
  const result = await guide(home, [[/^Which provider/, undefined]]);
  expect(result).toMatchObject({ code: 1, left: [] });
  expect(result.said.at(-1)).toContain('"factotum setup" goes on');
  expect(await home.read("factotum.json5")).toContain("tools: { profile:");
});

test("asks nothing without a terminal, with --non-interactive and with --json", async () => {
  await using home = await CliHome.create();
  const nobody = new ScriptedPrompts([]);
  const prompts = async (): Promise<ScriptedPrompts> => nobody;
  expect((await home.run("setup")).stdout).toContain("configuration");
  expect((await home.runWith({ prompts }, "setup", "--non-interactive")).code).toBe(0);
  expect(JSON.parse((await home.runWith({ prompts }, "setup", "--json")).stdout)).toMatchObject({ home: home.factotumHome });
  expect(nobody.asked).toEqual([]);
});
