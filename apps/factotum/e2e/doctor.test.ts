import { createServer } from "node:net";
import { once } from "node:events";
import { chmod, open, rm, stat } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { FakeFeishu } from "@factotum/testing-channels";
import { canMountDisk, freePort, mountSmallDisk } from "@factotum/testing-product";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DoctorScene, RIGHT_KEY } from "./doctor-scene.ts";

/** A fault that is planted into a sound installation. */
interface Fault {
  /** Which check finds it. */
  readonly check: string;
  readonly message: RegExp;
  readonly plant: (scene: DoctorScene) => Promise<void>;
  /** Does what the finding says; by default runs the commands that it names. */
  readonly follow?: (scene: DoctorScene, finding: { readonly message: string; readonly fix: string }) => Promise<void>;
}

const SECRET = "secret-of-the-app-0123456789";
const FEISHU = {
  appId: "cli_0123456789abcdef",
  appSecret: { file: "credentials/feishu" },
  baseUrl: "",
  transport: { type: "websocket" },
  allowFrom: ["ou_olga"],
};
const OWNER = { commands: { ownerAllowFrom: ["feishu:ou_olga"] } };

const FAULTS: Readonly<Record<string, Fault>> = {
  "a state directory that others can read": {
    check: "home",
    message: /Other users of this machine can open .* \(mode 755\)/,
    plant: ({ home }) => chmod(home, 0o755),
    follow: (scene, { fix }) => scene.shell(fix),
  },
  "a token that others can read": {
    check: "gateway-token",
    message: /gateway-token \(mode 644\)/,
    plant: (scene) => chmod(scene.file("credentials/gateway-token"), 0o644),
    follow: async (scene) => void (await scene.run("doctor", "--fix")),
  },
  "a configuration that others can read": {
    check: "config-permissions",
    message: /factotum\.json5 \(mode 640\)/,
    plant: (scene) => chmod(scene.file("factotum.json5"), 0o640),
    follow: async (scene) => void (await scene.run("doctor", "--fix")),
  },
  "a workspace that is gone": {
    check: "workspace",
    message: /is not there yet/,
    plant: (scene) => rm(scene.file("workspace"), { recursive: true }),
  },
  "a configuration that cannot be read": {
    check: "config",
    message: /a comma is missing before this \(line 3, column 3\)/,
    plant: (scene) => scene.writeConfig("{\n  gateway: {}\n  session: {},\n}"),
    follow: async (scene) => scene.writeConfig((await scene.readConfig()).replace("{}\n", "{},\n")),
  },
  "a misspelt key": {
    check: "config",
    message: /did you mean "session"\?/,
    plant: (scene) => scene.configure({ sesion: { scope: "global" } }),
  },
  "a secret in the configuration": {
    check: "config-secret",
    message: /models\.providers\.anthropic\.apiKey holds the secret itself/,
    plant: (scene) => scene.configure({ models: { providers: { anthropic: { baseUrl: scene.vendor.baseUrl, apiKey: RIGHT_KEY } } } }),
    follow: (scene, { fix }) => scene.follow(fix.replace("NAME", "anthropic")),
  },
  "a setting that does nothing yet": {
    check: "config-inactive",
    message: /cron is set/,
    plant: (scene) => scene.configure({ cron: {} }),
    follow: async (scene) => void (await scene.run("config", "unset", "cron")),
  },
  "a model of a provider that does not exist": {
    check: "model",
    message: /did you mean "anthropic\/claude-sonnet-5-5"/,
    plant: (scene) => scene.configure({ agents: { defaults: { model: "antropic/claude-sonnet-5-5" } } }),
    follow: (scene, { message }) => scene.follow(`factotum config set agents.defaults.model ${/mean "([^"]+)"/.exec(message)?.[1] ?? ""}`),
  },
  "a model that the provider does not have": {
    check: "model",
    message: /Anthropic has no model "claude-sonet-5-5"/,
    plant: (scene) => scene.configure({ agents: { defaults: { model: "anthropic/claude-sonet-5-5" } } }),
  },
  "a key that the provider refuses": {
    check: "model-key",
    message: /models\.providers\.anthropic\.apiKey: Anthropic refused this key/,
    plant: (scene) => scene.writeKey("anthropic", "sk-wrong"),
    follow: (scene) => scene.writeKey("anthropic", RIGHT_KEY),
  },
  "a key that OpenRouter refuses, though its list takes any": {
    check: "model-key",
    message: /OpenRouter refused this key/,
    plant: async (scene) => {
      await scene.writeKey("openrouter", "sk-wrong");
      const provider = { baseUrl: scene.vendor.routerUrl, apiKey: { file: "credentials/openrouter" } };
      await scene.configure({
        agents: { defaults: { model: "openrouter/claude-sonnet-5-5" } },
        models: { providers: { openrouter: provider } },
      });
    },
    follow: (scene) => scene.writeKey("openrouter", RIGHT_KEY),
  },
  "a provider that does not answer": {
    check: "model",
    message: /127\.0\.0\.1:9 cannot be reached/,
    plant: (scene) =>
      scene.configure({
        models: { providers: { anthropic: { baseUrl: "http://127.0.0.1:9/v1", apiKey: { file: "credentials/anthropic" } } } },
      }),
    follow: async (scene) => void (await scene.run("config", "set", "models.providers.anthropic.baseUrl", scene.vendor.baseUrl)),
  },
  "no key for the provider": {
    check: "model-key",
    message: /There is no key for anthropic/,
    plant: (scene) => scene.configure({ models: { providers: { anthropic: { baseUrl: scene.vendor.baseUrl } } } }),
    // At a terminal it asks for the key.
    follow: (scene, { fix }) => scene.shell(`echo ${RIGHT_KEY} | ${/factotum auth set anthropic/.exec(fix)?.[0] ?? "false"}`),
  },
  "a key file that is gone": {
    check: "model-key",
    message: /credentials\/anthropic does not exist/,
    plant: (scene) => rm(scene.file("credentials/anthropic")),
    follow: (scene) => scene.writeKey("anthropic", RIGHT_KEY),
  },
  "a channel whose secret has no value": {
    check: "channel",
    message: /feishu\/default stays off: appSecret/,
    plant: (scene) => scene.configure({ ...OWNER, channels: { feishu: FEISHU } }),
    follow: (scene) => scene.writeKey("feishu", SECRET),
  },
  "an account that nobody may talk to": {
    check: "account",
    message: /Nobody may talk to feishu\/default/,
    plant: async (scene) => {
      await scene.writeKey("feishu", SECRET);
      await scene.configure({ channels: { feishu: { ...FEISHU, dmPolicy: "allowlist", allowFrom: [] } } });
    },
    follow: (scene, { fix }) => scene.follow(fix.replace("YOUR-ID", "ou_olga")),
  },
  "an allowlist that is not used": {
    check: "unused",
    message: /channels\.feishu\.allowFrom has no effect/,
    plant: async (scene) => {
      await scene.writeKey("feishu", SECRET);
      await scene.configure({ ...OWNER, channels: { feishu: { ...FEISHU, dmPolicy: "disabled", groups: { oc_team: {} } } } });
    },
  },
  "an id that can match nobody": {
    check: "sender-id",
    message: /commands\.ownerAllowFrom/,
    plant: (scene) => scene.configure({ commands: { ownerAllowFrom: ["feishu:on_olga"] } }),
    follow: async (scene) => void (await scene.run("config", "set", "commands.ownerAllowFrom", '["feishu:ou_olga"]')),
  },
  "a binding that matches nothing": {
    check: "unused",
    message: /bindings\[0\] matches nothing/,
    plant: (scene) => scene.configure({ bindings: [{ agentId: "main", match: { channel: "feishu" } }] }),
  },
  "a gateway without a token": {
    check: "unsafe",
    message: /gateway\.auth\.mode is "none"/,
    plant: (scene) => scene.configure({ gateway: { auth: { mode: "none" } } }),
  },
  "proxies that are half of the internet": {
    check: "unsafe",
    message: /trusts a large network/,
    plant: (scene) => scene.configure({ gateway: { publicUrl: "https://a.example.com", trustedProxies: ["0.0.0.0/1"] } }),
  },
  "a short token where others can reach it": {
    check: "gateway-token",
    message: /gateway\.auth\.token/,
    plant: async (scene) => {
      await scene.writeKey("short", "short-token");
      await scene.configure({ gateway: { publicUrl: "https://a.example.com", auth: { token: { file: "credentials/short" } } } });
    },
  },
};

let prepared: DoctorScene;
let platform: FakeFeishu;

beforeAll(async () => {
  prepared = await DoctorScene.create();
  platform = await FakeFeishu.start({ appId: FEISHU.appId, appSecret: SECRET, people: ["ou_olga"], chats: ["oc_dm"] });
  FEISHU.baseUrl = platform.baseUrl;
});
afterAll(async () => {
  await prepared[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
});

test("a sound installation passes", async () => {
  await using scene = await DoctorScene.create();
  const { code, stdout } = await scene.run("doctor");
  expect(stdout).toMatch(/ {2}anthropic\/claude-sonnet-5-5: Anthropic takes the key and has the model claude-sonnet-5-5\.\n/);
  expect(stdout).toMatch(/\nPassed \(exit code 0\)\.\n$/);
  expect(code).toBe(0);
  expect(stdout).not.toContain(RIGHT_KEY);
});

/** Every second fault; `pnpm test:slow` has all. */
const NOW = Object.entries(FAULTS).filter((_, index) => process.env["FACTOTUM_SLOW"] !== undefined || index % 2 === 0);

test.each(NOW)("finds %s, and its fix works", async (_name, { check, message, plant, follow }) => {
  await using scene = await DoctorScene.copyOf(prepared);
  await plant(scene);
  const { code, findings } = await scene.examine();
  const found = findings.find((one) => one.check === check && message.test(one.message));
  expect(found, JSON.stringify(findings, undefined, 1)).toBeDefined();
  const fix = found?.fix ?? "";
  expect(code).toBe(found?.level === "error" ? 1 : 0);
  await (follow ?? ((one, told) => one.follow(told.fix)))(scene, { message: found?.message ?? "", fix });
  expect((await scene.findings()).filter((one) => one.check === check && message.test(one.message))).toEqual([]);
});

test.each([
  ["a key that the provider refuses", 1, /\nFailed: \d+ errors?(, \d+ warnings?)? \(exit code 1\)\.\n$/],
  ["a workspace that is gone", 0, /\nPassed with \d+ warnings? \(exit code 0\)\.\n$/],
])("sums up %s in its last line", async (name, exitCode, last) => {
  await using scene = await DoctorScene.copyOf(prepared);
  await FAULTS[name]?.plant(scene);
  const { code, stdout } = await scene.run("doctor");
  expect(code).toBe(exitCode);
  expect(stdout).toMatch(last);
});

test("finds a port that another program has, and its fix works", async () => {
  await using scene = await DoctorScene.copyOf(prepared);
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  delete scene.env["FACTOTUM_PORT"];
  await scene.configure({ gateway: { port } });
  const found = (await scene.findings()).find(({ check }) => check === "port");
  expect(found).toMatchObject({ level: "error", message: `Another program uses port ${port} of 127.0.0.1.` });
  await scene.follow((found?.fix ?? "").replace("18791", String(await freePort())));
  expect((await scene.findings()).filter(({ check }) => check === "port")).toEqual([]);
  other.close();
});

test("asks the running gateway for its environment, not the shell, and its fix works", async () => {
  await using scene = await DoctorScene.copyOf(prepared);
  await scene.configure({ models: { providers: { anthropic: { baseUrl: scene.vendor.baseUrl, apiKey: "${MY_KEY}" } } } });
  await scene.start();
  scene.env["MY_KEY"] = RIGHT_KEY;
  const found = await scene.findings();
  expect(found.find(({ check }) => check === "model-key")?.message).toContain("MY_KEY is not set");
  const own = found.find(({ check }) => check === "environment");
  expect(own?.message).toMatch(/^MY_KEY is set in this shell, and the running gateway \(process \d+\) does not have it\.$/);
  await scene.follow(/"(factotum gateway restart)"/.exec(own?.fix ?? "")?.[1] ?? "");
  expect(await scene.findings()).toEqual([]);
  delete scene.env["MY_KEY"];
  // The shell has lost it, and the gateway still has it.
  expect(await scene.findings()).toEqual([]);
  expect(JSON.stringify(found)).not.toContain(RIGHT_KEY);
});

test("finds a platform that refuses the login, and its fix works", async () => {
  await using feishu = await FakeFeishu.start({ people: ["ou_olga"], chats: ["oc_dm"] });
  const { appId, appSecret } = feishu.app;
  await using scene = await DoctorScene.copyOf(prepared);
  await scene.writeKey("feishu", "the-secret-of-yesterday-0123456789");
  await scene.configure({
    ...OWNER,
    channels: { feishu: { appId, appSecret: { file: "credentials/feishu" }, baseUrl: feishu.baseUrl, transport: { type: "websocket" } } },
  });
  await scene.start();
  const channel = async (): Promise<string> =>
    (await scene.findings()).flatMap(({ check, message, fix }) => (check === "channel" ? [`${message} ${fix ?? ""}`] : [])).join("\n");
  await expect.poll(channel).toMatch(/^feishu\/default .*\n?.*channels\.feishu/);
  await scene.writeKey("feishu", appSecret);
  expect((await scene.run("gateway", "restart")).code).toBe(0);
  await expect.poll(channel).toBe("");
});

test.each(["stopped", "running"])(
  "finds a refused login and missing permissions with the gateway %s, and the fixes work",
  async (state) => {
    await using feishu = await FakeFeishu.start({ people: ["ou_olga"], chats: ["oc_dm"] });
    const { appId, appSecret, scopes } = feishu.app;
    await using scene = await DoctorScene.copyOf(prepared);
    await scene.configure({ ...OWNER, channels: { feishu: { ...FEISHU, appId, baseUrl: feishu.baseUrl } } });
    const restart = async (): Promise<void> => {
      if (state === "running") expect((await scene.run("gateway", "restart")).code).toBe(0);
    };
    const login = async (): Promise<object | undefined> => (await scene.findings()).find(({ check }) => check === "channel-login");

    await scene.writeKey("feishu", "the-secret-of-yesterday-0123456789");
    if (state === "running") await scene.start();
    expect(await login()).toEqual({
      check: "channel-login",
      level: "error",
      message: expect.stringMatching(/^The platform refuses the login of feishu\/default \(unauthorized: .*10014/) as string,
      fix: 'Correct the credential of channels.feishu in the configuration; "factotum channels probe feishu" checks it again.',
    });

    await scene.writeKey("feishu", appSecret);
    await restart();
    const lacking = await login();
    expect(lacking).toMatchObject({ level: "warning", message: expect.stringMatching(/lacks permissions .*im:resource/) as string });

    const { message } = lacking as { readonly message: string };
    for (const scope of message.match(/\b[a-z]+:[\w.:]+\b/g) ?? []) scopes.add(scope);
    expect(await login()).toBeUndefined();
  },
);

test("finds a damaged database, and its fix works", async () => {
  await using scene = await DoctorScene.copyOf(prepared);
  await scene.start();
  await scene.run("agent", "--message", "hello");
  await scene.run("gateway", "stop");
  const file = scene.file("state/factotum.sqlite");
  const { size } = await stat(file);
  {
    await using handle = await open(file, "r+");
    // Pages of tables and indexes, not the header.
    for (let page = 3; page * 4096 < size; page += 2) await handle.write(Buffer.alloc(512, 0xa5), 0, 512, page * 4096);
  }
  const found = (await scene.findings()).find(({ check }) => check === "database-structure");
  expect(found).toMatchObject({ level: "error", message: expect.stringMatching(/^The database is damaged: /) as string });
  await scene.run("doctor", "--fix");
  expect((await scene.findings()).find(({ check }) => check === "recovery")?.message).toContain(
    "The next start of the gateway restores it",
  );
  await scene.start();
  await scene.follow((await scene.findings()).find(({ check }) => check === "damage")?.fix ?? "");
  expect((await scene.run("gateway", "stop")).code).toBe(0);
  expect(await scene.findings()).toEqual([]);
});

test.skipIf(!canMountDisk("finding a full disk"))("finds a full disk, and its fix works", async () => {
  await using disk = mountSmallDisk();
  await using scene = await DoctorScene.create(disk.folder);
  const big = await disk.fill("big");
  expect((await scene.findings()).find(({ check }) => check === "disk")).toMatchObject({
    level: "error",
    message: expect.stringMatching(/^The disk is full: 0 MB are free/) as string,
  });
  await rm(big);
  expect((await scene.findings()).filter(({ check, level }) => check === "disk" && level === "error")).toEqual([]);
});
