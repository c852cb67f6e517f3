import { afterEach, beforeEach, expect, test } from "vitest";
import { readAccess } from "../accounts/account-access.ts";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliHome } from "../../test/cli.ts";
import { writeInstalled } from "../../test/extension-package.ts";

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
  await home.run("setup");
});
afterEach(async () => home[Symbol.asyncDispose]());

const configure = async (feishu: string): Promise<void> =>
  writeFile(join(home.factotumHome, "factotum.json5"), `// mine\n{ channels: { feishu: ${feishu} } }\n`);
const ONE = '{ appId: "cli_0123456789abcdef", appSecret: "s", transport: { type: "websocket" }, allowFrom: ["ou_a"] }';
const value = async (key: string): Promise<unknown> => JSON.parse((await home.run("config", "get", key, "--json")).stdout);

test("admits a sender, a group and the owner in the account's own settings, and keeps existing entries", async () => {
  await configure(ONE);
  expect(await home.run("access", "allow", "feishu:default", "ou_b")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("write again") as string,
  });
  expect(await value("channels.feishu.allowFrom")).toMatchObject({ value: ["ou_a", "ou_b"] });
  expect((await home.run("access", "allow", "feishu:default", "ou_b")).stdout).toContain("already");
  expect((await home.run("access", "allow", "feishu", "oc_g", "--group")).code).toBe(0);
  expect(await value("channels.feishu.groups")).toMatchObject({ value: { oc_g: {} } });
  expect((await home.run("access", "allow", "feishu:default", "ou_me", "--owner")).stdout).toContain("is the owner on feishu");
  expect(await value("commands.ownerAllowFrom")).toMatchObject({ value: ["feishu:ou_me"] });
  expect(await home.read("factotum.json5")).toMatch(/^\/\/ mine\n/);
});

test.each([
  ["irc", '{ host: "irc.example", nick: "fact" }', "#Team", "#team", "in lower case"],
  ["slack", '{ botToken: "xoxb-1", transport: { type: "http", signingSecret: "s" } }', "U0BOBBB001", "C0TEAM", "the channel's id"],
])("an id that no group of %s can have is refused", async (channel, account, wrong, right, reason) => {
  await writeFile(join(home.factotumHome, "factotum.json5"), `{ channels: { ${channel}: ${account} } }`);
  expect(await home.run("access", "allow", channel, wrong, "--group")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(reason) as string,
  });
  expect(await home.run("access", "allow", channel, right, "--group")).toMatchObject({ code: 0 });
});

test("changes the named one of several accounts, and copies the defaults' list", async () => {
  await writeFile(
    join(home.factotumHome, "factotum.json5"),
    `{ channels: { defaults: { allowFrom: ["ou_d"] }, feishu: { accounts: { work: ${ONE.replace(', allowFrom: ["ou_a"]', "")}, home: ${ONE.replace("cdef", "cdee")} } } } }`,
  );
  expect((await home.run("access", "allow", "feishu", "ou_b")).code).toBe(2);
  expect((await home.run("access", "allow", "feishu:work", "ou_me", "--owner")).stdout).toContain(
    "is the owner on feishu/work from now on",
  );
  expect(await value("commands.ownerAllowFrom")).toMatchObject({ value: ["feishu/work:ou_me"] });
  expect((await home.run("access", "allow", "feishu:work", "ou_me", "--owner")).stdout).toContain("already");
  expect((await home.run("access", "allow", "feishu:work", "ou_b")).code).toBe(0);
  expect(await value("channels.feishu.accounts.work.allowFrom")).toMatchObject({ value: ["ou_d", "ou_b"] });
  expect(await value("channels.feishu.accounts.home.allowFrom")).toMatchObject({ value: ["ou_a"] });
});

test.each([
  [["feishu:other", "ou_b"], ONE, 2, "feishu:default"],
  [["telegram:default", "1"], ONE, 2, "feishu:default"],
  [["feishu:default", "on_union"], ONE, 2, "union id"],
  [["feishu:default", "oc_g", "--group", "--owner"], ONE, 2, "cannot be the owner"],
  [["feishu:default", "ou_b"], ONE.replace("allowFrom", 'dmPolicy: "disabled", allowFrom'), 1, "Direct messages are closed"],
] as const)("%j ends with %3$i and the reason", async (args, feishu, code, words) => {
  await configure(feishu);
  expect(await home.run("access", "allow", ...args)).toMatchObject({ code, stderr: expect.stringContaining(words) as string });
});

/** Installs a channel with the forms of ids that an extension of the repository offers. */
const install = async (name: string): Promise<void> => {
  const path = join(import.meta.dirname, "../../../../extensions", name, "package.json");
  const { factotum } = JSON.parse(await readFile(path, "utf8")) as { factotum: { provides: readonly { ids: object }[] } };
  const provided = { type: "channel", id: "pigeon", entry: "./dist/index.mjs", configSchema: "./dist/config.schema.json" };
  await writeInstalled(home.factotumHome, [{ manifest: { provides: [{ ...provided, ids: factotum.provides[0]?.ids }] } }]);
};

test("an id of the other kind is refused with what to write", async () => {
  await install("telegram");
  await writeFile(
    join(home.factotumHome, "factotum.json5"),
    JSON.stringify({ channels: { pigeon: { loft: "http://127.0.0.1:9", token: "t", groups: { "-100": { allowFrom: ["-100", "5"] } } } } }),
  );
  for (const more of [[], ["--owner"]])
    expect(await home.run("access", "allow", "pigeon:default", "-1001234567890", ...more)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/"-1001234567890" is the id of a group there, not of a person\.[^]*Add --group/) as string,
    });
  expect(await home.run("access", "allow", "pigeon:default", "123456789", "--group")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/"123456789" is the id of a person there, not of a group\.[^]*Leave out --group/) as string,
  });
  // Who writes in the name of a group or channel has its id, in groups alone.
  expect((await home.run("config", "validate")).stdout).not.toContain("has not the form");
});

test.each([
  ["telegram", ["123456789"], ["@ada", "ada"], "-1001234567890"],
  ["matrix", ["@ada:example.org", "@a.b=c:example.org:8448"], ["ada", "ada:example.org", "#room:example.org"], "!abc:example.org"],
  ["discord", ["123456789012345678", "80351110224678912"], ["ada#1234", "@ada", "123"], "123456789012345678"],
  ["slack", ["U012AB3CD", "W012AB3CD"], ["alice", "@alice", "D012AB3CD"], "C012AB3CD"],
  ["irc", ["account:alice", "nick:{a}|^"], ["alice", "account:", "account:a b", "account:Alice", "user:alice"], "#team"],
  ["feishu", ["ou_881e"], ["on_881e", "881e", "оu_881e"], "oc_881e"],
])("an installed channel with the ids of %s refuses impossible ids, and notes those of the file", async (name, good, bad, group) => {
  await install(name);
  const file = join(home.factotumHome, "factotum.json5");
  const account = { loft: "http://127.0.0.1:9", token: "t" };
  await writeFile(file, JSON.stringify({ channels: { pigeon: account } }));
  for (const id of bad) {
    for (const more of [[], ["--owner"], ["--group"]]) {
      const refused = await home.run("access", "allow", "pigeon:default", id, ...more);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`"${id}" has not the form`) as string });
    }
  }
  for (const id of good) expect(await home.run("access", "allow", "pigeon:default", id, "--owner")).toMatchObject({ code: 0 });
  expect(await home.run("access", "allow", "pigeon:default", group, "--group")).toMatchObject({ code: 0 });
  expect((await home.run("config", "validate")).stdout).not.toContain("has not the form");
  const [wrong = ""] = bad;
  const channels = { pigeon: { ...account, allowFrom: [wrong], groups: { [wrong]: {}, "*": {} } } };
  await writeFile(file, JSON.stringify({ channels, commands: { ownerAllowFrom: [`pigeon:${wrong}`] } }));
  const { stdout, stderr } = await home.run("config", "validate");
  expect(`${stdout}${stderr}`.split("has not the form")).toHaveLength(4);
  const doctor = JSON.parse((await home.run("doctor", "--json")).stdout) as { findings: readonly { check: string; message: string }[] };
  expect(doctor.findings.filter(({ check }) => check === "sender-id")).toHaveLength(3);
  expect(doctor.findings).toContainEqual(
    expect.objectContaining({ check: "account", message: expect.stringContaining("has no owner") as string }),
  );
});

test("a channel named like a property of every object, such as constructor, is unknown", async () => {
  await expect(readAccess(home.env, { channel: "constructor", accountId: "default" })).rejects.toThrow("There is no account");
});
