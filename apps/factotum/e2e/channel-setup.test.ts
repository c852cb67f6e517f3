import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FakeTelegram, telegramMessageUpdate } from "@factotum/testing-channels";
import { FakeRegistry, runCommand, startProduct, type Product } from "@factotum/testing-product";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";

const EXTENSION = fileURLToPath(new URL("../../../extensions/telegram", import.meta.url));
const ACCOUNT = { channel: "telegram" };
const OWNER = 1001;

let registry: FakeRegistry;
let telegram: FakeTelegram;
let product: Product;
let client: RpcClient;
beforeAll(async () => {
  [registry, telegram] = [await FakeRegistry.start(), await FakeTelegram.start()];
  await registry.publishDependencies(EXTENSION);
  product = await startProduct({ config: {}, env: { npm_config_registry: registry.url } });
  client = await RpcClient.connect({ url: product.url, token: product.token, version: "test" });
}, 120_000);
afterAll(async () => {
  client[Symbol.dispose]();
  await product[Symbol.asyncDispose]();
  await telegram[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

const accountState = async (): Promise<string | undefined> =>
  (await client.request("status", {})).channels.find(({ channel }) => channel === "telegram")?.state;
const listed = async (id: string) => (await client.request("channels.list", {})).channels.find((one) => one.id === id);
const cli = async (...args: readonly string[]) => runCommand(args, { home: product.home });

test("a client installs a channel after what it may do was confirmed, and sets up an account whose secret no client is given", async () => {
  expect(await listed("telegram")).toEqual({
    id: "telegram",
    state: "installable",
    accounts: [],
    isImplicit: false,
    about: expect.stringContaining("@BotFather") as string,
  });
  expect(await listed("feishu")).toMatchObject({ state: "ready", package: "@factotum/feishu" });
  expect(await listed("webchat")).toMatchObject({ state: "ready", isImplicit: true });
  await expect(client.request("plugins.install", { spec: "pigeon" })).rejects.toThrow('"pigeon" is not in the list of extensions');
  await expect(client.request("channels.form", ACCOUNT)).rejects.toThrow("not installed");

  const asked = await client.request("plugins.install", { spec: "telegram" });
  if (asked.type !== "asks") throw new Error("it was not asked about");
  const { permissions, reach, digest } = asked.plan;
  expect({ permissions, reach }).toEqual({ permissions: ["network:api.telegram.org"], reach: "gateway" });
  expect(await listed("telegram")).toMatchObject({ state: "installable" });
  expect(await client.request("plugins.install", { spec: "telegram", accept: digest })).toMatchObject({ channels: ["telegram"] });
  expect(await listed("telegram")).toMatchObject({ state: "ready", accounts: [] });

  const form = await client.request("channels.form", ACCOUNT);
  expect(form).toMatchObject({ settings: {}, exists: false, schema: { properties: { token: { "x-secret": true, title: "Token" } } } });
  const { token } = telegram.app;
  const settings = { token, baseUrl: telegram.baseUrl };
  const save = async (given: object) => client.request("channels.save", { ...ACCOUNT, settings: { ...given } });
  expect(await save({ ...settings, token: "wrong" })).toMatchObject({ type: "refused", problems: [{ key: "token" }] });
  expect(await save({ ...settings, unknown: 1 })).toMatchObject({ type: "refused", problems: [{ key: "unknown" }] });
  expect(await save({ ...settings, token: form.mark })).toMatchObject({ type: "refused", problems: [{ key: "token" }] });
  expect(await readdir(join(product.home, "credentials"))).not.toContain("telegram-default-token");
  const polling = telegram.updates.connected(telegram.updates.opened + 1);
  expect(await save(settings)).toEqual({ type: "saved", credentials: ["credentials/telegram-default-token"], advised: [] });
  await polling;
  await expect.poll(accountState).toBe("connected");
  expect(await readFile(join(product.home, "factotum.json5"), "utf8")).not.toContain(token);
  expect(await client.request("channels.form", ACCOUNT)).toMatchObject({ settings: { token: form.mark }, exists: true });
}, 120_000);

test("a test message reaches the owner, and the platform's reason is given", async () => {
  const send = async (to?: string) => client.request("channels.test", { ...ACCOUNT, text: "Hello there", ...(to !== undefined && { to }) });
  expect(await send()).toEqual({ type: "no-recipient" });
  expect(await cli("channels", "test", "telegram")).toMatchObject({ code: 2, stderr: expect.stringContaining("--to ID") as string });
  const message = telegram.addMessage({ chatId: OWNER, fromId: OWNER, text: "Hi" });
  await telegram.updates.deliver(telegramMessageUpdate(telegram, message));
  await expect.poll(async () => (await client.request("pairing.list", {})).pending.length).toBe(1);
  const [request] = (await client.request("pairing.list", {})).pending;
  expect(await client.request("pairing.approve", { code: request?.code ?? "" })).toMatchObject({ owner: true });

  expect(await send()).toMatchObject({ type: "accepted", messageIds: [expect.any(String) as string] });
  expect(telegram.sent.at(-1)).toMatchObject({ chatId: OWNER, text: "Hello there" });
  expect(await cli("channels", "test", "telegram", "--text", "From the terminal")).toMatchObject({ code: 0 });
  expect(telegram.sent.at(-1)).toMatchObject({ chatId: OWNER, text: "From the terminal" });
  expect(await send("4711")).toEqual({ type: "no-recipient" });
  telegram.failNext({ type: "refuse", code: 403, description: "Forbidden: bot was blocked by the user" });
  expect(await send()).toMatchObject({ type: "rejected", reason: expect.stringMatching(/^forbidden: .*blocked/) as string });
}, 60_000);

test("who may write is read and changed, and a person with an id of another form is refused", async () => {
  const allow = async (id: string, as: "guest" | "owner" | "group") => client.request("access.allow", { ...ACCOUNT, id, as });
  expect(await client.request("access.list", ACCOUNT)).toMatchObject({
    dmPolicy: "pairing",
    allowFrom: [],
    owners: [String(OWNER)],
    forms: { people: expect.stringContaining("number") as string },
  });
  await expect(allow("@ann", "guest")).rejects.toThrow("has not the form of the id of a person");
  expect(await allow("2002", "guest")).toMatchObject({ allowFrom: ["2002"] });
  expect(await allow("-1001", "group")).toMatchObject({ groups: ["-1001"] });
  expect(await allow("3003", "owner")).toMatchObject({ owners: [String(OWNER), "3003"] });
  expect(await client.request("access.remove", { ...ACCOUNT, id: "3003", as: "owner" })).toMatchObject({ owners: [String(OWNER)] });
  expect(await cli("access", "remove", "telegram", "--group", "--", "-1001")).toMatchObject({ code: 0 });
  const policy = async (dmPolicy: "open" | "pairing") => client.request("access.policy", { ...ACCOUNT, dmPolicy });
  expect(await policy("open")).toMatchObject({ dmPolicy: "open", allowFrom: ["2002", "*"], groups: [] });
  expect(await policy("pairing")).toMatchObject({ dmPolicy: "pairing", allowFrom: ["2002"] });
  expect(await cli("access", "policy", "telegram", "--groups", "disabled")).toMatchObject({ code: 0 });
  expect(await cli("access", "list", "telegram")).toMatchObject({ stdout: expect.stringMatching(/groups +disabled/) as string });
}, 60_000);

test("settings are changed without the secret, an account is started again, and removed with what belongs to it", async () => {
  const { settings } = await client.request("channels.form", ACCOUNT);
  expect(await client.request("channels.save", { ...ACCOUNT, settings: { ...settings } })).toMatchObject({
    type: "saved",
    credentials: [],
  });
  expect(await client.request("channels.restart", ACCOUNT)).toEqual({ restarted: true });
  await expect.poll(accountState).toBe("connected");
  const { channels } = await client.request("status", {});
  expect(channels.find(({ channel }) => channel === "telegram")).toMatchObject({
    sinceMs: expect.any(Number) as number,
    lastInboundAtMs: expect.any(Number) as number,
  });
  expect(await cli("channels", "restart", "telegram")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("started again") as string,
  });

  expect(await client.request("channels.remove", ACCOUNT)).toEqual({
    key: "channels.telegram",
    credentials: ["credentials/telegram-default-token"],
    admitting: ["allowFrom", "groups"],
    discarded: 0,
    pairings: 1,
    owners: [`telegram:${OWNER}`],
  });
  expect(await accountState()).toBeUndefined();
  expect(await readdir(join(product.home, "credentials"))).not.toContain("telegram-default-token");
  await expect(client.request("channels.remove", ACCOUNT)).rejects.toThrow("No account telegram:default");
}, 60_000);
