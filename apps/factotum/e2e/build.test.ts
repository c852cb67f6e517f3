import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { FakeTelegram, telegramMessageUpdate } from "@factotum/testing-channels";
import { freePort, productEntry, runCommand, startProduct, type CommandOutcome } from "@factotum/testing-product";
import { sayText } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeExtension } from "../test/extension-package.ts";
import { FakeLoft } from "../test/fake-loft.ts";
import { ANTHROPIC, startSceneModel } from "./scene-model.ts";
import { untilShown } from "./until-shown.ts";

const OWNER = 1001;
const ENTRY = "node_modules/factotum/dist/factotum.mjs";

/** Texts of the platforms' SDKs, in the files that Node runs. */
const SDKS = { a2a: "a2a-protocol.org", feishu: "larksuite", slack: "slack.com/api", irc: "irc-framework" } as const;

let work: string;
let home: string;
beforeEach(async () => {
  work = await mkdtemp(path.join(tmpdir(), "factotum-build-"));
  home = path.join(work, "home");
  await mkdir(home);
});
afterEach(async () => rm(work, { recursive: true, force: true }));

const build = async (channels: string, out: string, entry = productEntry): Promise<CommandOutcome> =>
  runCommand(["build", "--channels", channels, "--out", path.join(work, out)], { home, entry, env: { npm_config_offline: "true" } });

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
}

/** The platforms whose SDK is in a folder. */
async function sdksIn(folder: string): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const file of (await filesIn(folder)).filter((name) => /\.[cm]?js$/.test(name))) {
    const text = await readFile(file, "utf8");
    for (const [id, mark] of Object.entries(SDKS)) if (text.includes(mark)) found.add(id);
  }
  return [...found].toSorted();
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const file of await filesIn(folder)) bytes += (await stat(file)).size;
  return bytes;
}

/** Options for a process that may connect to loopback alone; `attempts` resolves with the other addresses that it tried. */
async function loopbackAlone(): Promise<{ readonly env: Readonly<Record<string, string>>; attempts(): Promise<string> }> {
  const guard = path.join(work, "loopback-alone.mjs");
  const log = path.join(work, "attempts.txt");
  await writeFile(
    guard,
    `import { appendFileSync } from "node:fs";
import { Socket } from "node:net";
const connect = Socket.prototype.connect;
Socket.prototype.connect = function (...args) {
  const [first] = args.flat();
  const host = typeof first === "object" ? (first?.path ?? first?.host ?? "localhost") : "localhost";
  if (!/^(?:127\\.|::1$|localhost$|\\/)/.test(host)) {
    appendFileSync(${JSON.stringify(log)}, host + "\\n");
    throw new Error("not loopback: " + host);
  }
  return connect.apply(this, args);
};
`,
  );
  await appendFile(log, "");
  return { env: { NODE_OPTIONS: `--import=${guard}` }, attempts: async () => readFile(log, "utf8") };
}

test("a build for Telegram is small, has no other SDK, and answers from where it was moved", async () => {
  const built = await build("telegram", "built");
  expect(built).toMatchObject({ code: 0, stdout: expect.stringMatching(/has the gateway with telegram, webchat: 2[34]\.\d MB/) as string });
  const deployment = path.join(work, "elsewhere", "moved");
  await mkdir(path.dirname(deployment));
  await rename(path.join(work, "built"), deployment);
  expect(await sizeOf(deployment)).toBeLessThan(24.5e6);
  expect(await sdksIn(path.dirname(productEntry))).toEqual(["a2a", "feishu", "irc", "slack"]);
  expect(await sdksIn(deployment)).toEqual([]);
  expect((await readdir(path.join(deployment, "node_modules"))).filter((name) => /lark|slack|irc|discord/.test(name))).toEqual([]);

  await using telegram = await FakeTelegram.start();
  await using model = await startSceneModel(ANTHROPIC, []);
  const { reference, providers } = ANTHROPIC.config(model.baseUrl);
  const { token } = telegram.app;
  const account = { token, baseUrl: telegram.baseUrl, transport: { type: "polling" }, allowFrom: [String(OWNER)] };
  const config = { agents: { defaults: { model: reference } }, models: { providers }, channels: { telegram: account, irc: {} } };
  const guard = await loopbackAlone();
  const { opened } = telegram.updates;
  await using product = await startProduct({ entry: path.join(deployment, ENTRY), config, home, env: guard.env });
  await telegram.updates.connected(opened + 1);
  model.respond(() => sayText("From **afar**"));
  await telegram.updates.deliver(
    telegramMessageUpdate(telegram, telegram.addMessage({ chatId: OWNER, fromId: OWNER, text: "Where are you?" })),
  );
  await untilShown(telegram, (sent) => sent.some(({ text }) => text === "From afar"));
  expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
  expect(await guard.attempts()).toBe("");
  // A channel that it does not contain.
  const again = "where it was built, with its folder, then restart the gateway: factotum build --channels telegram,irc --out FOLDER";
  const line = `this deployment was built without this channel; build it again ${again}`;
  expect(product.output()).toContain(line);
  const validated = await runCommand(["config", "validate"], { home, entry: path.join(deployment, ENTRY) });
  expect(`${validated.stdout}${validated.stderr}`.split("\n").filter((text) => text.includes(line))).toHaveLength(1);
  // The deployment itself cannot build it, and says where that can be done.
  const rebuilt = await runCommand(["build", "--channels", "telegram,irc", "--out", deployment], {
    home,
    entry: path.join(deployment, ENTRY),
  });
  expect(rebuilt).toMatchObject({ code: 1, stderr: expect.stringContaining(again) as string });
  expect(rebuilt.stderr).not.toContain(work);
});

test("building again over the folder updates it, with a built-in channel and without", async () => {
  const out = path.join(work, "built");
  for (const [channels, sdks] of [
    ["slack", ["slack"]],
    ["feishu,irc", ["feishu", "irc"]],
    ["webchat", []],
  ] as const) {
    expect(await build(channels, "built")).toMatchObject({ code: 0 });
    expect(await sdksIn(out)).toEqual(sdks);
    const { stdout } = await runCommand(["plugins", "list", "--json"], { home, entry: path.join(out, ENTRY) });
    const { plugins } = JSON.parse(stdout) as { plugins: readonly { name: string }[] };
    const expected = [...new Set([...channels.split(","), "webchat"])].map((id) => `@factotum/${id}`);
    expect(plugins.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
  }
});

test("an installation builds with its own channels, installed packages and given ones", async () => {
  const product = path.join(work, "app/node_modules/factotum");
  await mkdir(product, { recursive: true });
  const own = path.resolve(productEntry, "../..");
  for (const name of ["package.json", "LICENSE", "dist"]) await cp(path.join(own, name), path.join(product, name), { recursive: true });
  const entry = path.join(product, "dist/factotum.mjs");
  expect(await build("telegram", "out", entry)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Known are: a2a, feishu, irc, slack, webchat.") as string,
  });
  const pigeon = await writeExtension(path.join(work, "pigeon"));
  const raven = await writeExtension(path.join(work, "raven"), {
    name: "raven-post",
    id: "raven",
    entry: "export const ravenExtension = {};",
  });
  await promisify(execFile)("npm", ["pack", "--pack-destination", work], { cwd: raven });
  const added = await runCommand(["plugins", "add", pigeon, "--yes"], { home, entry, env: { npm_config_offline: "true" } });
  expect(added).toMatchObject({ code: 0 });
  expect(await build(`irc,pigeon,${path.join(work, "raven-post-1.0.0.tgz")}`, "out", entry)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("has the gateway with irc, pigeon, raven, webchat: ") as string,
    stderr: expect.stringContaining("pigeon-post 1.0.0 states that it needs: network:127.0.0.1, secrets:LOFT_TOKEN.") as string,
  });
  await rm(path.join(work, "app"), { recursive: true });
  await using loft = await FakeLoft.start();
  const account = { loft: loft.url, token: loft.token, dmPolicy: "open", allowFrom: ["*"] };
  await using _running = await startProduct({ entry: path.join(work, "out", ENTRY), config: { channels: { pigeon: account } } });
  loft.write("carol", "Hello");
  await loft.waitForSent(1);
});

/** The instructions of a Dockerfile, each with its text. */
async function dockerfileOf(folder: string): Promise<readonly (readonly [string, string])[]> {
  const text = (await readFile(path.join(folder, "Dockerfile"), "utf8")).replaceAll("\\\n", " ");
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, keyword = "", rest = ""] = /^([A-Z]+) +(.+)$/.exec(line) ?? expect.fail(line);
      return [keyword, rest.trim()] as const;
    });
}

test("the steps of the Dockerfile, taken by hand, start a healthy gateway as they say", async () => {
  await build("webchat", "out");
  const steps = await dockerfileOf(path.join(work, "out"));
  expect(steps.map(([keyword]) => keyword)).toEqual([
    "FROM",
    "ENV",
    "RUN",
    "WORKDIR",
    "COPY",
    "USER",
    "VOLUME",
    "EXPOSE",
    "HEALTHCHECK",
    "CMD",
  ]);
  const textOf = (keyword: string): string => steps.find(([one]) => one === keyword)?.[1] ?? "";
  expect([textOf("FROM"), textOf("COPY"), textOf("USER")]).toEqual(["node:24-slim", ". .", "node"]);
  expect(textOf("RUN").endsWith(` ${textOf("VOLUME")}`)).toBe(true);
  // What the ignore file leaves of the folder.
  const ignored = (await readFile(path.join(work, "out/.dockerignore"), "utf8")).split("\n");
  const copied = ignored.flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
  expect([ignored.includes("*"), copied]).toEqual([true, ["package.json", "node_modules"]]);
  const app = path.join(work, "app");
  for (const name of copied) await cp(path.join(work, "out", name), path.join(app, name), { recursive: true, verbatimSymlinks: true });

  const variables = Object.fromEntries(
    textOf("ENV")
      .split(/ +/)
      .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );
  expect(variables).toMatchObject({ FACTOTUM_HOME: textOf("VOLUME"), FACTOTUM_PORT: textOf("EXPOSE") });
  const port = String(await freePort());
  const bin = path.join(app, "node_modules/.bin");
  const env = {
    ...variables,
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    FACTOTUM_HOME: home,
    FACTOTUM_PORT: port,
    OLLAMA_HOST: "127.0.0.1:9",
  };
  const json = (text: string): readonly string[] => JSON.parse(text.slice(text.indexOf("["))) as readonly string[];
  const start = (words: readonly string[]) => spawn(words[0] ?? "", words.slice(1), { cwd: app, env, stdio: ["ignore", "pipe", "pipe"] });
  const check = async (): Promise<unknown> => (await once(start(json(textOf("HEALTHCHECK"))), "exit"))[0];
  expect(await check()).toBe(1);
  const gateway = start(json(textOf("CMD")));
  try {
    let output = "";
    gateway.stderr.on("data", (text: Buffer) => (output += text.toString()));
    gateway.stdout.on("data", (text: Buffer) => (output += text.toString()));
    await expect.poll(() => output).toContain(`:${port}/`);
    expect(output).not.toContain("#token=");
    expect(await check()).toBe(0);
    const token = await promisify(execFile)("factotum", ["token", "show"], { env });
    expect(token.stdout).toMatch(/\S{24}/);
  } finally {
    gateway.kill("SIGTERM");
    await once(gateway, "exit");
  }
});
