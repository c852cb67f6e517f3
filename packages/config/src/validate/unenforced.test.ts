import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { sampleChannels, temporaryHome, type TemporaryHome } from "../../test/sample.ts";
import { describeCommandPolicy } from "../describe-command-policy.ts";
import { parseKeyPath, withValue } from "../document/key-path.ts";
import type { Document } from "../document/plain-object.ts";
import { loadConfig, rememberConfig } from "../load-config.ts";
import { setConfigValue } from "../write/set-config-value.ts";

const { channels } = sampleChannels();
const load = async ({ env }: TemporaryHome) => loadConfig({ env, channels });

/** Loads a document; the problems as `type path`. */
async function check(document: object): Promise<{ readonly type: string; readonly problems: readonly string[]; readonly text: string }> {
  await using home = await temporaryHome();
  await home.write("factotum.json5", document);
  const { type, problems } = await load(home);
  return {
    type,
    problems: problems.map((problem) => `${problem.type} ${problem.path}`),
    text: problems.map(({ message }) => message).join("\n"),
  };
}

const at = (key: string, value: unknown): Document => withValue({ agents: { list: [{ id: "main" }] } }, parseKeyPath(key), value);
/** A rule for calls at an occasion that does not exist. */
const HOOKS = { commandHooks: [{ event: "pre-tool", command: ["/bin/false"] }] };
const ACCOUNT = { appId: "a", appSecret: "s", transport: { type: "websocket" } };

describe("a restricting key that is not enforced", () => {
  test.each([
    ["commandHooks[0].event", { event: "pre-tool" }],
    ["commandHooks[0].command", { command: [] }],
    ["commandHooks[0].command", { command: "deny-it" }],
    ["commandHooks[0].match.tools", { event: "message_sent", match: { tools: ["exec"] } }],
    ["commandHooks[0].match.agents", { event: "message_sending", match: { agents: ["main"] } }],
    ["commandHooks[0].match.tool", { match: { tool: ["exec"] } }],
    ["commandHooks[0].timeoutSeconds", { timeoutSeconds: 61 }],
    ["commandHooks[0].timeoutSeconds", { timeoutSeconds: 0 }],
  ])("%s of a hook that is %j refuses the start", async (key, hook) => {
    const whole = { event: "before_tool_call", command: ["/bin/false"], ...hook };
    expect(await check(at("commandHooks", [whole]))).toMatchObject({ type: "refused", problems: [`unenforced ${key}`] });
  });

  test.each([
    ["tools.exec.mode", "full"],
    ["tools.exec.mode", "deny"],
    ["tools.exec.mode", "ask"],
    ["tools.exec.mode", "allowlist"],
    ["tools.exec.allow", ["git *"]],
    ["tools.exec.allow", []],
    ["tools.approvals", { timeoutMinutes: 5 }],
    ["tools.exec.applyPatch", true],
    ["tools.exec.applyPatch", false],
    ["tools.elevated.enabled", false],
    ["tools.elevated", { enabled: true, allowFrom: { chatter: ["1"] } }],
    ["tools.approvals", {}],
    ["commandHooks", []],
    ["commandHooks", [{ event: "before_tool_call", match: { tools: ["group:fs"], agents: ["main"] }, command: ["/bin/false", "-x"] }]],
    ["commandHooks", [{ event: "gateway_start", command: ["date"], timeoutSeconds: 0.5 }]],
    ["tools.sandbox.tools", {}],
    ["tools.sandbox.tools.allow", ["read"]],
    ["tools.sandbox.tools.allow", []],
    ["tools.sandbox.tools.deny", ["exec"]],
    ["agents.defaults.sandbox.mode", "non-main"],
    ["agents.list[0].sandbox.mode", "all"],
    ["agents.defaults.sandbox.workspaceAccess", "none"],
    ["agents.list[0].sandbox.workspaceAccess", "ro"],
    ["agents.defaults.sandbox.network", "none"],
    ["agents.list[0].sandbox.network", { allow: [] }],
    ["agents.defaults.sandbox.network", { allow: ["api.example", "*.b.example", "10.0.0.1:8080", "[::1]:80"] }],
    ["agents.list[0].sandbox.network", { allow: ["api.example"] }],
    ["agents.defaults.sandbox.backend", "podman"],
    ["tools.sandbox.tools", { allow: ["*"], deny: [] }],
    ["agents.defaults.subagents.tools", { deny: ["exec"] }],
    ["agents.list[0].subagents.tools.allow", ["read"]],
    ["agents.defaults.sandbox.mode", "off"],
    ["agents.list[0].sandbox.mode", "off"],
    ["agents.list[0].sandbox.workspaceAccess", "rw"],
    ["agents.defaults.sandbox.scope", "agent"],
    ["channels.defaults.groups.g1.toolsBySender", {}],
    [
      "channels.defaults.groups.g1.toolsBySender",
      { "*": { deny: ["exec"] }, "@anna:example.org": {}, "id:1": {}, "channel:chatter:1": {} },
    ],
    ["channels.defaults.groups.g1.tools", { deny: ["exec"] }],
  ])("%s: %j is not such a key", async (key, value) => {
    expect(await check(at(key, value))).toMatchObject({ type: "loaded", problems: [] });
  });

  test.each(["name:Anna", "username:anna", "e164:+491234", "id:", "channel:chatter", "channel:chatter:", " 1"])(
    "a key of toolsBySender that names no one by id, %j, refuses the start",
    async (sender) => {
      const { type, problems, text } = await check({
        channels: { chatter: { ...ACCOUNT, groups: { g1: { toolsBySender: { [sender]: { deny: ["exec"] } } } } } },
      });
      expect({ type, count: problems.length }).toEqual({ type: "refused", count: 1 });
      expect(text).toContain(JSON.stringify(sender));
    },
  );

  test.each(["bob", "+15551234", "chatter:222", "id:bob", "channel:chatter:bob", "channel:webchat:1"])(
    "a key of toolsBySender that no sender of the channel can have, %j, refuses the start",
    async (sender) => {
      const groups = { g1: { toolsBySender: { [sender]: { deny: ["exec"] }, "222": {}, "*": {} } } };
      const found = await check({ channels: { chatter: { ...ACCOUNT, groups } } });
      expect(found).toMatchObject({ type: "refused", problems: [`unenforced channels.chatter.groups.g1.toolsBySender.${sender}`] });
      expect(found.text).toContain(JSON.stringify(sender.replace(/^(?:id:|channel:chatter:)/, "")));
    },
  );

  test("a key of toolsBySender in the defaults is checked against all configured channels", async () => {
    const groups = { g1: { toolsBySender: { bob: { deny: ["exec"] } } } };
    expect((await check({ channels: { defaults: { groups }, chatter: ACCOUNT } })).problems).toEqual([
      "unenforced channels.defaults.groups.g1.toolsBySender.bob",
    ]);
    expect((await check({ channels: { defaults: { groups }, chatter: ACCOUNT, webchat: {} } })).problems).toEqual([]);
  });

  test("is found in accounts of known channels only", async () => {
    const groups = { g1: { toolsBySender: { "name:Anna": { deny: ["exec"] } } } };
    expect((await check({ channels: { chatter: { ...ACCOUNT, groups } } })).problems).toEqual([
      "unenforced channels.chatter.groups.g1.toolsBySender.name:Anna",
    ]);
    expect((await check({ channels: { chatter: { accounts: { work: { ...ACCOUNT, groups } } } } })).problems).toEqual([
      "unenforced channels.chatter.accounts.work.groups.g1.toolsBySender.name:Anna",
    ]);
    expect(await check({ channels: { pigeon: { groups } } })).toMatchObject({
      type: "loaded",
      problems: ["unknown-channel channels.pigeon"],
    });
  });

  test("is refused despite a last good copy, even among other bad values; another bad file still falls back", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", { gateway: { port: 1 } });
    const good = await load(home);
    if (good.type !== "loaded") throw new Error("the good file was refused");
    await rememberConfig(good);
    await home.write("factotum.json5", HOOKS);
    expect(await load(home)).toMatchObject({ type: "refused", fileHash: expect.any(String) as string });
    await home.write("factotum.json5", { gateway: { port: "x" }, ...HOOKS });
    expect(await load(home)).toMatchObject({ type: "refused", problems: [{ path: "gateway.port" }, { path: "commandHooks[0].event" }] });
    await home.write("factotum.json5", { gateway: { port: "x" }, tools: { exec: { mode: "deny" } } });
    expect(await load(home)).toMatchObject({ type: "loaded", source: "last-good" });
  });

  test("is refused by config set; config unset repairs it", async () => {
    await using home = await temporaryHome();
    const path = await home.write("factotum.json5", HOOKS);
    const set = async (key: string, value: string | boolean) => setConfigValue(key, value, { env: home.env, channels });
    expect(await set("commandHooks", '[{ event: "pre-tool", command: ["/bin/false"] }]')).toMatchObject({
      type: "refused",
      problems: [{ type: "unenforced", path: "commandHooks" }],
    });
    expect(await setConfigValue("commandHooks", undefined, { env: home.env, channels })).toMatchObject({ type: "written", problems: [] });
    expect(await readFile(path, "utf8")).not.toContain("pre-tool");
  });
});

describe("a restriction that has no effect", () => {
  test.each([
    ["tools.dney", ["exec"], 'did you mean "deny"?'],
    ["tools.fs.workspaceOnly", true, "remove it"],
    ["Tools", { deny: ["exec"] }, 'did you mean "tools"?'],
    ["deny", ["exec"], "remove it"],
    ["agents.defaults.tools.exec", { mode: "deny" }, "write tools.exec for all agents"],
    ["agents.list[0].tools.exec", { mode: "deny" }, 'deny: ["group:runtime"]'],
    ["agents.list[0].tools.byProvider", { openai: { deny: ["exec"] } }, "write tools.byProvider"],
    ["agents.defaults.sandbox.readOnly", true, "remove it"],
    ["sandbox", { mode: "all" }, "agents.defaults"],
    ["mcp.servers.git", { command: "git-mcp", toolFiltr: ["log"] }, 'did you mean "toolFilter"?'],
    ["mcp.servers.git", { url: "https://git.example/mcp", sandbox: { mode: "on" } }, "remove it"],
    ["channels.defaults.groups.g1.deny", ["exec"], "remove it"],
    ["channels.chatter", { ...ACCOUNT, tools: { deny: ["exec"] } }, "remove it"],
    ["tool", { deny: ["exec"] }, 'did you mean "tools"?'],
    ["tool", { fs: { roots: [] } }, 'did you mean "tools"?'],
    ["sanbox", { mode: "all" }, "write sandbox under agents.defaults"],
    ["permissions", { exec: "deny" }, ""],
    ["agents.defaults.sanbox", { mode: "all" }, 'did you mean "sandbox"?'],
    ["agents.list[0].security", { rules: [{ tools: { deny: ["exec"] } }] }, "remove it"],
    ["channels.defautls", { dmPolicy: "disabled" }, 'did you mean "defaults"?'],
    ["channels.webchatt", { dmPolicy: "disabled" }, 'did you mean "webchat"?'],
    ["channels.chatter", { ...ACCOUNT, dmPolice: "disabled" }, 'did you mean "dmPolicy"?'],
    ['["tools.exec.mode"]', "deny", "tools: { exec: { mode: … } }"],
    ['["tool.deny"]', ["exec"], "tool: { deny: … }"],
    ['agents.defaults["sandbox.mode"]', "all", "sandbox: { mode: … }"],
    ["policies", { "tools.deny": ["exec"] }, "remove it"],
    ["policies", { toolz: { denny: ["exec"] } }, "remove it"],
  ])("%s refuses the start", async (key, value, told) => {
    const { type, problems, text } = await check(at(key, value));
    expect({ type, problems }).toEqual({
      type: "refused",
      problems: [expect.stringMatching(`^unenforced ${RegExp.escape(key)}`)],
    });
    expect(text).toContain(told);
  });

  test("refuses it even for keys that a JSON5 object inherits", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", `{tools: {__proto__: {deny: ["exec"]}}}`);
    expect(await load(home)).toMatchObject({ type: "refused" });
    await home.write("factotum.json5", `{tools: {byProvider: {__proto__: {deny: ["exec"]}}}}`);
    expect(await load(home)).toMatchObject({ type: "refused" });
    for (const text of [`{tools: {__proto__: {a: 1}}}`, `{__proto__: {tools: {deny: []}}}`, `{tools: {constructor: 1}}`]) {
      await home.write("factotum.json5", text);
      expect(await load(home)).toMatchObject({ type: "refused", problems: [{ message: expect.stringMatching(/; remove it$/) as string }] });
    }
  });

  test.each([
    ["gatway", {}],
    ["messages.queu", {}],
    ["channels.defaults.groups.g1.requireMentions", true],
    ["agents.defaults.modle", "a/b"],
    ["modles", { providers: { a: { models: [{ id: "m", tools: "native" }] } } }],
    ["gatway", { auth: { token: { exec: ["pass", "gateway"] } } }],
    ["providers", { anthropic: { apiKey: { env: "KEY" } } }],
    ['["gateway.port"]', 1],
    ["channels.defautls", { historyLimit: { direct: 5 } }],
  ])("%s restricts nothing, and is a warning", async (key, value) => {
    expect(await check(at(key, value))).toMatchObject({ type: "loaded", problems: [expect.stringMatching(/^unknown-(key|channel) /)] });
  });
});

test("a key that every object inherits is a key like any other", async () => {
  await using home = await temporaryHome();
  await home.write("factotum.json5", `{__proto__: {a: 1}, gateway: {constructor: 1, toString: {}}}`);
  const { type, problems } = await load(home);
  expect({ type, problems: problems.map((problem) => `${problem.type} ${problem.path}: ${problem.message}`) }).toEqual({
    type: "loaded",
    problems: ["gateway.constructor", "gateway.toString", "__proto__"].map(
      (key) => expect.stringContaining(`unknown-key ${key}: there is no such key here; the keys are`) as string,
    ),
  });
});

describe("an unreadable restriction", () => {
  const tryAfterGood = async (text: string): Promise<Awaited<ReturnType<typeof load>>> => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", {});
    const good = await load(home);
    if (good.type !== "loaded") throw new Error("the good file was refused");
    await rememberConfig(good);
    await home.write("factotum.json5", text);
    return await load(home);
  };

  test.each([
    [`{tools: {exec: {mode: "Ask"}}}`, "tools.exec.mode"],
    [`{tools: {deny: "exec"}}`, "tools.deny"],
    [`{tools: {deny: null}}`, "tools.deny"],
    [`{tools: "none"}`, "tools"],
    [`{tools: {profile: []}}`, "tools.profile"],
    [`{agents: {defaults: {sandbox: "all"}}}`, "agents.defaults.sandbox"],
    [`{agents: {defaults: {sandbox: {mode: "strict"}}}}`, "agents.defaults.sandbox.mode"],
    [`{agents: {defaults: {sandbox: {network: "host"}}}}`, "agents.defaults.sandbox.network"],
    [`{agents: {defaults: {sandbox: {mode: "off"}}}, agent: {sandbox: {mode: "off"}}}`, "agent.sandbox"],
    [`{commandHooks: {}}`, "commandHooks"],
    [`{channels: {defaults: {dmPolicy: "Allowlist"}}}`, "channels.defaults.dmPolicy"],
    [`{channels: {defaults: {groups: {g1: {tools: "none"}}}}}`, "channels.defaults.groups.g1.tools"],
  ])("%s refuses the start although a last good copy exists", async (text, path) => {
    expect(await tryAfterGood(text)).toMatchObject({ type: "refused", problems: [{ type: "unenforced", path }] });
  });

  test.each([
    "https://a.example",
    "a.example/path",
    "10.0.0.0/8",
    "*",
    "127.1",
    "0x7f000001",
    "a.example:0",
    "a.example:65536",
    "[a.example]:80",
    "a b",
    "m\u00fcnchen.example",
    "",
  ])("the host %j of a sandbox's network refuses the start although a last good copy exists", async (host) => {
    const text = JSON.stringify({ agents: { defaults: { sandbox: { network: { allow: [host] } } } } });
    expect(await tryAfterGood(text)).toMatchObject({
      type: "refused",
      problems: [{ type: "unenforced", path: "agents.defaults.sandbox.network.allow[0]" }],
    });
  });

  test("refuses the start for a path with dots, too", async () => {
    const { type, problems } = await tryAfterGood(`{channels: {"webchat.dmPolicy": "disabled"}}`);
    expect({ type, problem: problems[0] }).toMatchObject({
      type: "refused",
      problem: { type: "unenforced", path: 'channels["webchat.dmPolicy"]' },
    });
  });

  test.each([
    `{gateway: {port: "x"}}`,
    `{messages: {queue: {mode: "Steer"}}}`,
    `{models: {providers: {a: {models: [{id: "m", tools: "some"}]}}}}`,
  ])("%s restricts nothing, and the last good copy runs", async (text) => {
    expect(await tryAfterGood(text)).toMatchObject({ type: "loaded", source: "last-good" });
  });
});

describe("tools.byProvider", () => {
  const configured = { models: { providers: { fake: { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1" } } } };
  test.each([
    ["fakee", { deny: ["exec"] }, 'did you mean "fake"?'],
    ["Fake", { deny: ["exec"] }, 'did you mean "fake"?'],
    ["fake/m1", { deny: ["exec"] }, '"fake/m1" names a model, and this holds for providers, so it narrows nothing; did you mean "fake"?'],
    ["opnai", { allow: ["read"] }, 'did you mean "openai"?'],
    ["opnai", { profile: "minimal" }, 'did you mean "openai"?'],
  ])("%s: %j refuses the start", async (provider, policy, told) => {
    expect(await check({ ...configured, tools: { byProvider: { [provider]: policy } } })).toMatchObject({
      type: "refused",
      problems: [`unenforced tools.byProvider.${provider}`],
      text: expect.stringContaining(told) as string,
    });
  });

  test.each([
    ["fake", { deny: ["exec"] }],
    ["openai", { deny: ["exec"] }],
    ["fakee", {}],
    ["fakee", { deny: [], allow: ["*"], profile: "full" }],
  ])("%s: %j is enforced, or narrows nothing", async (provider, policy) => {
    expect(await check({ ...configured, tools: { byProvider: { [provider]: policy } } })).toMatchObject({ type: "loaded", problems: [] });
  });
});

describe("allow and deny lists", () => {
  test.each([
    ["tools.deny", ["exce"], "tools.deny[0]", 'did you mean "exec"?'],
    ["tools.deny", ["exec", "runtime"], "tools.deny[1]", 'did you mean "group:runtime"?'],
    ["tools.deny", ["group:runtme"], "tools.deny[0]", 'did you mean "group:runtime"?'],
    ["tools.deny", ["bash"], "tools.deny[0]", "group:fs, "],
    ["tools.deny", ["xe*"], "tools.deny[0]", "denies nothing"],
    ["tools.deny", ["mcp__git_log"], "tools.deny[0]", "denies nothing"],
    ["tools.byProvider.openai.deny", ["x_y_z"], "tools.byProvider.openai.deny[0]", "denies nothing"],
    ["agents.defaults.tools.deny", ["x_y_z"], "agents.defaults.tools.deny[0]", "denies nothing"],
    ["agents.list[0].tools.deny", ["x_y_z"], "agents.list[0].tools.deny[0]", "denies nothing"],
    ["agents.list[0].subagents.tools.deny", ["x_y_z"], "agents.list[0].subagents.tools.deny[0]", "denies nothing"],
    ["channels.defaults.groups.g1.tools.deny", ["x_y_z"], "channels.defaults.groups.g1.tools.deny[0]", "denies nothing"],
  ])("%s: %j refuses the start", async (key, value, path, told) => {
    expect(await check(at(key, value))).toMatchObject({
      type: "refused",
      problems: [`unenforced ${path}`],
      text: expect.stringContaining(told) as string,
    });
  });

  test.each([
    ["a channel", "channels.chatter.groups.g1", (row: object) => ({ chatter: { ...ACCOUNT, ...row } })],
    [
      "an account",
      "channels.chatter.accounts.work.groups.g1",
      (row: object) => ({ chatter: { accounts: { work: { ...ACCOUNT, ...row } } } }),
    ],
  ])("refuses the start in the groups of %s, too", async (_name, path, channelsWith) => {
    const groups = { g1: { tools: { deny: ["exec", "exce"] } } };
    expect(await check({ channels: channelsWith({ groups }) })).toEqual({
      type: "refused",
      problems: [`unenforced ${path}.tools.deny[1]`],
      text: 'there is no tool or group "exce", so this denies nothing; did you mean "exec"?',
    });
    groups.g1.tools.deny.pop();
    expect(await check({ channels: channelsWith({ groups }) })).toMatchObject({ type: "loaded", problems: [] });
  });

  test.each([
    ["group:runtime", {}],
    ["GROUP:Runtime", {}],
    ["group:plugins", {}],
    ["group:mcp", {}],
    ["group:lsp", {}],
    ["cron", {}],
    ["EXEC", {}],
    ["*", {}],
    ["sessions_*", {}],
    ["mcp__*", {}],
    ["lsp_*", {}],
    ["mcp__git_log", { mcp: { servers: { git: { command: "git-mcp" } } } }],
    ["mcp__my_git_*", { mcp: { servers: { "my git": { command: "git-mcp" } } } }],
    ["mcp__git_*", { mcp: { servers: { git: { command: "git-mcp" } } } }],
    ["lsp_hover_go", { lsp: { servers: { go: { command: "gopls" } } } }],
    ["lsp_hover_rust", { lsp: { detect: true } }],
  ])("deny: [%j] is known", async (entry, rest) => {
    expect(await check({ ...rest, tools: { deny: [entry] } })).toMatchObject({ type: "loaded", problems: [] });
  });

  test("report an allow entry that matches nothing as a notice, at the start and in a change", async () => {
    const unknown = { tools: { allow: ["read", "brwoser"] } };
    expect(await check(unknown)).toEqual({
      type: "loaded",
      problems: ["notice tools.allow[1]"],
      text: 'there is no tool or group "brwoser"; did you mean "browser"?',
    });
    await using home = await temporaryHome();
    expect(await setConfigValue("tools", unknown.tools, { env: home.env, channels })).toMatchObject({
      type: "written",
      problems: [{ type: "notice", path: "tools.allow[1]" }],
    });
  });
});

/** "Main session vs group sessions": the recommended isolation of one agent. */
const ISOLATED_GROUPS = `{
  agents: {
    defaults: {
      sandbox: {
        mode: "non-main",          // sessions of groups run in a sandbox
        scope: "session",          // a container for each
        workspaceAccess: "none"    // without the workspace
      }
    }
  },
  tools: {
    sandbox: {
      tools: {
        allow: ["group:messaging", "group:sessions"],
        deny: ["group:runtime", "group:fs", "group:ui", "nodes", "cron", "gateway"]
      }
    }
  }
}`;

test("the isolation of groups is enforced, and its names are known", async () => {
  await using home = await temporaryHome();
  await home.write("factotum.json5", ISOLATED_GROUPS);
  expect(await load(home)).toMatchObject({ type: "loaded", problems: [], inactive: [] });
  const lists = {
    allow: ["group:messaging", "group:sessions"],
    deny: ["group:runtime", "group:fs", "group:ui", "nodes", "cron", "gateway"],
  };
  await home.write("factotum.json5", {
    agents: { defaults: { sandbox: { scope: "session" } } },
    channels: { chatter: { ...ACCOUNT, groups: { "*": { tools: lists } } } },
  });
  expect(await load(home)).toMatchObject({
    type: "loaded",
    problems: [],
    inactive: [],
    config: { channels: { chatter: { accounts: { default: { groups: { "*": { tools: lists } } } } } } },
  });
});

test.each([
  [{}, ["needs a decision", "channels run in a sandbox without network"]],
  [{ tools: { exec: { mode: "full" } } }, ["run without asking", "channels run in a sandbox without network"]],
  [{ tools: { exec: { mode: "allowlist" } } }, ["a pattern of tools.exec.allow", "channels run in a sandbox without network"]],
  [{ agents: { defaults: { sandbox: { mode: "all" } } } }, ["all commands run in a sandbox"]],
  [
    { agents: { defaults: { sandbox: { network: { allow: ["a.example", "b.example"] } } } } },
    ["needs a decision", "channels run in a sandbox that reaches a.example, b.example alone, and each needs a decision"],
  ],
  [
    { agents: { list: [{ id: "ann", sandbox: { network: { allow: ["a.example"] } } }, { id: "bob" }] } },
    ["needs a decision", "channels run in a sandbox with the network of sandbox.network"],
  ],
  [{ tools: { exec: { mode: "deny" } } }, ["no commands run"]],
  [
    { agents: { list: [{ id: "ann", sandbox: { mode: "off" } }, { id: "bob" }] } },
    ["needs a decision", "channels run in a sandbox", "work in the workspace of ann"],
  ],
])("the meaning of %j for commands is stated in plain words", async (document, lines) => {
  await using home = await temporaryHome();
  await home.write("factotum.json5", document);
  const loaded = await load(home);
  if (loaded.type !== "loaded") throw new Error("refused");
  expect(describeCommandPolicy(loaded.config)).toEqual(lines.map((line) => expect.stringContaining(line) as string));
});
