import { existsSync } from "node:fs";
import { chmod, mkdir, stat, symlink, writeFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { checkRuntime } from "../doctor/check-runtime.ts";
import type { Finding } from "../doctor/finding.ts";

async function findings(
  cli: CliHome,
): Promise<{ readonly code: number | null; readonly of: (check: string) => Finding | undefined; readonly all: Finding[] }> {
  const { code, stdout } = await cli.run("doctor", "--json");
  const { findings: all, ok } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  expect(ok).toBe(code === 0);
  return { code, all, of: (check) => all.find((finding) => finding.check === check && finding.level !== "ok") };
}

async function withConfig(config: object): Promise<CliHome> {
  const cli = await CliHome.create();
  cli.env["FACTOTUM_PORT"] = "0";
  await mkdir(cli.factotumHome, { recursive: true, mode: 0o700 });
  await writeFile(join(cli.factotumHome, "factotum.json5"), JSON.stringify(config), { mode: 0o600 });
  await cli.run("setup");
  return cli;
}

test("after setup there are no problems, and the demo model is named as such", async () => {
  await using cli = await withConfig({});
  const { code, all, of } = await findings(cli);
  expect(code).toBe(0);
  expect(all.filter(({ level }) => level !== "ok").map(({ check }) => check)).toEqual(["model"]);
  expect(of("model")?.fix).toContain("ANTHROPIC_API_KEY");
});

test("before setup everything that is missing has its fix", async () => {
  await using cli = await CliHome.create();
  cli.env["FACTOTUM_PORT"] = "0";
  const { code, of } = await findings(cli);
  expect(code).toBe(0);
  expect(of("home")?.fix).toContain("factotum setup");
  expect(of("workspace")?.fix).toContain("factotum setup");
});

test("a heartbeat to a channel that is not there is refused when it is set, and reported with the key to correct", async () => {
  const key = "agents.defaults.heartbeat.target";
  await using cli = await withConfig({ agents: { defaults: { heartbeat: { every: "30m", target: "icr:olga" } } } });
  expect((await findings(cli)).of("config")).toMatchObject({
    level: "warning",
    message: expect.stringContaining('no channel "icr"; did you mean "irc"?') as string,
    fix: expect.stringContaining(`factotum config set ${key}`) as string,
  });
  expect((await cli.run("config", "set", key, "owner")).code).toBe(0);
  const refused = await cli.run("config", "set", key, "icr:olga");
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('did you mean "irc"?');
  expect((await cli.run("config", "get", key)).stdout).toBe("owner\n");
});

test.runIf(process.platform === "linux")(
  "a workspace that cannot be created is an error with a reason, and --fix and setup end",
  async () => {
    await using cli = await withConfig({ agents: { defaults: { workspace: "/proc/nowhere" } } });
    const { code, of } = await findings(cli);
    expect(code).toBe(1);
    expect(of("workspace")?.message).toContain("/proc/nowhere, cannot be made (/proc takes no new folders).");
    expect(of("workspace")?.fix).toContain("factotum config set agents.defaults.workspace");
    const fixed = await cli.run("doctor", "--fix");
    expect(fixed.code).toBe(1);
    expect(fixed.stdout).toMatch(/Failed: 1 error.* \(exit code 1\)\.\n$/);
    const setup = await cli.run("setup");
    expect(setup.code).toBe(1);
    expect(setup.stderr).toContain("The workspace /proc/nowhere cannot be made (/proc takes no new folders).");
    expect(setup.stderr).toContain("Choose another with");
  },
);

test("a workspace that is a link to nothing is named as such, and setup says so", async () => {
  await using cli = await CliHome.create();
  const link = join(cli.home, "link");
  await symlink(join(cli.home, "gone"), link);
  await mkdir(cli.factotumHome, { recursive: true, mode: 0o700 });
  await writeFile(join(cli.factotumHome, "factotum.json5"), JSON.stringify({ agents: { defaults: { workspace: link } } }), { mode: 0o600 });
  const { of } = await findings(cli);
  const reason = `cannot be made (${link} is a link to ${join(cli.home, "gone")}, which is not a folder that exists)`;
  expect(of("workspace")?.message).toContain(reason);
  expect((await cli.run("setup")).stderr).toContain(reason);
  expect((await cli.run("doctor", "--fix")).stdout).toMatch(/\(exit code 1\)\.\n$/);
});

// Root may write in /dev/pts, as far as its mode shows, and yet nobody can create a folder there.
test.runIf(existsSync("/dev/pts"))("a repair that fails is a finding, and --fix still ends with its report", async () => {
  await using cli = await withConfig({ agents: { defaults: { workspace: "/dev/pts/nowhere" } } });
  const { code, stdout } = await cli.run("doctor", "--fix");
  expect(code).toBe(1);
  expect(stdout).toContain("cannot be made (this user may not write in /dev/pts)");
  expect(stdout).toMatch(/Failed: 1 error.* \(exit code 1\)\.\n$/);
});

// Only root can mount, and only for root is a folder without write permission writable.
const isRoot = process.platform === "linux" && process.getuid?.() === 0;

test.runIf(isRoot)("a read-only disk is reported, and the other checks go on", async () => {
  await using cli = await withConfig({});
  await makeDatabase(cli);
  const mount = (...args: readonly string[]): void => void execFileSync("mount", [...args, cli.home], { stdio: "pipe" });
  mount("--bind", cli.home);
  try {
    mount("-o", "remount,ro,bind");
    const { code, all, of } = await findings(cli);
    expect(code).toBe(1);
    expect(of("disk")).toMatchObject({
      level: "error",
      message: `The disk of ${cli.factotumHome} is read-only: a gateway can store nothing there.`,
    });
    expect(all.map(({ check }) => check)).toEqual(expect.arrayContaining(["home", "config", "port", "model"]));
    expect((await cli.run("doctor", "--fix")).stdout).toMatch(/\(exit code 1\)\.\n$/);
  } finally {
    execFileSync("umount", [cli.home], { stdio: "pipe" });
  }
});

test("a state directory that cannot be locked is reported, and the other checks go on", async () => {
  await using cli = await withConfig({});
  await makeDatabase(cli);
  await mkdir(join(cli.factotumHome, "state", "gateway.lock"));
  const { code, all, of } = await findings(cli);
  expect(code).toBe(1);
  expect(of("database-structure")?.message).toContain(`The state directory ${cli.factotumHome} cannot be used`);
  expect(all.map(({ check }) => check)).toEqual(expect.arrayContaining(["config", "port", "model"]));
});

async function makeDatabase(cli: CliHome): Promise<void> {
  await mkdir(join(cli.factotumHome, "state"), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(join(cli.factotumHome, "state", "factotum.sqlite"));
  database.exec("CREATE TABLE a (b)");
  database.close();
}

test("open permissions are found, with the command that closes them", async () => {
  await using cli = await withConfig({});
  await chmod(cli.factotumHome, 0o755);
  await chmod(join(cli.factotumHome, "credentials/gateway-token"), 0o644);
  const { code, of } = await findings(cli);
  expect(code).toBe(0);
  expect(of("home")?.fix).toBe(`chmod 700 ${JSON.stringify(cli.factotumHome)}`);
  expect(of("gateway-token")?.fix).toMatch(/^chmod 600 /);
});

test("key files that others can read are found, and --fix closes them", async () => {
  await using cli = await withConfig({});
  const files = [join(cli.factotumHome, "credentials/anthropic"), join(cli.factotumHome, "credentials/teams/work")];
  await mkdir(join(cli.factotumHome, "credentials/teams"), { mode: 0o700 });
  for (const file of files) await writeFile(file, "key", { mode: 0o644 });
  const { all } = await findings(cli);
  expect(
    all
      .filter(({ check, level }) => check === "credentials" && level === "warning")
      .map(({ fix }) => fix)
      .toSorted((left = "", right = "") => left.localeCompare(right)),
  ).toEqual(files.map((file) => `chmod 600 ${JSON.stringify(file)}`));
  expect((await cli.run("doctor", "--fix")).code).toBe(0);
  for (const file of files) expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("an address that this machine does not have is about gateway.bind", async () => {
  await using cli = await withConfig({ gateway: { bind: "192.0.2.1" } });
  cli.env["FACTOTUM_PORT"] = "18999";
  const port = (await findings(cli)).of("port");
  expect(port?.message).toContain("EADDRNOTAVAIL");
  expect(port?.fix).toContain("factotum config set gateway.bind loopback");
  expect(port?.fix).not.toContain("End that program");
});

test("an account under pairing without an owner is advised to pair", async () => {
  const account = { appId: "cli_0123456789abcdef", appSecret: "s", transport: { type: "websocket" } };
  await using cli = await withConfig({ channels: { feishu: account } });
  const fix = (await findings(cli)).of("account")?.fix;
  expect(fix).toContain("factotum pairing approve");
  expect(fix).not.toContain("commands.ownerAllowFrom");
});

test("an account of IRC is advised how to get a code, and a command that works without one", async () => {
  await using cli = await withConfig({ channels: { irc: { host: "127.0.0.1", port: 9, nick: "fact" } } });
  const fix = (await findings(cli)).of("account")?.fix ?? "";
  expect(fix).toContain("factotum pairing approve");
  expect(fix).toContain("not logged in gets no code");
  const [, command = ""] = /: factotum (access allow .*)$/.exec(fix) ?? [];
  expect(await cli.run(...command.replace("YOUR-NICK", "alice").split(" "))).toMatchObject({ code: 0 });
  expect((await findings(cli)).of("account")).toBeUndefined();
});

test("an id in an allowlist that matches no one is named, with what to write", async () => {
  await using cli = await withConfig({
    commands: { ownerAllowFrom: ["feishu:on_olga", "feishu:ou_olga", "webchat:on_olga"] },
    session: { identityLinks: { olga: ["feishu:olga", "webchat:olga"] } },
    channels: {
      feishu: {
        accounts: {
          work: {
            appId: "cli_0123456789abcdef",
            appSecret: "s",
            transport: { type: "websocket" },
            allowFrom: ["ou_olga", "on_anna", "*"],
            groups: { oc_team: { allowFrom: ["oc_team"] } },
          },
        },
      },
    },
  });
  const { all } = await findings(cli);
  const found = all.filter(({ check }) => check === "sender-id");
  expect(found.map(({ message }) => message.split(":")[0])).toEqual([
    "commands.ownerAllowFrom[0]",
    "session.identityLinks.olga[0]",
    "channels.feishu.accounts.work.allowFrom[1]",
    "channels.feishu.accounts.work.groups.oc_team.allowFrom[0]",
  ]);
  expect(found[0]).toMatchObject({ level: "warning", fix: expect.stringContaining("ou_") as string });
});

test("every credential of a provider must have a value", async () => {
  const provider = { baseUrl: "http://127.0.0.1:9", credentials: { work: { apiKey: "${WORK_KEY}" }, home: { apiKey: "${HOME_KEY}" } } };
  await using cli = await withConfig({
    agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
    models: { providers: { anthropic: provider } },
  });
  cli.env["WORK_KEY"] = "sk-work";
  const { of } = await findings(cli);
  expect(of("model-key")?.message).toContain("models.providers.anthropic.credentials.home.apiKey has no value");
  cli.env["HOME_KEY"] = "sk-home";
  expect((await findings(cli)).of("model-key")).toBeUndefined();
});

test("what transcribes and what speaks is looked at: its provider, its key, its program", async () => {
  await using cli = await withConfig({
    models: { transcription: "nowhere/whisper" },
    messages: { tts: { provider: "openai/gpt-4o-mini-tts" } },
  });
  const first = await findings(cli);
  expect(first.code).toBe(1);
  expect(first.of("transcription")).toMatchObject({ level: "error", fix: "Correct models.transcription." });
  expect(first.of("speech")?.message).toContain("messages.tts.provider: There is no key for openai.");
  cli.env["OPENAI_API_KEY"] = "sk-some";
  await cli.run("config", "set", "models.transcription", '{ command: ["no-such-program", "{file}"] }');
  const second = await findings(cli);
  expect(second.of("transcription")?.message).toContain("names the program no-such-program, which is not on the gateway's PATH");
  expect(second.of("speech")).toBeUndefined();
  await cli.run("config", "set", "models.transcription", "openai/gpt-4o-mini-transcribe");
  const { all } = await findings(cli);
  for (const check of ["transcription", "speech"]) expect(all.find((one) => one.check === check)?.level).toBe("ok");
});

test("what looks at images and makes them is looked at: whether its model can", async () => {
  await using cli = await withConfig({
    models: {
      providers: { painter: { api: "openai-chat", baseUrl: "http://127.0.0.1:1/v1", apiKey: "sk-some", models: [{ id: "flux" }] } },
      image: "painter/flux",
      imageGeneration: "anthropic/claude-sonnet-4-6",
    },
  });
  cli.env["ANTHROPIC_API_KEY"] = "sk-some";
  cli.env["GEMINI_API_KEY"] = "sk-some";
  const first = await findings(cli);
  expect(first.of("image")).toMatchObject({ level: "error", fix: "Correct models.image." });
  expect(first.of("image")?.message).toContain("painter/flux takes no images");
  expect(first.of("image-generation")?.message).toContain("has no models that make images");
  await cli.run("config", "set", "models.image", "anthropic/claude-sonnet-4-6");
  await cli.run("config", "set", "models.imageGeneration", "google/imagen-4");
  expect((await findings(cli)).of("image-generation")?.message).toContain("gemini-");
  await cli.run("config", "set", "models.imageGeneration", "painter/flux");
  const { all } = await findings(cli);
  for (const check of ["image", "image-generation"]) expect(all.find((one) => one.check === check)?.level).toBe("ok");
});

test("literals, unknown keys and inactive keys are warnings; no secret is shown", async () => {
  await using cli = await withConfig({
    gatway: {},
    agents: { defaults: { models: { "demo/demo": { params: { temperature: 1 } } } } },
    gateway: { auth: { token: "canary-token" } },
  });
  const { code, all, of } = await findings(cli);
  expect(code).toBe(0);
  expect(of("config")?.message).toContain('"gateway"');
  expect(of("config-inactive")?.message).toContain("params.temperature");
  expect(of("config-secret")?.message).toContain("gateway.auth.token");
  expect(JSON.stringify(all)).not.toContain("canary");
});

test("an unusable file is an error", async () => {
  await using cli = await withConfig({});
  await writeFile(join(cli.factotumHome, "factotum.json5"), "{ gateway: { port: 'x' } }");
  const { code, of } = await findings(cli);
  expect(code).toBe(1);
  expect(of("config")).toMatchObject({ level: "error", fix: expect.stringContaining("factotum.json5") as string });
});

test("a taken port is an error", async () => {
  await using cli = await withConfig({});
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  try {
    cli.env["FACTOTUM_PORT"] = String((other.address() as AddressInfo).port);
    expect((await findings(cli)).of("port")).toMatchObject({
      level: "error",
      message: expect.stringContaining("Another program") as string,
    });
  } finally {
    other.close();
  }
});

test("the fix for an unknown model sets it where it comes from", async () => {
  const provider = createServer((_, response) => {
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ object: "list", data: [{ id: "known", object: "model" }] }));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => provider.once("listening", resolve));
  try {
    const baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
    await using cli = await withConfig({
      agents: {
        list: [{ id: "main" }, { id: "work", model: "mine/gone" }],
        defaults: { model: { primary: "mine/known", fallbacks: ["mine/lost"] } },
      },
      models: { providers: { mine: { api: "openai-chat", baseUrl } } },
    });
    const fixes = (await findings(cli)).all.filter(({ check, level }) => check === "model" && level !== "ok").map(({ fix }) => fix);
    expect(fixes).toEqual([
      'In agents.defaults.model.fallbacks, replace "mine/lost" by mine/<one of known>.',
      "factotum config set agents.list[1].model mine/<one of known>",
    ]);
    await cli.run("config", "set", "agents.defaults.model", '{ primary: "mine/missing", fallbacks: ["mine/known"] }');
    expect((await findings(cli)).all.map(({ fix }) => fix)).toContain("factotum models set mine/<one of known>");
  } finally {
    provider.close();
  }
});

test("an account without credit is not advised to set its key again", async () => {
  const provider = createServer((_, response) => {
    response
      .writeHead(402, { "content-type": "application/json" })
      .end(JSON.stringify({ error: { message: "Insufficient credit", code: 402 } }));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => provider.once("listening", resolve));
  try {
    const baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
    await using cli = await withConfig({
      agents: { defaults: { model: "mine/m" } },
      models: { providers: { mine: { api: "openai-chat", baseUrl } } },
    });
    expect((await findings(cli)).of("model-key")?.fix).toMatch(/^Top up the account at mine/);
  } finally {
    provider.close();
  }
});

test("a folder in the place of the database is named, and --fix leaves it alone", async () => {
  await using cli = await withConfig({});
  const file = join(cli.factotumHome, "state", "factotum.sqlite");
  await mkdir(file, { recursive: true, mode: 0o700 });
  expect((await findings(cli)).of("database-structure")).toMatchObject({
    level: "error",
    message: `${file} has to be a file.`,
    fix: expect.stringContaining("move away what is there") as string,
  });
  expect((await cli.run("doctor", "--fix")).stdout).not.toContain("fixed");
});

test("models: misspelt, without a key, unreachable, reachable", async () => {
  const provider = createServer((_, response) => void response.writeHead(404).end()).listen(0, "127.0.0.1");
  await new Promise((resolve) => provider.once("listening", resolve));
  try {
    const baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
    await using cli = await withConfig({
      agents: { list: [{ id: "a", model: { primary: "mine/m", fallbacks: ["closed/m", "antropic/m", "openai/m", "locked/m"] } }] },
      models: {
        providers: {
          mine: { api: "openai-chat", baseUrl },
          closed: { api: "openai-chat", baseUrl: "http://127.0.0.1:9" },
          locked: { api: "openai-chat", baseUrl, apiKey: { env: "NOT_SET" } },
        },
      },
    });
    const { code, all } = await findings(cli);
    expect(code).toBe(1);
    expect(all.filter(({ check }) => check.startsWith("model")).map(({ level, message }) => [level, message])).toEqual([
      ["warning", expect.stringMatching(/^mine\/m: .* has no list of models/)],
      ["error", expect.stringMatching(/^closed\/m: 127\.0\.0\.1:9 cannot be reached/)],
      ["error", expect.stringContaining('"anthropic/m"')],
      ["error", expect.stringContaining("no key for openai")],
      ["error", expect.stringContaining("NOT_SET")],
    ]);
  } finally {
    provider.close();
  }
});

test("a channel whose secret has no value stays off, and the finding names it", async () => {
  await using cli = await withConfig({
    channels: { feishu: { appId: "cli_0123456789abcdef", appSecret: { env: "FEISHU_APP_SECRET" }, transport: { type: "websocket" } } },
  });
  expect((await findings(cli)).of("channel")?.message).toContain("FEISHU_APP_SECRET");
  cli.env["FEISHU_APP_SECRET"] = "secret-value";
  expect((await findings(cli)).of("channel")).toBeUndefined();
});

test.each([
  ["24.21.0", "3.53.4", []],
  ["24.15.0", "3.53.4", ["node"]],
  ["22.20.0", "3.50.4", ["node", "sqlite"]],
  ["25.0.0", "3.50.7", []],
])("Node %s with SQLite %s", (node, sqlite, wrong) => {
  expect(checkRuntime({ node, sqlite }).flatMap(({ check, level }) => (level === "ok" ? [] : [check]))).toEqual(wrong);
});
