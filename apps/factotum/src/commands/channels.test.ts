import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChannelLoginStep } from "@factotum/protocol";
import { openSqliteStore, type NewOutbound, type SqliteStore } from "@factotum/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { writeInstalled } from "../../test/extension-package.ts";
import { FakeGateway } from "../../test/fake-gateway.ts";
import { FakeLoft } from "../../test/fake-loft.ts";
import { ScriptedPrompts } from "../../test/scripted-prompts.ts";
import { statusSample } from "../../test/status-sample.ts";
import { QUIET_LOGGER } from "../runtime/quiet-logger.ts";
import { systemClock, systemRandom } from "../runtime/system-clock.ts";

let home: CliHome;
let loft: FakeLoft;
beforeEach(async () => {
  home = await CliHome.create();
  loft = await FakeLoft.start();
  await writeInstalled(home.factotumHome, [{}]);
});
afterEach(async () => {
  await loft[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

const add = (...more: readonly string[]): ReturnType<CliHome["run"]> =>
  home.run("channels", "add", "pigeon", "--set", `loft=${loft.url}`, "--set", `token=${loft.token}`, ...more);

test("adds an account from flags: the secret goes to a private file, and comments stay", async () => {
  await writeFile(join(home.factotumHome, "factotum.json5"), "// mine\n{ gateway: { port: 4711 } } // end\n");
  const { code, stdout, stderr } = await add("--set", 'allowFrom=["carol"]');
  expect(code).toBe(0);
  expect(stdout).toContain("pigeon/default is set up in");
  expect(stdout).toContain("its secrets are in credentials/pigeon-default-token.");
  const text = await home.read("factotum.json5");
  expect(text).toMatch(/^\/\/ mine\n[^]*\/\/ end\n$/);
  expect(`${text}${stdout}${stderr}`).not.toContain(loft.token);
  const file = join(home.factotumHome, "credentials/pigeon-default-token");
  expect(await home.read("credentials/pigeon-default-token")).toBe(`${loft.token}\n`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const get = await home.run("config", "get", "channels.pigeon", "--json");
  expect(JSON.parse(get.stdout)).toMatchObject({
    value: { loft: loft.url, token: { file: "credentials/pigeon-default-token" }, allowFrom: ["carol"] },
  });
});

test("asks at a terminal for what is needed, and does not show the secret", async () => {
  const prompts = new ScriptedPrompts([
    [/^loft: Address of the loft\. /, loft.url],
    [/^token: The loft's token\.$/, loft.token],
  ]);
  const { code } = await home.runWith({ prompts: async () => prompts }, "channels", "add", "pigeon", "--account", "north");
  expect(code).toBe(0);
  expect(await home.read("credentials/pigeon-north-token")).toBe(`${loft.token}\n`);
  expect((await home.run("channels", "list")).stdout).toMatch(/^pigeon +pigeon-post +north$/m);
});

test("asks which form of a setting is meant, then for its own settings", async () => {
  const prompts = new ScriptedPrompts([
    [/^appId: /, "cli_0123456789abcdef"],
    [/^appSecret: /, "secret-one"],
    [/^transport\.type: /, "webhook"],
    [/^transport\.encryptKey: /, "secret-two"],
    [/^transport\.verificationToken: /, "secret-three"],
  ]);
  expect((await home.runWith({ prompts: async () => prompts }, "channels", "add", "feishu")).code).toBe(0);
  const { value } = JSON.parse((await home.run("config", "get", "channels.feishu", "--json")).stdout) as { value: object };
  expect(value).toEqual({
    appId: "cli_0123456789abcdef",
    appSecret: { file: "credentials/feishu-default-appSecret" },
    transport: {
      type: "webhook",
      encryptKey: { file: "credentials/feishu-default-transport-encryptKey" },
      verificationToken: { file: "credentials/feishu-default-transport-verificationToken" },
    },
  });
  const flags = ["appId=cli_fedcba9876543210", "appSecret={env: 'SECRET'}", "transport.type=websocket"].flatMap((pair) => ["--set", pair]);
  await home.run("config", "unset", "channels.feishu");
  expect((await home.run("channels", "add", "feishu", ...flags)).code).toBe(0);
  expect(JSON.parse((await home.run("config", "get", "channels.feishu.appSecret", "--json")).stdout)).toMatchObject({
    value: { env: "SECRET" },
  });
});

test("reads a secret from standard input", async () => {
  const readInput = async (): Promise<string> => `${loft.token}\n`;
  const { code } = await home.runWith({ readInput }, "channels", "add", "pigeon", "--set", `loft=${loft.url}`, "--set", "token=-");
  expect(code).toBe(0);
  expect(await home.read("credentials/pigeon-default-token")).toBe(`${loft.token}\n`);
});

const flagsOf = (...pairs: readonly string[]): readonly string[] => pairs.flatMap((pair) => ["--set", pair]);
const SLACK_HTTP = flagsOf("transport.type=http", "transport.signingSecret=s");
const SLACK_SOCKET = flagsOf("transport.type=socket", "transport.appToken=xoxb-canary");
const FEISHU = flagsOf("appSecret=canary", "transport.type=websocket");

test.each([
  [["pigeon"], 2, "These settings are needed: --set loft=… (Address of the loft), --set token=… (The loft's token)."],
  [["pigeon", "--set", "loft=http://x", "--set", "tokn=t"], 2, 'There is no setting tokn; did you mean "token"?'],
  [["feishu", "--set", "appId=a", "--set", "appSecret=s", "--set", "transport.tpye=webhook"], 2, 'did you mean "transport.type"?'],
  [["pigeon", "--set", "loft"], 2, '"loft" has no value'],
  [["pigeon", "--set", "loft=http://x", "--set", "token=t", "--set", "a.b=1"], 2, "There is no setting a.b here"],
  [["pigeon", "--set", "loft=nowhere", "--set", "token=t"], 4, "an address such as https://example.com is expected"],
  [["pigeon", "--set", "loft=http://x", "--set", "token=t", "--set", "flok=grey"], 4, 'did you mean "flock"?'],
  [["pigeon", "--set", "loft=ftp://x", "--set", "token=t"], 4, "channels.pigeon.loft: an address of http or https is expected"],
  [["pigeon", "--account", "n", "--set", "loft=ftp://x", "--set", "token=t"], 4, "channels.pigeon.accounts.n.loft: an address of http"],
  [["slack", "--set", "botToken=xoxp-canary", ...SLACK_HTTP], 4, "channels.slack.botToken: the Bot User OAuth Token is expected"],
  [["slack", "--set", "botToken=xoxb-1", ...SLACK_SOCKET], 4, "channels.slack.transport.appToken: an app-level token is expected"],
  [["feishu", "--set", "appId=cli_demo", ...FEISHU], 4, "channels.feishu.appId: the App ID is expected, cli_ and 16"],
  [["raven"], 2, 'There is no channel "raven"'],
])("%j is refused, and leaves no secret", async (args, code, reason) => {
  const refused = await home.run("channels", "add", ...args);
  expect(refused).toMatchObject({ code, stderr: expect.stringContaining(reason) as string });
  expect(await readdir(join(home.factotumHome, "credentials")).catch(() => [])).toEqual([]);
  expect(`${refused.stdout}${refused.stderr}`).not.toContain("canary");
});

test("says how to be admitted, by the account's policy", async () => {
  expect((await add()).stdout).toContain("approve the code that it answers with: factotum pairing approve CODE. With your id");
  const closed = await home.run("channels", "add", "irc", "--set", "host=irc.example", "--set", "nick=fact", "--set", "dmPolicy=allowlist");
  expect(closed).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Say who may talk to it: factotum access allow irc:default") as string,
  });
  await home.run("channels", "remove", "irc");
  const open = await home.run("channels", "add", "irc", "--set", "host=irc.example", "--set", "nick=fact");
  expect(open.stdout).toContain("CODE. Log in to the network's services before you write");
});

test("names the folder of a clone that has the channel", async () => {
  await mkdir(join(home.home, "extensions/raven"), { recursive: true });
  await writeFile(join(home.home, "extensions/raven/package.json"), "{}");
  const cwd = vi.spyOn(process, "cwd").mockReturnValue(home.home);
  const { code, stderr } = await home.run("channels", "add", "raven");
  const other = await home.run("channels", "add", "crow");
  cwd.mockRestore();
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("factotum plugins add ./extensions/raven") as string });
  expect(other.stderr).toContain('There is no channel "crow"');
});

test("a removal says that it removes who was admitted", async () => {
  await add("--set", 'allowFrom=["carol"]');
  expect((await home.run("channels", "remove", "pigeon")).stdout).toContain("Who was admitted there is removed with it: allowFrom.\n");
  await add();
  expect((await home.run("channels", "remove", "pigeon")).stdout).not.toContain("admitted");
});

test("a removal names the owners who stay, and a further account how its owner is made", async () => {
  await home.run("config", "set", "commands.ownerAllowFrom", '["pigeon:carol", "raven:carol"]');
  expect((await add()).stdout).toContain("An approved code makes a guest");
  const { stderr } = await home.run("channels", "remove", "pigeon");
  expect(stderr).toContain("Still an owner: pigeon:carol.");
  expect(stderr).toContain(`factotum config set commands.ownerAllowFrom '["raven:carol"]'`);
});

test("a running gateway removes an account, and the command says what went with it", async () => {
  await add();
  const asked: unknown[] = [];
  const removal = { key: "channels.pigeon", credentials: ["credentials/pigeon-default-token"], admitting: ["groups"], owners: [] };
  await using _gateway = await FakeGateway.start(home.factotumHome, {
    connect: async () => true,
    request: async (method, _token, params) => {
      asked.push([method, params]);
      return { ...removal, discarded: 2, pairings: 1 };
    },
  });
  const { code, stdout, stderr } = await home.run("channels", "remove", "pigeon");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("and the files of its secrets are deleted.");
  expect(stdout).toContain("is removed with it: groups, pairings.");
  expect(stdout).toContain("2 messages that wait to be sent there are kept, and not sent by another account: factotum deadletters list");
  expect(asked).toEqual([["channels.remove", { channel: "pigeon", accountId: "default" }]]);
});

test("without a gateway a removal gives up what waits to be sent there, and nothing else", async () => {
  await add();
  const row = (accountId: string, key: string, state: "waiting" | "sending"): NewOutbound => ({
    sessionKey: "agent:main:main",
    target: { channel: "pigeon", accountId, conversation: { kind: "direct", id: "carol" } },
    outbound: { type: "text", text: "hello" },
    purpose: "reply",
    idempotencyKey: key,
    dueAtMs: 0,
    expiresAtMs: Date.now() + 3_600_000,
    state,
  });
  const ids = await withStore(async (store) => {
    const rows = [row("default", "one", "waiting"), row("default", "two", "sending"), row("north", "three", "waiting")];
    return (await store.addOutbound(rows)).map(({ id }) => id);
  });
  const { stdout } = await home.run("channels", "remove", "pigeon");
  expect(stdout).toContain("2 messages that wait to be sent there are kept");
  await withStore(async (store) => {
    const states = await Promise.all(ids.map(async (id) => (await store.readOutbound(id))?.state));
    const reason = "its account was removed";
    expect(states).toEqual([{ type: "dead", reason }, { type: "ambiguous", reason }, { type: "waiting" }]);
  });
});

/** With the database of the stopped gateway. */
async function withStore<Result>(work: (store: SqliteStore) => Promise<Result>): Promise<Result> {
  const store = await openSqliteStore({
    folder: join(home.factotumHome, "state"),
    copies: { folder: () => join(home.factotumHome, "agents"), cwd: () => home.home, agents: async () => [] },
    clock: systemClock,
    random: systemRandom,
    logger: QUIET_LOGGER,
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

test("without a gateway a removal says that pairings stay", async () => {
  await add();
  expect((await home.run("channels", "remove", "pigeon")).stderr).toContain('until "factotum pairing revoke"');
});

test.each([["probe"], ["remove"], ["capabilities"]])("channels %s names the missing package of a configured channel", async (command) => {
  await home.run("setup", "--non-interactive");
  await writeFile(join(home.factotumHome, "factotum.json5"), '{ channels: { raven: { nest: "x" } } }');
  expect(await home.run("channels", command, "raven")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("A package that provides it is installed with: factotum plugins add") as string,
  });
  expect(await home.run("plugins", "doctor")).toMatchObject({ code: 1, stdout: expect.stringContaining('no channel "raven"') as string });
});

test("status and channels status name a state with the same word", async () => {
  const channels = [
    { channel: "pigeon", accountId: "default", state: "starting", detail: "set gateway.publicUrl" },
    { channel: "pigeon", accountId: "north", state: "starting" },
    { channel: "pigeon", accountId: "east", state: "starting", detail: "no request", webhookUrl: "https://a.example/channels/pigeon/east" },
    { channel: "pigeon", accountId: "west", state: "connected", webhookUrl: "https://a.example/channels/pigeon/west" },
  ] as const;
  const results: Record<string, unknown> = { status: statusSample({ channels: [...channels] }), "warnings.list": { warnings: [] } };
  await using _gateway = await FakeGateway.start(home.factotumHome, {
    connect: async () => true,
    request: async (method) => results[method],
  });
  for (const command of [["status"], ["channels", "status"]]) {
    const { stdout } = await home.run(...command);
    expect(stdout).toContain("pigeon/default: waiting (set gateway.publicUrl)");
    expect(stdout).toContain("pigeon/north: starting");
    expect(stdout).toContain("pigeon/east: listening at https://a.example/channels/pigeon/east (no request)");
    expect(stdout).toContain("pigeon/west: connected at https://a.example/channels/pigeon/west");
  }
});

test("does not write over an account", async () => {
  await add();
  const isThere = { code: 2, stderr: expect.stringContaining("channels.pigeon is configured already") as string };
  expect(await add()).toMatchObject(isThere);
  expect(await add("--account", "default")).toMatchObject(isThere);
  await add("--account", "north");
  for (const name of ["default", "north"]) {
    const stderr = expect.stringContaining(`channels.pigeon.accounts.${name} is configured already`) as string;
    expect(await add("--account", name)).toMatchObject({ code: 2, stderr });
  }
});

test("a second account moves the settings of the first under its name, and both are used", async () => {
  await add("--set", 'allowFrom=["carol"]');
  const { code, stdout } = await add("--account", "north");
  expect(code).toBe(0);
  expect(stdout).toContain("The settings of pigeon/default are in channels.pigeon.accounts.default now.");
  const secret = (name: string): object => ({ file: `credentials/pigeon-${name}-token` });
  expect(JSON.parse((await home.run("config", "get", "channels.pigeon", "--json")).stdout)).toMatchObject({
    value: {
      accounts: {
        default: { loft: loft.url, token: secret("default"), allowFrom: ["carol"] },
        north: { loft: loft.url, token: secret("north") },
      },
    },
  });
  expect((await home.run("channels", "list")).stdout).toMatch(/^pigeon +pigeon-post +default, north$/m);
});

test("a removal deletes the files of settings that were unset before, and no file that another account names", async () => {
  await add();
  await home.run("config", "set", "channels.pigeon.token", '{ env: "LOFT_TOKEN" }');
  expect(await readdir(join(home.factotumHome, "credentials"))).toEqual(["pigeon-default-token"]);
  expect(await home.run("channels", "remove", "pigeon")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("and the files of its secrets are") as string,
  });
  expect(await readdir(join(home.factotumHome, "credentials"))).toEqual([]);

  await add("--account", "east");
  const shared = `{ loft: "${loft.url}", token: { file: "credentials/pigeon-east-token" } }`;
  await home.run("config", "set", "channels.pigeon.accounts.west", shared);
  expect(JSON.parse((await home.run("channels", "remove", "pigeon:east", "--json")).stdout)).toMatchObject({ credentials: [] });
  expect(await readdir(join(home.factotumHome, "credentials"))).toEqual(["pigeon-east-token"]);
});

test("a removal finds the files of every form of a setting", async () => {
  const flags = ["appId=cli_0123456789abcdef", "appSecret=one", "transport.type=webhook", "transport.encryptKey=two"];
  const all = [...flags, "transport.verificationToken=three"].flatMap((pair) => ["--set", pair]);
  expect((await home.run("channels", "add", "feishu", ...all)).code).toBe(0);
  await home.run("config", "set", "channels.feishu.transport", '{ type: "websocket" }');
  expect(await readdir(join(home.factotumHome, "credentials"))).toHaveLength(3);
  await home.run("channels", "remove", "feishu");
  expect(await readdir(join(home.factotumHome, "credentials"))).toEqual([]);
});

test("lists channels, and removes an account with the files of its secrets", async () => {
  await add();
  const { stdout } = await home.run("channels", "list");
  expect(stdout).toMatch(/^CHANNEL +PACKAGE +ACCOUNTS\na2a +@factotum\/a2a +not configured\nfeishu +@factotum\/feishu +not configured\n/);
  expect(stdout).toMatch(/^webchat +@factotum\/webchat +default\npigeon +pigeon-post +default\n$/m);
  expect(await home.run("channels", "remove", "pigeon")).toMatchObject({ code: 0 });
  expect(await readdir(join(home.factotumHome, "credentials"))).toEqual([]);
  expect((await home.run("channels", "list")).stdout).toMatch(/^pigeon +pigeon-post +not configured$/m);
  const again = await home.run("channels", "remove", "pigeon");
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no account "pigeon"') as string });
});

test("a secret's file that the owner named stays", async () => {
  await mkdir(join(home.factotumHome, "credentials"), { recursive: true });
  await writeFile(join(home.factotumHome, "credentials/loft"), loft.token);
  await home.run("channels", "add", "pigeon", "--set", `loft=${loft.url}`, "--set", "token={file: 'credentials/loft'}");
  await home.run("channels", "remove", "pigeon");
  expect(await readdir(join(home.factotumHome, "credentials"))).toEqual(["loft"]);
});

test("probes an account, and says why it does not work", async () => {
  await add();
  expect(await home.run("channels", "probe", "pigeon")).toMatchObject({ code: 0, stdout: "pigeon/default works: The loft (loft-1)\n" });
  await home.run("config", "set", "channels.pigeon.token", "wrong-token");
  expect(await home.run("channels", "probe", "pigeon")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("pigeon/default does not work: the loft answered 401") as string,
  });
  expect(await home.run("channels", "probe", "webchat")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("cannot be probed") as string,
  });
});

test("names the settings that the extension's own schema refuses, in one line", async () => {
  const entry = `
    const issues = [{ code: "invalid_format", path: ["loft"], message: "Invalid URL" }, { code: "custom", path: [], message: "no loft" }];
    export const pigeonExtension = {
      id: "pigeon", api: 1, create: () => ({}),
      configSchema: { parse: () => { throw Object.assign(new Error(JSON.stringify(issues, null, 2)), { issues }); } },
    };`;
  await writeInstalled(home.factotumHome, [{ entry }]);
  const pigeon = { loft: loft.url, token: loft.token };
  await writeFile(join(home.factotumHome, "factotum.json5"), JSON.stringify({ channels: { pigeon } }));
  const { code, stderr } = await home.run("channels", "probe", "pigeon");
  expect(code).toBe(1);
  expect(stderr).toContain("channels.pigeon is off: loft: Invalid URL; no loft\n");
});

const accounts = (...names: readonly string[]): Promise<void> =>
  writeFile(
    join(home.factotumHome, "factotum.json5"),
    JSON.stringify({
      channels: { pigeon: { accounts: Object.fromEntries(names.map((name) => [name, { loft: loft.url, token: loft.token }])) } },
    }),
  );

test("a channel alone means its account default, or its only one", async () => {
  await accounts("default", "work");
  expect(await home.run("channels", "probe", "pigeon")).toMatchObject({ code: 0, stdout: "pigeon/default works: The loft (loft-1)\n" });
  expect(await home.run("channels", "probe", "pigeon:work")).toMatchObject({ code: 0 });
  expect(await home.run("channels", "capabilities", "pigeon")).toMatchObject({ code: 0 });
  expect(await home.run("channels", "probe", "pigeon:home")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/There is no account "pigeon:home"[^]*Write one of these: .*pigeon, pigeon:work/) as string,
  });
  expect(await home.run("channels", "remove", "pigeon")).toMatchObject({ code: 0 });
  expect(await home.run("channels", "probe", "pigeon")).toMatchObject({ code: 0, stdout: "pigeon/work works: The loft (loft-1)\n" });
});

test("a channel alone is ambiguous if it has several accounts and none is default", async () => {
  await accounts("home", "work");
  expect(await home.run("channels", "probe", "pigeon")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /The channel "pigeon" has several accounts\.[^]*Write one of these: pigeon:home, pigeon:work\./,
    ) as string,
  });
});

test("shows capabilities, of a built-in channel too", async () => {
  await add();
  const { stdout } = await home.run("channels", "capabilities", "pigeon", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ channel: "pigeon/default", capabilities: { threads: "flat" } });
  expect((await home.run("channels", "capabilities", "webchat")).stdout).toMatch(/^addressing +session-key$/m);
});

test("probe and capabilities ask the running gateway", async () => {
  await add();
  const asked: unknown[] = [];
  const results: Record<string, unknown> = {
    "channels.capabilities": { capabilities: { threads: "native", optional: ["probe"] } },
    "channels.probe": { account: { id: "loft-9", name: "The gateway's loft" }, missingPermissions: ["coo"], notes: ["It is shy."] },
  };
  await using _gateway = await FakeGateway.start(home.factotumHome, {
    connect: async () => true,
    request: async (method, _token, params) => {
      asked.push([method, params]);
      return results[method];
    },
  });
  expect(await home.run("channels", "probe", "pigeon")).toMatchObject({
    code: 1,
    stdout: "pigeon/default works: The gateway's loft (loft-9)\n! it lacks the permission coo\n  It is shy.\n",
  });
  const address = { channel: "pigeon", accountId: "default" };
  expect(asked).toEqual([
    ["channels.capabilities", address],
    ["channels.probe", address],
  ]);
  expect((await home.run("channels", "capabilities", "pigeon")).stdout).toMatch(/^threads +native$/m);
  results["channels.capabilities"] = { capabilities: { optional: [] } };
  expect(await home.run("channels", "probe", "pigeon")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("cannot be probed") as string,
  });
});

test("the state is the running gateway's", async () => {
  expect(await home.run("channels", "status")).toMatchObject({ code: 3 });
});

test("shows the codes of people who ask to be admitted", async () => {
  const nowMs = Date.now();
  const request = {
    channel: "irc",
    accountId: "default",
    senderId: "ann",
    code: "K7RWQ2MX",
    requestedAtMs: nowMs,
    expiresAtMs: nowMs + 90_000,
  };
  await using _gateway = await FakeGateway.start(home.factotumHome, {
    connect: async () => true,
    request: async () => statusSample({ pairing: { pending: [request], approved: 0 } }),
  });
  expect((await home.run("channels", "status")).stdout).toBe(
    [
      "pairing    1 person asks to be admitted: factotum pairing approve CODE",
      '           K7RWQ2MX  irc/default "ann", valid for 2 more minutes',
      "",
    ].join("\n"),
  );
  expect(JSON.parse((await home.run("channels", "status", "--json")).stdout)).toMatchObject({ pairing: { pending: [request] } });
});

test("lists what is refused with the command that admits it", async () => {
  const group = { channel: "irc", accountId: "default", type: "group", id: "#room", count: 2, lastAtMs: Date.now() - 90_000 } as const;
  const admit = "factotum access allow irc:default '#room' --group";
  await using _gateway = await FakeGateway.start(home.factotumHome, {
    connect: async () => true,
    request: async () =>
      statusSample({
        channels: [{ channel: "irc", accountId: "default", state: "connected" }],
        refused: { messages: 2, senders: [{ ...group, admit }] },
      }),
  });
  const { code, stdout } = await home.run("channels", "status");
  expect([code, stdout]).toEqual([
    0,
    [
      "irc/default: connected",
      "refused    2 messages of people or groups that are not admitted, since the start",
      `           irc/default group #room: 2, the newest 1 minute ago; admit: ${admit}`,
      "",
    ].join("\n"),
  ]);
});

test("a login is the running gateway's", async () => {
  await add();
  expect(await home.run("channels", "login", "pigeon")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("The running gateway keeps a login") as string,
  });
});

test("shows the steps of a login, and passes the answers on", async () => {
  await add();
  const steps: readonly ChannelLoginStep[] = [
    { type: "text", text: "It begins." },
    { type: "waiting" },
    { type: "link", url: "https://loft.example/login", text: "Open this." },
    { type: "qr", content: "loft:1", text: "Scan this." },
    { type: "ask", text: "The code", isSecret: true },
    { type: "done", text: "It is logged in." },
  ];
  const asked: unknown[] = [];
  await using _gateway = await FakeGateway.start(home.factotumHome, {
    connect: async () => true,
    request: async (_method, _token, params) => ({ loginId: "l1", step: steps[asked.push(params) - 1] }),
  });
  const prompts = new ScriptedPrompts([[/^The code$/, "1234"]]);
  const { code, stdout } = await home.runWith({ prompts: async () => prompts }, "channels", "login", "pigeon");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^It begins\.\nOpen this\.\nhttps:\/\/loft\.example\/login\nScan this\.\n[^]*[▀▄█][^]*\nIt is logged in\.\n$/);
  const address = { channel: "pigeon", accountId: "default" };
  expect(asked).toEqual([
    address,
    ...[1, 2, 3, 4].map(() => ({ ...address, loginId: "l1" })),
    { ...address, loginId: "l1", answer: "1234" },
  ]);
});
