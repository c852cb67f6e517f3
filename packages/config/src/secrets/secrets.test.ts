import { spawnSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fullDocument, sampleChannels, temporaryHome } from "../../test/sample.ts";
import { loadConfig } from "../load-config.ts";
import { statePaths } from "../state/state-paths.ts";
import { parseSecret, REDACTED, type Secret } from "../schema/secret.ts";
import { resolveAccountSettings } from "./account-settings.ts";
import { literalSecrets, literalSecretTexts, redactSecrets, secretValues } from "./redact.ts";
import { resolveSecret } from "./resolve-secret.ts";
import { restoreSecrets } from "./restore-secrets.ts";
import { secretFiles } from "./unresolved-secrets.ts";

const node = process.execPath;

describe("a secret", () => {
  test.each<[unknown, Secret | undefined]>([
    ["plain", { type: "literal", value: "plain" }],
    ["${NAME}", { type: "env", name: "NAME" }],
    ["pre ${NAME}", { type: "literal", value: "pre ${NAME}" }],
    [{ env: "NAME" }, { type: "env", name: "NAME" }],
    [{ file: "~/x" }, { type: "file", path: "~/x" }],
    [{ exec: ["op", "read"] }, { type: "exec", command: ["op", "read"] }],
    ["", undefined],
    [REDACTED, undefined],
    [{ env: "NAME", file: "x" }, undefined],
    [{ exec: [] }, undefined],
    [7, undefined],
  ])("written as %j is read", (written, secret) => {
    expect(parseSecret(written)).toEqual(secret);
  });

  test("that is a file is listed once, with its path; files elsewhere in the document are not listed", async () => {
    const paths = statePaths({ HOME: "/home/ada" });
    const document = {
      models: { providers: { a: { apiKey: { file: "credentials/a" } }, b: { apiKey: { file: "~/.factotum/credentials/a" } } } },
      channels: { feishu: { appSecret: { file: "/run/secrets/feishu" }, encryptKey: "plain" } },
      tools: { exec: { file: "no-secret" } },
    };
    expect(secretFiles(document, paths)).toEqual(["/home/ada/.factotum/credentials/a", "/run/secrets/feishu"]);
  });

  test("resolves from the environment, a file and a program, trimmed", async () => {
    await using home = await temporaryHome();
    await home.write("credentials/key", "  from-file\n");
    const env = { ...home.env, NAME: "from-env", PATH: process.env["PATH"] };
    expect(await resolveSecret({ type: "env", name: "NAME" }, { env })).toEqual({ type: "resolved", value: "from-env" });
    expect(await resolveSecret({ type: "file", path: "credentials/key" }, { env })).toEqual({ type: "resolved", value: "from-file" });
    expect(await resolveSecret({ type: "file", path: "~/credentials/key" }, { env })).toEqual({ type: "resolved", value: "from-file" });
    const command = [node, "-e", "console.log('$(echo from-program) ')"];
    expect(await resolveSecret({ type: "exec", command }, { env })).toEqual({ type: "resolved", value: "$(echo from-program)" });
  });

  test.each<[string, Secret, RegExp]>([
    ["a variable that is not set", { type: "env", name: "MISSING" }, /MISSING is not set/],
    ["an empty variable", { type: "env", name: "EMPTY" }, /EMPTY is not set/],
    ["a file that is not there", { type: "file", path: "nowhere" }, /nowhere does not exist/],
    ["an empty file", { type: "file", path: "empty" }, /empty is empty/],
    ["a huge file", { type: "file", path: "huge" }, /larger/],
    ["a program that is not there", { type: "exec", command: ["no-such-program-here"] }, /does not start \(ENOENT\)/],
    ["a program that fails", { type: "exec", command: [node, "-e", "console.log('half'); process.exit(3)"] }, /exit code 3/],
    ["a program that is killed", { type: "exec", command: [node, "-e", "process.kill(process.pid, 'SIGKILL')"] }, /SIGKILL/],
    ["a silent program", { type: "exec", command: [node, "-e", ""] }, /printed nothing/],
    ["a talkative program", { type: "exec", command: [node, "-e", "console.log('x'.repeat(1e6))"] }, /printed more/],
  ])("%s does not resolve, and never to an empty text", async (_, secret, message) => {
    await using home = await temporaryHome();
    await home.write("empty", " \n");
    await home.write("huge", "x".repeat(100_000));
    const result = await resolveSecret(secret, { env: { ...home.env, EMPTY: "", PATH: process.env["PATH"] } });
    expect(result).toEqual({ type: "unresolved", message: expect.stringMatching(message) as string });
  });

  test("ends a hanging program with all its children", async () => {
    await using home = await temporaryHome();
    const script = `
      const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
      require("node:fs").writeFileSync(${JSON.stringify(join(home.home, "pid"))}, String(child.pid));
      setInterval(() => {}, 1000);`;
    const env = { ...home.env, PATH: process.env["PATH"] };
    const secret: Secret = { type: "exec", command: [node, "-e", script] };
    const pidFile: Secret = { type: "file", path: "pid" };
    const abort = new AbortController();
    const pending = resolveSecret(secret, { env, signal: abort.signal, timeoutMs: 60_000 });
    await expect.poll(async () => (await resolveSecret(pidFile, { env })).type).toBe("resolved");
    const pid = await resolveSecret(pidFile, { env });
    abort.abort();
    expect(await pending).toMatchObject({ type: "unresolved" });
    const grandchild = pid.type === "resolved" ? Number(pid.value) : 0;
    await expect.poll(() => isRunning(grandchild)).toBe(false);
    expect(await resolveSecret(secret, { env, timeoutMs: 50 })).toMatchObject({ message: expect.stringContaining("50 ms") as string });
  });

  test("hides our keys from the program", async () => {
    await using home = await temporaryHome();
    const env = { ...home.env, PATH: process.env["PATH"], ANTHROPIC_API_KEY: "sk-1", FACTOTUM_TOKEN: "t", OP_SESSION: "s" };
    const command = [node, "-e", "console.log(Object.keys(process.env).sort().join())"];
    const result = await resolveSecret({ type: "exec", command }, { env });
    expect(result).toEqual({ type: "resolved", value: "HOME,OP_SESSION,PATH" });
  });
});

test("resolves the references of an account, or leaves the account off", async () => {
  await using home = await temporaryHome();
  await chmod(await home.write("key", "from-file"), 0o600);
  const env = { ...home.env, A: "value-a" };
  const settings = { id: "x", secret: "${A}", nested: { list: ["plain", { file: "key" }], deep: { env: "A" } }, flag: true };
  expect(await resolveAccountSettings(settings, { env })).toEqual({
    type: "resolved",
    settings: { id: "x", secret: "value-a", nested: { list: ["plain", "from-file"], deep: "value-a" }, flag: true },
    secrets: expect.arrayContaining(["value-a", "from-file"]) as string[],
  });
  expect(await resolveAccountSettings({ ...settings, more: { token: { env: "B" } } }, { env })).toEqual({
    type: "unresolved",
    problems: [expect.stringMatching(/^more\.token: .*B is not set/) as string],
  });
});

describe("displayed configuration", () => {
  const document = {
    gateway: { auth: { token: "canary-1" } },
    channels: { chatter: { appId: "id", appSecret: "canary-2", transport: { encryptKey: "canary-3", verificationToken: "${V}" } } },
    models: { providers: { x: { apiKey: "canary-4", baseUrl: "https://user:canary-5@host/v1" } } },
    mcp: { servers: { s: { env: { ANY: "canary-6" }, headers: { "x-y": "canary-7" } } } },
    plugins: { entries: { p: { config: { accessKey: "canary-8", size: 3 } } } },
    unknown: { password: "canary-9" },
  };

  test("contains no literal secret and every reference", () => {
    const shown = JSON.stringify(redactSecrets(document));
    expect(shown).not.toContain("canary");
    expect(shown).toContain("${V}");
    expect(shown).toContain('"appId":"id"');
    expect(shown.split(REDACTED)).toHaveLength(10);
  });

  test("contains none in a list either", () => {
    expect(redactSecrets({ servers: [{ apiKey: "canary" }, "https://me:canary@host/", "plain"] })).toEqual({
      servers: [{ apiKey: REDACTED }, `https://${REDACTED}@host/`, "plain"],
    });
    expect(redactSecrets({ env: ["NAME=canary"] })).toEqual({ env: [REDACTED] });
  });

  test("finds literals for doctor", () => {
    // Not `env.ANY`, which may be a setting.
    expect(literalSecrets(document)).toHaveLength(8);
    expect(literalSecrets(fullDocument)).toEqual(["channels.chatter.accounts.work.transport.encryptKey"]);
    const agent = { command: "agent", env: { LOG_LEVEL: "warn", API_KEY: "canary" } };
    expect(literalSecrets({ acp: { agents: { agent } } })).toEqual(["acp.agents.agent.env.API_KEY"]);
  });

  test("gives the log every literal and every named variable", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", { ...fullDocument, commands: { ownerDisplaySecret: "owner-literal" } });
    const env = {
      ...home.env,
      GATEWAY_TOKEN: "gateway-value",
      CHATTER_SECRET: "chatter-value",
      K: "skill-value",
      T: "mcp-value",
      OTHER: "other-value",
    };
    const result = await loadConfig({ env, channels: sampleChannels().channels });
    if (result.type === "refused") throw new Error(JSON.stringify(result.problems));
    expect([...secretValues(result.config, env)].sort()).toEqual(
      ["chatter-value", "gateway-value", "literal-key", "mcp-value", "owner-literal", "skill-value"].sort(),
    );
  });

  test("gives the log the password in a URL", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", {
      models: { providers: { x: { api: "openai-chat", baseUrl: "https://user:url-password@127.0.0.1/v1" } } },
    });
    const result = await loadConfig({ env: home.env, channels: sampleChannels().channels });
    if (result.type === "refused") throw new Error(JSON.stringify(result.problems));
    expect([...secretValues(result.config, home.env)]).toEqual([expect.stringContaining("url-password")]);
  });

  test("redacts idempotently", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(redactSecrets(redactSecrets(value))).toEqual(redactSecrets(value));
      }),
    );
  });
});

/** An ended process whose parent has not collected its exit code still has its number; it does not run any more. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

test("variables of tool servers that are plain settings are not hidden, and those that may be secrets are", async () => {
  const env = { LOG_LEVEL: "verbose", DATA_FOLDER: "/srv/documents", API_KEY: "sk-hunter2", DATABASE_URL: "postgres://u:p4ss@h/d" };
  const document = { mcp: { servers: { files: { command: "files-mcp", env } } } };
  await using home = await temporaryHome();
  await home.write("factotum.json5", document);
  const result = await loadConfig({ env: home.env, channels: sampleChannels().channels });
  if (result.type === "refused") throw new Error(JSON.stringify(result.problems));
  const hidden = secretValues(result.config, {});
  for (const value of [env.API_KEY, env.DATABASE_URL]) expect(hidden).toContain(value);
  for (const value of [env.LOG_LEVEL, env.DATA_FOLDER]) expect(hidden).not.toContain(value);
});

test("secrets in the parameters of an address are hidden, kept when it is written back, and known to the log", () => {
  const url = "https://me:canary-one@host/mcp?api_key=canary-two&mode=full&access-token=canary-three&token=${TOKEN}#top";
  const document = { mcp: { servers: { x: { url } } } };
  const shown = redactSecrets(document);
  expect(shown).toEqual({
    mcp: {
      servers: { x: { url: `https://${REDACTED}@host/mcp?api_key=${REDACTED}&mode=full&access-token=${REDACTED}&token=\${TOKEN}#top` } },
    },
  });
  expect(restoreSecrets(shown, document, [])).toEqual(document);
  expect(literalSecretTexts(document)).toEqual(["me:canary-one", "canary-two", "canary-three"]);
  expect(redactSecrets({ note: "See https://host/?api_key=none, as written" })).toEqual({
    note: "See https://host/?api_key=none, as written",
  });
});
