import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { accountJsonSchema } from "@factotum/config";
import { TelegramConfigSchema } from "@factotum/telegram";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { writeInstalled } from "../../test/extension-package.ts";
import { FakeGateway } from "../../test/fake-gateway.ts";

async function withConfig(text: string): Promise<CliHome> {
  const cli = await CliHome.create();
  await mkdir(cli.factotumHome, { recursive: true });
  await writeFile(join(cli.factotumHome, "factotum.json5"), text);
  return cli;
}

test.each([
  ["{}", 0, []],
  ["{ gatway: {} }", 4, ["unknown-key"]],
  ["{ channels: { feishuu: {} } }", 4, ["unknown-channel"]],
  ["{ gateway: { port: -1 } }", 4, ["invalid-value"]],
  ["{ gateway", 4, ["syntax"]],
  ['{ agents: { defaults: { models: { "demo/demo": { params: { temperature: 1 } } } } } }', 0, []],
])("validate of %s ends with %i", async (text, exitCode, types) => {
  await using cli = await withConfig(text);
  const { code, stdout } = await cli.run("config", "validate", "--json");
  const report = JSON.parse(stdout) as { valid: boolean; problems: { type: string }[]; inactive: string[] };
  expect(code).toBe(exitCode);
  expect(report.valid).toBe(exitCode === 0);
  expect(report.problems.map(({ type }) => type)).toEqual(types);
  expect(report.inactive).toEqual(text.includes("temperature") ? ["agents.defaults.models.demo/demo.params.temperature"] : []);
  expect((await cli.run("config", "validate")).code).toBe(exitCode);
});

test("validate reports a missing file; it is an error only if the file is named, or existed before", async () => {
  await using cli = await CliHome.create();
  const file = join(cli.factotumHome, "factotum.json5");
  const fresh = await cli.run("config", "validate");
  expect(fresh).toMatchObject({ code: 0, stdout: `${file} does not exist: the defaults hold. "factotum setup" makes it.\n` });
  expect(JSON.parse((await cli.run("config", "validate", "--json")).stdout)).toMatchObject({ exists: false, valid: true });
  cli.env["FACTOTUM_CONFIG"] = join(cli.factotumHome, "typo.json5");
  const named = await cli.run("config", "validate");
  expect(named).toMatchObject({ code: 4, stdout: expect.stringMatching(/^error: FACTOTUM_CONFIG names .*typo\.json5, which/) as string });
  expect(JSON.parse((await cli.run("config", "validate", "--json")).stdout)).toMatchObject({ exists: false, valid: false });
});

test("get prints set values, defaults, and never a secret", async () => {
  await using cli = await withConfig(`{ gateway: { auth: { token: "canary-token" } }, agents: { defaults: { model: "a/b" } } }`);
  expect(await cli.run("config", "get", "agents.defaults.model")).toMatchObject({ code: 0, stdout: "a/b\n" });
  expect(await cli.run("config", "get", "gateway.port")).toMatchObject({ code: 0, stdout: "18790\n" });
  const { stdout } = await cli.run("config", "get", "session.reset", "--json");
  expect(JSON.parse(stdout)).toEqual({ key: "session.reset", value: { mode: "daily", atHour: 4 }, source: "default" });
  for (const args of [[], ["gateway"], ["gateway.auth"], ["gateway.auth.token"]]) {
    const shown = await cli.run("config", "get", ...args);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain("__factotum_redacted__");
    expect(shown.stdout).not.toContain("canary");
  }
  expect((await cli.run("config", "get", "a..b")).code).toBe(2);
});

test.each([
  "agents.defaults.thinking",
  "agents.list[3].model",
  "agents.defaults.models.best.alias",
  "agents.defaults.models.best.params.temperature",
  "channels.feishu.appId",
  "channels.feishu.accounts.work.transport.encryptKey",
  "channels.webchat.accounts.any.allowFrom[0]",
  "models.providers.mine.baseUrl",
  "models.providers.mine.apiKey",
  "gateway.auth.token.file",
  "hooks.token",
])("get of %s, which is not set, says how to set it", async (key) => {
  await using cli = await withConfig("{}");
  const { code, stderr } = await cli.run("config", "get", key);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`factotum config set ${key} <value>`) as string });
});

test.each([
  ["gateway.prot", 'gateway.prot: there is no such key; did you mean "port"?'],
  ["gatway.port", 'gatway: there is no such key; did you mean "gateway"?'],
  ["agents.list[0].modle", 'agents.list[0].modle: there is no such key; did you mean "model"?'],
  ["agents.defaults.models.best.alais", 'agents.defaults.models.best.alais: there is no such key; did you mean "alias"?'],
  ["channels.feishu.appld", 'channels.feishu.appld: there is no such key; did you mean "appId"?'],
  ["channels.feishuu", 'channels.feishuu: there is no such key; did you mean "feishu"?'],
  ["gateway.port.number", "gateway.port.number: there is no such key"],
  ["gateway.trustedProxies.first", "gateway.trustedProxies.first: there is no such key"],
  ["toString", "toString: there is no such key"],
])("get of %s, which does not exist, says so and does not advise to set it", async (key, text) => {
  await using cli = await withConfig("{ gatway: { port: 1 } }");
  const { code, stderr } = await cli.run("config", "get", key);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(text) as string });
  expect(stderr).not.toContain("config set");
  expect(stderr.includes("did you mean")).toBe(text.includes("did you mean"));
});

test.each([
  ["gateway.port", "18999", 18999],
  ["agents.defaults.model", "anthropic/some-model", "anthropic/some-model"],
  ["tools.deny", `["exec"]`, ["exec"]],
  ["agents.defaults.tools", `{ allow: ['read'] }`, { allow: ["read"] }],
  ["gateway.auth.token", "1234567890", "__factotum_redacted__"],
  ["agents.defaults.skipBootstrap", "true", true],
])("set %s %s", async (key, value, expected) => {
  await using cli = await withConfig("{ /* kept */ }");
  const result = await cli.run("config", "set", key, value);
  expect(result).toMatchObject({ code: 0 });
  const { stdout } = await cli.run("config", "get", key, "--json");
  expect(JSON.parse(stdout)).toMatchObject({ key, value: expected, source: "file" });
  expect(await cli.read("factotum.json5")).toContain("/* kept */");
  expect((await cli.run("config", "unset", key)).code).toBe(0);
  expect((await cli.run("config", "validate")).code).toBe(0);
});

test("get knows the defaults of channels: those of their own keys, and what channels.defaults says", async () => {
  await using cli = await withConfig(
    '{ channels: { defaults: { dmPolicy: "allowlist" }, feishu: { appId: "cli_0123456789abcdef", appSecret: "s", transport: { type: "websocket" } } } }',
  );
  await writeInstalled(cli.factotumHome, [{ schema: JSON.stringify(accountJsonSchema(TelegramConfigSchema)) }]);
  const valueOf = async (key: string): Promise<unknown> => JSON.parse((await cli.run("config", "get", key, "--json")).stdout);
  for (const [key, value] of [
    ["channels.feishu.domain", "feishu"],
    ["channels.feishu.dmPolicy", "allowlist"],
    ["channels.feishu.groupPolicy", "allowlist"],
    ["channels.pigeon.transport", { type: "polling" }],
    ["channels.pigeon.transport.type", "polling"],
    ["channels.pigeon.accounts.north.transport.type", "polling"],
  ] as const)
    expect(await valueOf(key)).toEqual({ key, value, source: "default" });
  expect(await cli.run("config", "get", "channels.pigeon.baseUrl")).toMatchObject({ code: 1 });
  expect(await cli.run("config", "get", "channels.pigeon.baseUrll")).toMatchObject({ code: 2 });
});

test("set refuses invalid values and writes nothing", async () => {
  await using cli = await withConfig("{}");
  const result = await cli.run("config", "set", "gateway.prot", "1", "--json");
  expect(result.code).toBe(4);
  expect(JSON.parse(result.stdout)).toMatchObject({
    error: { code: "configInvalid", message: expect.stringContaining(`"port"`) as string },
  });
  expect(await cli.read("factotum.json5")).toBe("{}");
});

test.each(["connect", "request"] as const)(
  "set asks again if the change has replaced the token at the %s of the first attempt",
  async (at) => {
    await using cli = await withConfig("{}");
    await mkdir(join(cli.factotumHome, "credentials"));
    const replaceToken = async (token: string): Promise<void> => writeFile(join(cli.factotumHome, "credentials/gateway-token"), token);
    await replaceToken("first");
    await using gateway = await FakeGateway.start(cli.factotumHome, {
      connect: async (token) => {
        if (at === "connect" && token === "first") await replaceToken("second");
        return at === "request" || token === "second";
      },
      request: async (_method, token) => {
        if (token === "first") await replaceToken("second");
        return token === "second" ? { type: "applied", changed: ["gateway"], needsRestart: [], problems: [] } : undefined;
      },
    });
    const { code, stderr } = await cli.run("config", "set", "gateway.publicUrl", "https://assistant.example.com");
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^The running gateway uses it from now on\./) as string });
    expect(gateway.tokens).toEqual(["first", "second"]);
  },
);

test.each([
  ["gateway.publicUrl", "https://assistant.example.com", false],
  ["gateway.auth.token", "a-token-of-one-s-own-that-is-long", true],
])("set %s announces another token only if it changes", async (key, value, isTold) => {
  await using cli = await withConfig("{}");
  await mkdir(join(cli.factotumHome, "credentials"));
  await writeFile(join(cli.factotumHome, "credentials/gateway-token"), "a-generated-token-that-is-long-enough");
  await using _gateway = await FakeGateway.start(cli.factotumHome, {
    connect: async () => true,
    request: async () => ({ type: "applied", changed: ["gateway"], needsRestart: [], problems: [] }),
  });
  const { code, stderr } = await cli.run("config", "set", key, value);
  expect(code).toBe(0);
  expect(stderr.includes("Clients connected with the old token were disconnected")).toBe(isTold);
});

test.each(["nope/xx", "anthropic"])("set notes a model that validate notes: %s", async (model) => {
  await using cli = await withConfig("{}");
  const { code, stderr } = await cli.run("config", "set", "agents.defaults.model", model);
  const note = /^note: .*$/m.exec((await cli.run("config", "validate")).stdout)?.[0];
  expect([code, note]).toEqual([0, expect.stringContaining("agents.defaults.model") as string]);
  expect(stderr).toContain(`${note}\n`);
});

test("set says how to set keys that are needed together, and only then", async () => {
  await using cli = await withConfig("{}");
  const together = "Set them together: factotum config set models.providers.mine '{ … }'";
  const { stderr } = await cli.run("config", "set", "models.providers.mine.baseUrl", "http://127.0.0.1:9");
  expect(stderr).toContain(together);
  const whole = '{ api: "openai-chat", baseUrl: "http://127.0.0.1:9" }';
  expect((await cli.run("config", "set", "models.providers.mine", whole)).code).toBe(0);
  const wrong = await cli.run("config", "set", "models.providers.mine.baseUrl", "7");
  expect([wrong.code, wrong.stderr]).toEqual([4, expect.not.stringContaining("Set them together")]);
});

test("validate and set note ids that match nobody on their channel, with the right form", async () => {
  await using cli = await withConfig(
    JSON.stringify({
      commands: { ownerAllowFrom: ["feishu:ou_olga", "feishu:on_olga"] },
      session: { identityLinks: { bob: ["slack:bob"] } },
      channels: {
        irc: { host: "irc.test", nick: "bot", channels: [], allowFrom: ["account:bob"], groups: { "#den": { allowFrom: ["bob"] } } },
      },
    }),
  );
  const { code, stdout } = await cli.run("config", "validate", "--json");
  const { problems } = JSON.parse(stdout) as { problems: { type: string; path: string; message: string; line?: number }[] };
  expect([code, problems.map(({ type, path }) => [type, path])]).toEqual([
    0,
    [
      ["notice", "commands.ownerAllowFrom[1]"],
      ["notice", "channels.irc.groups.#den.allowFrom[0]"],
      ["notice", "session.identityLinks.bob[0]"],
    ],
  ]);
  expect(problems[0]?.message).toMatch(/"on_olga" has not the form .* matches nobody.* Write it like this: the open id/);
  const { stderr } = await cli.run("config", "set", "channels.irc.allowFrom", '["Bob"]');
  expect(stderr).toMatch(/note: .*channels\.irc\.allowFrom\[0\].*"Bob" has not the form/);
});

test("a rule for a person whom no id of the channel can name is refused, and not written", async () => {
  const irc = { host: "irc.test", nick: "bot", channels: [], groups: { "#den": {} } };
  await using cli = await withConfig(JSON.stringify({ channels: { irc } }));
  const rules = (key: string): string => JSON.stringify({ [key]: { deny: ["exec"] } });
  const set = async (key: string) => cli.run("config", "set", 'channels.irc.groups["#den"].toolsBySender', rules(key));
  for (const key of ["@bob", "bob", "+15551234", "irc:account:bob", "id:bob"]) {
    const { code, stderr } = await set(key);
    expect([key, code]).toEqual([key, 4]);
    expect(stderr).toMatch(/has not the form of the id of a person there and matches nobody\. Write it like this: account:<name>/);
  }
  for (const key of ["account:bob", "id:account:bob", "channel:irc:account:bob"]) expect((await set(key)).code).toBe(0);
});

test("unset of an unknown key names it, as get does", async () => {
  await using cli = await withConfig("{}");
  const unset = await cli.run("config", "unset", "tools.nosuch");
  expect(unset).toMatchObject({ code: 2, stderr: expect.stringContaining("tools.nosuch: there is no such key") as string });
  expect(unset.stderr).toBe((await cli.run("config", "get", "tools.nosuch")).stderr);
  expect(await cli.run("config", "unset", "tools.allow")).toMatchObject({
    code: 0,
    stdout: "Nothing to change: tools.allow is not set.\n",
  });
});

test("the schema has every channel of this build", async () => {
  await using cli = await CliHome.create();
  const { stdout } = await cli.run("config", "schema");
  const schema = JSON.parse(stdout) as { properties: { channels: { properties: object } } };
  expect(Object.keys(schema.properties.channels.properties)).toEqual(["defaults", "a2a", "feishu", "irc", "slack", "webchat"]);
});

test("patch changes several keys at once, keeps comments, and refuses another version of the file", async () => {
  await using cli = await withConfig(`{ gateway: { port: 1 }, /* mine */ session: { mainKey: "service" } }`);
  const patch = async (input: string, ...args: readonly string[]): ReturnType<typeof cli.run> =>
    cli.runWith({ readInput: async () => input }, "config", "patch", ...args);
  const change = "{ gateway: { port: 2 }, session: null }";
  const planned = await patch(change, "--dry-run", "--json");
  const { baseHash, type } = JSON.parse(planned.stdout) as { baseHash: string; type: string };
  expect(type).toBe("planned");
  expect((await patch(change, "--dry-run")).stderr).toContain("Takes effect after a restart: gateway.port.");
  const done = await patch(change, "--base", baseHash);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining("gateway.port: 1 → 2") as string });
  expect(await cli.read("factotum.json5")).toMatch(/port: 2.*mine/);
  expect(await patch(change, "--base", baseHash)).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("has changed since it was read") as string,
  });
  expect((await patch("gateway")).code).toBe(2);
});

test("validate notes agents that are named and do not exist", async () => {
  const agents = { list: [{ id: "main", subagents: { allowAgents: ["*", "codr"] } }, { id: "coder" }] };
  const allow = [
    { from: "main", to: "coder" },
    { from: "research", to: "*" },
  ];
  await using cli = await withConfig(JSON.stringify({ agents, tools: { agentToAgent: { enabled: true, allow } } }));
  const { code, stdout } = await cli.run("config", "validate");
  expect(code).toBe(0);
  expect(stdout.match(/^note: \S+ there is no agent "\w+"/gm)).toEqual([
    'note: tools.agentToAgent.allow[1].from: there is no agent "research"',
    'note: agents.list[0].subagents.allowAgents[1]: there is no agent "codr"',
  ]);
});
