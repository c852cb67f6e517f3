import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { statePaths } from "@factotum/config";
import type { ChannelService } from "@factotum/gateway";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { createChannelService, listChannels } from "./channel-service.ts";

function contextOf(home: CliHome, ids: readonly string[] = []): CliContext {
  const known = ids.map((id) => [id, { package: `@factotum/${id}`, version: "0.1.0", integrity: "sha512-x" }] as const);
  return {
    env: home.env,
    paths: statePaths(home.env),
    version: "0",
    self: { file: "", args: [] },
    platform: "linux",
    knownExtensions: Object.fromEntries(known),
    print: () => undefined,
    note: () => undefined,
    signal: new AbortController().signal,
  };
}

test("the channel that is ready in a minute is offered first, and those that are there before the others", async () => {
  await using home = await CliHome.create();
  const listed = await listChannels(contextOf(home, ["email", "matrix", "telegram"]));
  expect(listed[0]).toMatchObject({ id: "telegram", state: "installable" });
  expect(listed.slice(-2).map(({ id }) => id)).toEqual(["email", "matrix"]);
});

test.each([
  ["webchat", "default"],
  ["__proto__", "default"],
  ["constructor", "default"],
  ["telegram", "__proto__"],
])("%s:%s is no configured account, so it is not removed", async (channel, accountId) => {
  await using home = await CliHome.create();
  await expect(serviceOf(home).remove({ channel, accountId })).rejects.toMatchObject({ name: "RpcError", code: "not-found" });
});

const ACCOUNT = { channel: "feishu", accountId: "default" };
const SETTINGS = { appId: "cli_a1b2c3d4e5f60718", appSecret: "first secret", transport: { type: "websocket" } };
const CHANGED = {
  name: "RpcError",
  code: "conflict",
  message: "channels.feishu has changed since it was read. Read it again, and make your change there.",
};

test("settings are saved over those that were read, and over no others", async () => {
  await using home = await CliHome.create();
  const service = serviceOf(home);
  const none = await service.form(ACCOUNT);
  expect(none).toMatchObject({ settings: {}, exists: false });
  await service.save(ACCOUNT, { settings: SETTINGS, baseHash: none.baseHash });
  // Who may write does not belong to these settings.
  expect(await home.run("access", "allow", "feishu", "ou_1")).toMatchObject({ code: 0 });
  const { settings, baseHash } = await service.form(ACCOUNT);
  expect(await home.run("access", "allow", "feishu", "ou_2")).toMatchObject({ code: 0 });
  expect(await service.save(ACCOUNT, { settings: { ...settings, domain: "lark" }, baseHash })).toMatchObject({ type: "saved" });
  expect(await home.read("factotum.json5")).toMatch(/ou_1[^]*ou_2/);

  expect(await home.run("config", "set", "channels.feishu.domain", "feishu")).toMatchObject({ code: 0 });
  const [file, secret] = [await home.read("factotum.json5"), await home.read(SECRET)];
  const mine = { ...SETTINGS, appSecret: "second secret" };
  await expect(service.save(ACCOUNT, { settings: mine, baseHash })).rejects.toMatchObject(CHANGED);
  // The account was added while its form was open, and another one is gone.
  await expect(service.save(ACCOUNT, { settings: mine, baseHash: none.baseHash })).rejects.toMatchObject(CHANGED);
  expect([await home.read("factotum.json5"), await home.read(SECRET)]).toEqual([file, secret]);
  await expect(service.save({ ...ACCOUNT, accountId: "gone" }, { settings: mine, baseHash })).rejects.toMatchObject({ code: "conflict" });
  // A program that has not read them replaces them.
  expect(await service.save(ACCOUNT, { settings: mine })).toMatchObject({ type: "saved" });
  expect((await service.form(ACCOUNT)).settings).not.toHaveProperty("domain");
});

test("a change between the check and the write is not overwritten, and one elsewhere does not matter", async () => {
  await using home = await CliHome.create();
  let whileSaving: (() => void) | undefined;
  const service = serviceOf(home, () => {
    whileSaving?.();
    whileSaving = undefined;
  });
  const path = join(home.factotumHome, "factotum.json5");
  const replace = (before: string, after: string): void => writeFileSync(path, readFileSync(path, "utf8").replace(before, after));
  await service.save(ACCOUNT, { settings: { ...SETTINGS, domain: "lark" } });
  const { settings, baseHash } = await service.form(ACCOUNT);
  const mine = { settings: { ...settings, appSecret: "second secret" }, baseHash };

  whileSaving = () => replace("lark", "feishu");
  await expect(service.save(ACCOUNT, mine)).rejects.toMatchObject(CHANGED);
  expect(await home.read(SECRET)).toBe("first secret\n");

  const now = await service.form(ACCOUNT);
  whileSaving = () => replace("{", "{ gateway: { port: 4711 },");
  expect(await service.save(ACCOUNT, { ...mine, baseHash: now.baseHash })).toMatchObject({ type: "saved" });
  expect(await home.read(SECRET)).toBe("second secret\n");
  expect(await home.read("factotum.json5")).toMatch(/4711[^]*lark/);
});

const SECRET = "credentials/feishu-default-appSecret";

function serviceOf(home: CliHome, onSecret: () => void = () => undefined): ChannelService {
  const context = contextOf(home);
  const reload = async () => ({ type: "applied", changed: [], needsRestart: [], problems: [] }) as const;
  return createChannelService({ context, control: { reload }, onSecret });
}
