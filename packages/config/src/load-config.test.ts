import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { fullDocument, sampleChannels, temporaryHome, type TemporaryHome } from "../test/sample.ts";
import { hashOf } from "./document/hash-of.ts";
import { loadConfig, rememberConfig, type LoadedConfig } from "./load-config.ts";

const host = { cores: 4, timeZone: "Asia/Tokyo" };

async function load(home: TemporaryHome, env: Readonly<Record<string, string>> = {}): Promise<Awaited<ReturnType<typeof loadConfig>>> {
  return loadConfig({ env: { ...home.env, ...env }, channels: sampleChannels().channels, host });
}

async function loaded(home: TemporaryHome, env: Readonly<Record<string, string>> = {}): Promise<LoadedConfig> {
  const result = await load(home, env);
  if (result.type === "refused") throw new Error(JSON.stringify(result.problems));
  return result;
}

describe("no file", () => {
  test("has the documented defaults", async () => {
    await using home = await temporaryHome();
    const { config, source, problems, inactive, path } = await loaded(home);
    expect({ source, problems, inactive, path }).toEqual({
      source: "defaults",
      problems: [],
      inactive: [],
      path: join(home.home, "factotum.json5"),
    });
    expect(config.gateway).toEqual({ port: 18790, bind: "loopback", auth: { mode: "token" }, allowedOrigins: [], trustedProxies: [] });
    expect(config.agents).toHaveLength(1);
    expect(config.agents[0]).toMatchObject({
      id: "main",
      isDefault: true,
      workspace: join(home.home, "workspace"),
      userTimezone: "Asia/Tokyo",
      timeoutSeconds: 3600,
      bootstrapMaxChars: 20_000,
      bootstrapTotalMaxChars: 60_000,
      heartbeat: "off",
      sandbox: { mode: "non-main", scope: "session", workspaceAccess: "none", backend: "auto", network: "none" },
      subagents: { allowAgents: [], maxDepth: 1, maxChildren: 5, maxConcurrent: 8 },
      compaction: { reserveTokens: 20_000, keepRecentTokens: 20_000, memoryFlush: true, notifyUser: false },
      contextPruning: { mode: "cache-ttl" },
      blockStreamingDefault: "off",
      blockStreamingBreak: "text_end",
      blockStreamingChunk: { minChars: 800, maxChars: 1200 },
      blockStreamingCoalesce: { idleMs: 1000 },
      humanDelay: { mode: "off", minMs: 800, maxMs: 2500 },
    });
    expect(config.agents[0]?.model).toBeUndefined();
    expect(config.maxConcurrent).toBe(8);
    expect(config.session).toMatchObject({ scope: "per-sender", mainKey: "main", dmScope: "main", reset: { mode: "daily", atHour: 4 } });
    expect(config.messages).toEqual({
      queue: { mode: "steer", byChannel: {}, debounceMs: 500, cap: 20, drop: "summarize" },
      inbound: { debounceMs: 0, maxAgeHours: 24 },
      groupChat: { historyLimit: 50, mentionPatterns: [] },
      tts: { auto: "off", maxChars: 4000 },
    });
    expect(config.tools).toMatchObject({
      profile: ["full"],
      deny: [],
      exec: { mode: "ask", timeoutSeconds: 1800, maxConcurrent: 16, maxProcesses: 256, maxMemoryMb: 2048, applyPatch: true },
    });
    expect(config.tools.allow).toBeUndefined();
    expect(config.spend.unattended).toEqual({ tokensPerDay: 1_000_000, usdPerDay: 2 });
    expect(Object.keys(config.channels)).toEqual(["webchat"]);
    expect(config.channels["webchat"]?.accounts["default"]).toMatchObject({ enabled: true, dmPolicy: "pairing", groupPolicy: "allowlist" });
  });

  test("differs from an empty one, which is a bad file", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", "  \n");
    expect(await load(home)).toMatchObject({ type: "refused", problems: [{ type: "syntax" }] });
  });

  test("is reported when FACTOTUM_CONFIG names it", async () => {
    await using home = await temporaryHome();
    const { source, problems } = await loaded(home, { FACTOTUM_CONFIG: join(home.home, "elsewhere.json5") });
    expect(source).toBe("defaults");
    expect(problems).toEqual([{ type: "missing", path: "", message: expect.stringContaining("elsewhere.json5") as string }]);
  });
});

describe("a missing file", () => {
  const STRICT = `{tools: {exec: {mode: "deny"}}} // mine`;
  const remembered = async (home: TemporaryHome, name: string, env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const path = await home.write(name, name.endsWith("yaml") ? "tools: {exec: {mode: deny}} # mine" : STRICT);
    await rememberConfig(await loaded(home, env));
    await rm(path);
    return path;
  };

  test.each(["factotum.json5", "factotum.json", "factotum.yaml"])("is replaced by its last good copy: %s", async (name) => {
    await using home = await temporaryHome();
    const path = await remembered(home, name);
    const result = await loaded(home);
    const copy = join(home.home, `state/config.last-good${extname(name)}`);
    expect(result).toMatchObject({ source: "last-good", path, config: { tools: { exec: { mode: "deny" } } } });
    expect(result.runningHash).toBe(hashOf(await readFile(copy, "utf8")));
    expect(result.fileHash).toBeUndefined();
    const told = `${path} is not there any more, and its last good copy holds. Put it back with cp "${copy}" "${path}"`;
    expect(result.problems).toEqual([{ type: "missing", path: "", message: expect.stringContaining(told) as string }]);
    await rm(copy);
    expect(await loaded(home)).toMatchObject({ source: "defaults", problems: [] });
  });

  test("is recognised behind a link to its state directory, and as the file in FACTOTUM_CONFIG", async () => {
    await using home = await temporaryHome();
    await remembered(home, "factotum.json5");
    const link = join(home.home, "link");
    await symlink(home.home, link);
    expect((await loaded(home, { FACTOTUM_HOME: link })).source).toBe("last-good");
    expect((await loaded(home, { FACTOTUM_CONFIG: join(home.home, "factotum.json5") })).source).toBe("last-good");
    const named = { FACTOTUM_CONFIG: join(home.home, "named.yaml") };
    await remembered(home, "named.yaml", named);
    expect(await loaded(home, named)).toMatchObject({ source: "last-good", path: named.FACTOTUM_CONFIG });
  });

  test.each([
    ["a name that is mistyped", "factotum.json5", { FACTOTUM_CONFIG: "/nowhere/typo.json5" }, "Correct FACTOTUM_CONFIG"],
    [
      "a default file that was never read under this name",
      "factotum.yaml",
      { FACTOTUM_CONFIG: "factotum.json5" },
      "Correct FACTOTUM_CONFIG",
    ],
    ["an unknown former name", "strict.json5", {}, "name another one in FACTOTUM_CONFIG"],
  ])("%s is refused if only the copy of another file exists", async (_, name, env, told) => {
    await using home = await temporaryHome();
    await remembered(home, name, name.startsWith("factotum") ? {} : { FACTOTUM_CONFIG: join(home.home, name) });
    const copy = join(home.home, `state/config.last-good${extname(name)}`);
    const inHome = Object.fromEntries(Object.entries(env).map(([key, path]) => [key, resolve(home.home, path)]));
    const result = await load(home, inHome);
    expect(result).toMatchObject({ type: "refused", problems: [{ type: "missing" }] });
    for (const text of [copy, told, "to start afresh, remove"]) expect(result.problems[0]?.message).toContain(text);
    await rm(copy);
    expect((await loaded(home, inHome)).source).toBe("defaults");
  });

  test("is refused if there are copies of several files", async () => {
    await using home = await temporaryHome();
    await remembered(home, "factotum.json5");
    await remembered(home, "factotum.yaml");
    expect(await load(home)).toMatchObject({ type: "refused", problems: [{ type: "missing" }] });
  });

  test("is refused if its copy is no longer valid", async () => {
    await using home = await temporaryHome();
    await home.write("state/config.last-good.json5", `{tools: {dney: []}}`);
    expect(await load(home)).toMatchObject({ type: "refused", problems: [{ type: "missing" }, { type: "notice" }] });
  });
});

describe("a file", () => {
  test.each([
    ["factotum.json5", `// why\n{gateway: {port: 0x1F90,},}`],
    ["factotum.json", `{"gateway": {"port": 8080}}`],
    ["factotum.yaml", "# why\ngateway:\n  port: 8080\n"],
    ["factotum.yml", "gateway: {port: 8080}"],
  ])("%s is read", async (name, text) => {
    await using home = await temporaryHome();
    await home.write(name, text);
    const result = await loaded(home);
    expect(result.config.gateway.port).toBe(8080);
    expect(result.fileHash).toBe(hashOf(text));
    expect(result.runningHash).toBe(result.fileHash);
  });

  test("reads the same in every format, with every row set", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", fullDocument);
    const fromJson = await loaded(home);
    await rm(join(home.home, "factotum.json5"));
    await home.write("factotum.yaml", stringify(fullDocument));
    const fromYaml = await loaded(home);
    expect(fromJson.problems).toEqual([]);
    expect(fromJson.inactive).toEqual([]);
    expect(fromYaml.config).toEqual(fromJson.config);
  });

  test("names further notes relative to the state directory, and takes nothing else for memory", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", '{ memory: { extraPaths: ["vault", "~/notes", "/srv/a.md"], provider: "facts", index: "x" } }');
    const { config, problems } = await loaded(home);
    const extraPaths = [join(home.home, "vault"), join(home.home, "notes"), "/srv/a.md"];
    expect(config.memory).toEqual({ provider: "facts", extraPaths, sessions: ["private"] });
    expect(problems).toMatchObject([{ path: "memory.index" }]);
  });

  test("takes precedence by name over another one, which is reported", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", { gateway: { port: 1 } });
    const other = await home.write("factotum.yaml", "gateway: {port: 2}");
    const { config, problems } = await loaded(home);
    expect(config.gateway.port).toBe(1);
    expect(problems).toEqual([{ type: "notice", path: "", message: expect.stringContaining(other) as string }]);
  });

  test("is overridden by FACTOTUM_CONFIG and FACTOTUM_PORT", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", { gateway: { port: 1 } });
    const named = await home.write("other/my.json", { gateway: { port: 2, bind: "lan" } });
    const { config } = await loaded(home, { FACTOTUM_CONFIG: named, FACTOTUM_PORT: "3" });
    expect(config.gateway).toMatchObject({ port: 3, bind: "lan" });
    expect((await loaded(home, { FACTOTUM_PORT: " 4\n" })).config.gateway.port).toBe(4);
    const bad = await loaded(home, { FACTOTUM_PORT: "many" });
    expect(bad.config.gateway.port).toBe(1);
    expect(bad.problems).toMatchObject([{ type: "environment", path: "FACTOTUM_PORT" }]);
  });

  test("is used without its unknown keys, which are reported with the nearest known one", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", {
      gatway: {},
      gateway: { prot: 1, port: 2 },
      channels: { chater: {}, chatter: { appId: "a", appSecret: "b", transport: { type: "websocket" }, textChunkLimt: 5, appSecrt: "x" } },
      agents: { list: [{ id: "main", modle: "x" }] },
      $schema: "./schema.json",
    });
    const { config, problems } = await loaded(home);
    expect(config.gateway.port).toBe(2);
    expect(problems.map(({ type, path, message }) => [type, path, /did you mean "(.*)"/.exec(message)?.[1]])).toEqual([
      ["unknown-key", "gateway.prot", "port"],
      ["unknown-key", "agents.list[0].modle", "model"],
      ["unknown-key", "gatway", "gateway"],
      ["unknown-key", "channels.chatter.textChunkLimt", "textChunkLimit"],
      ["unknown-key", "channels.chatter.appSecrt", "appSecret"],
      ["unknown-channel", "channels.chater", "chatter"],
    ]);
    expect(config.channels["chatter"]?.accounts["default"]?.settings).toEqual({
      appId: "a",
      appSecret: "b",
      transport: { type: "websocket" },
    });
  });
});

describe("a bad file", () => {
  const bad: [string, string][] = [
    ["broken syntax", "{gateway: "],
    ["a value of the wrong kind", `{gateway: {port: "many"}}`],
    ["a list at the top", "[]"],
    ["a binding to an unknown agent", `{bindings: [{agentId: "nobody", match: {channel: "chatter"}}]}`],
  ];

  test.each(bad)("(%s) is refused if no good copy is known", async (_, text) => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", text);
    const result = await load(home);
    expect(result.type).toBe("refused");
    expect(result.problems.length).toBeGreaterThan(0);
    expect(result.fileHash).toBe(hashOf(text));
  });

  test.each(bad)("(%s) falls back to the last good copy", async (_, text) => {
    await using home = await temporaryHome();
    const good = `{gateway: {port: 4711}} // mine`;
    const path = await home.write("factotum.json5", good);
    await rememberConfig(await loaded(home));
    await writeFile(path, text);
    const result = await loaded(home);
    expect(result.source).toBe("last-good");
    expect(result.config.gateway.port).toBe(4711);
    expect(result.problems.length).toBeGreaterThan(0);
    expect(result.fileHash).toBe(hashOf(text));
    expect(result.runningHash).toBe(hashOf(good));
    await rememberConfig(result);
    expect(await readFile(join(home.home, "state/config.last-good.json5"), "utf8")).toBe(good);
  });

  test("does not count as missing if it cannot be read", async () => {
    await using home = await temporaryHome();
    await mkdir(join(home.home, "factotum.json5"));
    expect(await load(home)).toMatchObject({ type: "refused", problems: [{ type: "syntax" }] });
  });

  test("is refused if its last good copy is bad too", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", "{");
    await home.write("state/config.last-good.json5", "{");
    expect((await load(home)).type).toBe("refused");
  });

  test("does not keep a good copy of a file that changed after it was loaded", async () => {
    await using home = await temporaryHome();
    const path = await home.write("factotum.json5", "{gateway: {port: 4711}}");
    const running = await loaded(home);
    await writeFile(path, "{gateway: ");
    await rememberConfig(running);
    expect((await load(home)).type).toBe("refused");
    await expect(stat(join(home.home, "state/config.last-good.json5"))).rejects.toThrow("ENOENT");
  });

  test("falls back only to a copy of the same file, and to one without a source only at a default path", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", "{gateway: {port: 1}}");
    await rememberConfig(await loaded(home));
    const named = await home.write("strict.json5", "{");
    const env = { FACTOTUM_CONFIG: named };
    expect(await load(home, env)).toMatchObject({ type: "refused", path: named });
    await rm(join(home.home, "state/config.last-good.json5.source"));
    expect(await load(home, env)).toMatchObject({ type: "refused", path: named });
    await home.write("factotum.json5", "{");
    expect((await loaded(home)).config.gateway.port).toBe(1);
    await writeFile(named, "{gateway: {port: 2}}");
    await rememberConfig(await loaded(home, env));
    await writeFile(named, "{");
    expect((await loaded(home, env)).config.gateway.port).toBe(2);
    expect((await load(home)).type).toBe("refused");
  });

  test("does not fall back to the copy of another file after its link was redirected", async () => {
    await using home = await temporaryHome();
    const [one, two] = [await home.write("one.json5", "{gateway: {port: 1}}"), await home.write("two.json5", "{")];
    await symlink(one, join(home.home, "factotum.json5"));
    await rememberConfig(await loaded(home));
    await writeFile(one, "{");
    expect((await loaded(home)).config.gateway.port).toBe(1);
    await rm(join(home.home, "factotum.json5"));
    await symlink(two, join(home.home, "factotum.json5"));
    expect((await load(home)).type).toBe("refused");
  });

  test("does not fall back to a copy whose source does not match", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", "{}");
    await rememberConfig(await loaded(home));
    await home.write("state/config.last-good.json5", "{gateway: {port: 1}}");
    await home.write("factotum.json5", "{");
    expect((await load(home)).type).toBe("refused");
  });

  test("has a private copy", async () => {
    await using home = await temporaryHome();
    await chmod(await home.write("factotum.json5", "{}"), 0o644);
    await rememberConfig(await loaded(home));
    expect((await stat(join(home.home, "state/config.last-good.json5"))).mode & 0o777).toBe(0o600);
  });

  test("is not copied when it changed in the meantime", async () => {
    await using home = await temporaryHome();
    const path = await home.write("factotum.json5", "{}");
    const result = await loaded(home);
    await writeFile(path, "{ broken");
    await rememberConfig(result);
    expect((await load(home)).type).toBe("refused");
  });
});

describe("agents", () => {
  test("inherit the defaults, and the list wins", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", {
      agents: {
        defaults: {
          model: { primary: "a/b", fallbacks: ["c/d"] },
          workspace: "~/base",
          timeoutSeconds: 5,
          tools: { allow: ["read"], deny: ["exec"] },
          sandbox: { mode: "off", scope: "agent" },
          models: { "a/b": { alias: "best" } },
        },
        list: [
          { id: "one" },
          {
            id: "two",
            default: true,
            model: "x/y",
            tools: { allow: ["ls"] },
            sandbox: { scope: "shared" },
            models: { "x/y": { alias: "other" } },
          },
        ],
      },
    });
    const { config } = await loaded(home);
    const [one, two] = config.agents;
    expect(config.defaultAgentId).toBe("two");
    expect(one).toMatchObject({ isDefault: false, workspace: join(home.home, "workspace-one"), timeoutSeconds: 5 });
    expect(one?.model).toEqual({ primary: "a/b", fallbacks: ["c/d"] });
    expect(two).toMatchObject({ isDefault: true, workspace: join(home.home, "base"), timeoutSeconds: 5 });
    expect(two?.model).toEqual({ primary: "x/y", fallbacks: [] });
    expect(two?.tools).toEqual({ allow: ["ls"], deny: ["exec"] });
    expect(two?.sandbox).toMatchObject({ mode: "off", scope: "shared" });
    expect(Object.keys(two?.models ?? {})).toEqual(["a/b", "x/y"]);
  });

  test("default to the first one", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", { agents: { list: [{ id: "one", workspace: "here" }, { id: "two" }] } });
    const { config } = await loaded(home);
    expect(config.defaultAgentId).toBe("one");
    expect(config.agents.map(({ workspace }) => workspace)).toEqual([join(home.home, "here"), join(home.home, "workspace-two")]);
  });

  test.each([
    ["two of one id", { list: [{ id: "a" }, { id: "a" }] }, "agents.list[1].id"],
    [
      "two defaults",
      {
        list: [
          { id: "a", default: true },
          { id: "b", default: true },
        ],
      },
      "agents.list[1].default",
    ],
    ["an id with a capital", { list: [{ id: "Coder" }] }, "agents.list[0].id"],
    ["an alias with a slash", { defaults: { models: { "a/b": { alias: "c/d" } } } }, "agents.defaults.models.a/b.alias"],
    ["an alias twice", { defaults: { models: { "a/b": { alias: "c" }, "a/c": { alias: "c" } } } }, "agents.defaults.models.a/c.alias"],
  ])("%s is refused", async (_, agents, path) => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", { agents });
    const result = await load(home);
    expect(result.type).toBe("refused");
    expect(result.problems.map((problem) => problem.path)).toEqual([path]);
  });
});

describe("old forms", () => {
  test("are read as the new ones", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", {
      agent: { skipBootstrap: true, workspaceDir: "~/old" },
      agents: { list: [{ id: "main" }, { id: "coder", workspaceDir: "/code" }] },
      session: { resetByType: { dm: { mode: "none" } } },
      bindings: [{ agentId: "coder", match: { channel: "webchat", peer: { kind: "dm", id: 7 } } }],
      channels: { webchat: { historyLimit: { dm: 3 } } },
    });
    const { config, problems } = await loaded(home);
    expect(problems).toEqual([]);
    expect(config.agents[0]).toMatchObject({ skipBootstrap: true, workspace: join(home.home, "old") });
    expect(config.agents[1]).toMatchObject({ skipBootstrap: true, workspace: "/code" });
    expect(config.session.resetByType.direct?.mode).toBe("none");
    expect(config.bindings[0]?.match.peer).toEqual({ kind: "direct", id: "7" });
    expect(config.channels["webchat"]?.accounts["default"]?.historyLimit).toEqual({ direct: 3 });
  });

  test("are an error next to the new ones", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", { agents: { defaults: { workspaceDir: "/a", workspace: "/b" } } });
    expect(await load(home)).toMatchObject({ type: "refused", problems: [{ path: "agents.defaults.workspaceDir" }] });
  });
});

describe("channels", () => {
  const account = { appId: "a", appSecret: "b", transport: { type: "websocket" } };

  test("parses the short form as the account `default`, which inherits only channels.defaults", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", {
      channels: {
        defaults: { dmPolicy: "allowlist", historyLimit: { direct: 5 } },
        chatter: { ...account, allowFrom: [1], historyLimit: { group: 2 } },
      },
    });
    const { config } = await loaded(home);
    expect(config.channels["chatter"]?.accounts).toMatchObject({
      default: { channel: "chatter", accountId: "default", dmPolicy: "allowlist", allowFrom: ["1"], historyLimit: { direct: 5, group: 2 } },
    });
  });

  test("disables every account of a disabled channel, without checking or loading it", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", { channels: { chatter: { enabled: false, accounts: { a: account, b: {} } } } });
    const { channels, loads } = sampleChannels();
    const result = await loadConfig({ env: home.env, channels, host });
    if (result.type === "refused") throw new Error(JSON.stringify(result.problems));
    expect(Object.values(result.config.channels["chatter"]?.accounts ?? {}).map(({ enabled }) => enabled)).toEqual([false, false]);
    expect(loads).toEqual([]);
  });

  test("loads only the schemas of configured channels, once", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", { channels: { chatter: { accounts: { a: account, b: account } } } });
    const { channels, loads } = sampleChannels();
    await loadConfig({ env: home.env, channels, host });
    expect(loads).toEqual(["chatter"]);
  });

  test.each([
    ["both forms", { chatter: { ...account, accounts: { a: account } } }, "channels.chatter"],
    ["open without `*`", { chatter: { ...account, dmPolicy: "open", allowFrom: ["1"] } }, "channels.chatter.dmPolicy"],
    ["a missing key of the platform", { chatter: { appId: "a", transport: { type: "websocket" } } }, "channels.chatter.appSecret"],
    [
      "a key of the other variant's kind",
      { chatter: { ...account, transport: { type: "webhook" } } },
      "channels.chatter.transport.encryptKey",
    ],
    ["a variant that is not there", { chatter: { ...account, transport: { type: "pigeon" } } }, "channels.chatter.transport.type"],
    ["a platform's key among the defaults of the wrong kind", { defaults: { dmPolicy: "maybe" } }, "channels.defaults.dmPolicy"],
    ["an account's name with a slash", { chatter: { accounts: { "a/b": account } } }, `channels.chatter.accounts.a/b`],
  ])("%s is refused", async (_, channels, path) => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", { channels });
    const result = await load(home);
    expect(result.type).toBe("refused");
    expect(result.problems.map((problem) => problem.path)).toContain(path);
  });

  test("accepts secret references in place of text, unchecked", async () => {
    await using home = await temporaryHome();
    const settings = { ...account, appSecret: { exec: ["pass", "x"] }, baseUrl: "${CHATTER_URL}" };
    await home.write("factotum.json5", { channels: { chatter: settings } });
    const { config, problems } = await loaded(home);
    expect(problems).toEqual([]);
    expect(config.channels["chatter"]?.accounts["default"]?.settings).toEqual(settings);
  });
});

test("refuses auth none beyond loopback", async () => {
  await using home = await temporaryHome();
  await home.write("factotum.json5", { gateway: { bind: "lan", auth: { mode: "none" } } });
  expect(await load(home)).toMatchObject({ type: "refused", problems: [{ path: "gateway.auth.mode" }] });
  await home.write("factotum.json5", { gateway: { bind: "127.0.0.1", auth: { mode: "none" } } });
  expect((await load(home)).type).toBe("loaded");
});

test.each([
  ["https://chat.example.com", undefined],
  ["http://localhost:3000", undefined],
  ["https://[::1]:8443", undefined],
  ["app://notes.example", undefined],
  ["chrome-extension://abcdefghijklmnop", undefined],
  ["*", "wildcards are not supported"],
  ["https://*.example.com", "wildcards are not supported"],
  ["null", "list the origin of the page"],
  ["https://chat.example.com/", "write it as browsers send it: https://chat.example.com"],
  ["https://chat.example.com:443", "write it as browsers send it: https://chat.example.com"],
  ["HTTPS://Chat.Example.com/app?x#y", "write it as browsers send it: https://chat.example.com"],
  ["https://user@chat.example.com", "write it as browsers send it: https://chat.example.com"],
  ["chat.example.com", "is expected"],
  ["https://", "is expected"],
  ["app://notes.example/page", "is expected"],
  ["", "is expected"],
])("gateway.allowedOrigins: %j: %j", async (origin, problem) => {
  await using home = await temporaryHome();
  await home.write("factotum.json5", { gateway: { allowedOrigins: ["https://first.example", origin] } });
  const result = await load(home);
  if (problem === undefined)
    expect(result).toMatchObject({ type: "loaded", config: { gateway: { allowedOrigins: ["https://first.example", origin] } } });
  else
    expect(result).toMatchObject({
      type: "refused",
      problems: [{ path: "gateway.allowedOrigins[1]", message: expect.stringContaining(problem) as string }],
    });
});

test("lists inactive keys at the highest possible level", async () => {
  await using home = await temporaryHome();
  await home.write("factotum.json5", {
    gateway: { port: 1 },
    agents: {
      defaults: {
        model: "a/b",
        heartbeat: { every: "1h" },
        models: { "a/b": { alias: "b", params: { cacheRetention: "long", temperature: 1 } } },
      },
      list: [{ id: "main", sandbox: { mode: "off", sessionToolsVisibility: "all" }, name: "M", identity: { name: "Ada", emoji: "🦉" } }],
    },
    tools: {
      profile: "full",
      byProvider: { openai: { deny: ["exec"] } },
      exec: { mode: "full", timeoutSeconds: 5 },
      elevated: { enabled: false, allowFrom: {} },
    },
    spend: { unattended: { usdPerDay: 1 } },
    session: { agentToAgent: { maxPingPongTurns: 1 } },
  });
  expect((await loaded(home)).inactive).toEqual(["agents.defaults.models.a/b.params.temperature"]);
});
