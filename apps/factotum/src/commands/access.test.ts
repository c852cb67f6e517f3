import { afterEach, beforeEach, expect, test } from "vitest";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliHome } from "../../test/cli.ts";

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

test("takes a group's id that is a negative number", async () => {
  await configure(ONE);
  expect((await home.run("access", "allow", "feishu:default", "-1001234", "--group")).code).toBe(0);
  expect(await value("channels.feishu.groups")).toMatchObject({ value: { "-1001234": {} } });
});

test("changes the named one of several accounts, and copies the defaults' list", async () => {
  await writeFile(
    join(home.factotumHome, "factotum.json5"),
    `{ channels: { defaults: { allowFrom: ["ou_d"] }, feishu: { accounts: { work: ${ONE.replace(', allowFrom: ["ou_a"]', "")}, home: ${ONE.replace("cdef", "cdee")} } } } }`,
  );
  expect((await home.run("access", "allow", "feishu", "ou_b")).code).toBe(2);
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
