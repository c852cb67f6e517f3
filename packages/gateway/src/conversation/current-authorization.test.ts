import type { AccountConfig, FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestRunner } from "../../test/complete-runner.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
let commands: string[];

const runner: TestRunner = {
  run: async ({ command }) => {
    commands.push(command.type === "shell" ? command.text : command.file);
    return { end: { type: "exited", exitCode: 0 }, output: "done", outputBytes: 4, durationMs: 1 };
  },
};

beforeEach(async () => {
  commands = [];
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Every former owner is still admitted, unless the test says otherwise. */
async function start(accountConfig: Partial<AccountConfig> = { allowFrom: ["owner-1"] }): Promise<void> {
  running = await startTestGateway({ platform, runner, patch: withModel(server.baseUrl), accountConfig });
}

const revoked = (config: FactotumConfig): FactotumConfig => ({
  ...config,
  commands: { ...config.commands, ownerAllowFrom: ["test:other"] },
});
const withoutCommands = (config: FactotumConfig): FactotumConfig => ({ ...config, tools: { ...config.tools, deny: ["exec"] } });

const withoutGroup = (config: FactotumConfig): FactotumConfig => ({ ...config, tools: { ...config.tools, deny: ["group:runtime"] } });
const withExecDenied = (config: FactotumConfig): FactotumConfig => ({
  ...config,
  tools: { ...config.tools, exec: { ...config.tools.exec, mode: "deny" } },
});

async function change(to: (config: FactotumConfig) => FactotumConfig): Promise<void> {
  await running.gateway.reload(running.settings(to(running.gateway.engine.parts.running.config)));
}

const exec = (command: string): ReturnType<typeof toolReply> => toolReply({ name: "exec", input: { command } });
const read = toolReply({ name: "read", input: { path: "AGENTS.md" } });
const lastRequest = (): string => JSON.stringify(server.requests.at(-1)?.body?.["messages"]);

/** Outside of a sandbox commands run for the owner only. */
const withoutSandbox = (config: FactotumConfig): FactotumConfig => ({
  ...config,
  agents: config.agents.map((agent) => ({ ...agent, sandbox: { ...agent.sandbox, mode: "off" } })),
});

describe("a changed policy applies to a running turn", () => {
  test.each([
    ["whose sender is no longer the owner", revoked, exec("two"), "exec was refused. Rule owner"],
    ["whose sender is no longer the owner, for its files too", revoked, read, "read was refused. Rule owner"],
    ["whose tool is not allowed any more", withoutCommands, exec("two"), "exec is no longer available"],
    ["whose tool's group is denied now", withoutGroup, exec("two"), "exec is no longer available"],
    ["whose commands are denied by tools.exec.mode", withExecDenied, exec("two"), "exec is no longer available"],
  ])("%s", async (_name, to, call, refusal) => {
    await start();
    server.script([exec("one"), call, textReply("Well.")]);
    await platform.say(platform.message("go on"));
    await server.nextRequest();
    const gate = server.hold();
    await server.nextRequest();
    await change(to);
    gate.open();
    await running.gateway.engine.idle();
    expect(commands).toEqual(["one"]);
    expect(lastRequest()).toContain(refusal);
    expect(platform.sent).toMatchObject([{ outbound: { text: "Well." } }]);
  });
});

test("no message is steered into a run if its sender is no longer admitted", async () => {
  const sender = { id: "ada", isBot: false };
  await start({ allowFrom: ["ada"] });
  server.script([toolReply({ name: "ls", input: {} }), textReply("One.")]);
  const gate = server.hold();
  await platform.say(platform.message("one", { sender }));
  await server.nextRequest();
  await platform.say(platform.message("two", { sender }));
  await running.gateway.reload({
    ...running.settings(running.gateway.engine.parts.running.config),
    accounts: () => [platform.account()],
  });
  gate.open();
  await running.gateway.engine.idle();
  expect(server.requests).toHaveLength(2);
  expect(lastRequest()).not.toContain("two");
  expect((await running.store.listInputs({ state: "ignored", limit: 2 })).items).toMatchObject([{ message: { text: "two" } }]);
});

test("a waiting message joins no owner's run if its sender is no longer the owner", async () => {
  const other = { id: "other", isBot: false };
  await start({ allowFrom: ["owner-1"] });
  await change((config) => ({ ...config, commands: { ...config.commands, ownerAllowFrom: ["test:owner-1", "test:other"] } }));
  server.script([exec("one"), exec("two"), textReply("Done."), textReply("As a guest.")]);
  const gate = server.hold();
  await platform.say(platform.message("one", { sender: other }));
  await server.nextRequest();
  await platform.say(platform.message("and this"));
  await change(revoked);
  gate.open();
  await running.gateway.engine.idle();
  expect(commands).toEqual(["one", "two"]);
  expect(lastRequest()).toContain("and this");
  expect(server.requests).toHaveLength(4);
});

describe("waiting messages start under the current policy", () => {
  async function waitWhile(to: (config: FactotumConfig) => FactotumConfig): Promise<void> {
    server.script([textReply("One."), exec("two"), textReply("Two.")]);
    const gate = server.hold();
    await platform.say(platform.message("one"));
    await server.nextRequest();
    await platform.say(platform.message("two"));
    await change(to);
    gate.open();
    await running.gateway.engine.idle();
  }

  test("as a guest's, who is still admitted", async () => {
    await start();
    await waitWhile((config) => withoutSandbox(revoked(config)));
    expect(commands).toEqual([]);
    expect(lastRequest()).toContain("exec was refused. Rule tool:execute");
    expect(lastRequest()).toContain('\\"owner\\":false');
    expect(platform.sent).toMatchObject([{ outbound: { text: "One." } }, { outbound: { text: "Two." } }]);
  });

  test("in a separate session, once its sender is kept out of the owner's", async () => {
    await start();
    await waitWhile(revoked);
    const { items } = await running.store.listSessions({ limit: 5 });
    expect(items.map(({ key }) => key).toSorted()).toEqual(["agent:main:main", "agent:main:test:direct:owner-1"]);
    expect(lastRequest()).toContain("two");
    expect(lastRequest()).not.toContain("One.");
  });

  test("in the session of its group, once groups are kept out of the shared one", async () => {
    const sharedBy = (sharedMain: boolean) => (config: FactotumConfig) => ({
      ...config,
      session: { ...config.session, scope: "global" as const, sharedMain },
    });
    await start({ groupPolicy: "open" });
    await change(sharedBy(true));
    server.script([textReply("One."), textReply("Two.")]);
    const gate = server.hold();
    await platform.say(platform.message("one"));
    await server.nextRequest();
    const origin = { channel: "test", accountId: "default", conversation: { kind: "group", id: "g-1" } } as const;
    await platform.say(platform.message("two", { origin, mentionsBot: true }));
    await change(sharedBy(false));
    gate.open();
    await running.gateway.engine.idle();
    const { items } = await running.store.listSessions({ limit: 5 });
    expect(items.map(({ key }) => key).toSorted()).toEqual(["agent:main:test:group:g-1", "global"]);
    expect(lastRequest()).toContain("two");
    expect(lastRequest()).not.toContain("One.");
  });

  test.each([
    ["in the session that a guest is routed to now", "ada", ["agent:main:direct:ada", "agent:main:test:direct:ada"]],
    ["in the session where it waited, as the owner's", "owner-1", ["agent:main:direct:owner-1"]],
  ])("%s", async (_name, id, keys) => {
    const scopedBy = (dmScope: "per-peer" | "per-channel-peer") => (config: FactotumConfig) => ({
      ...config,
      session: { ...config.session, dmScope },
    });
    await start({ allowFrom: ["ada"] });
    await change(scopedBy("per-peer"));
    server.script([textReply("One."), textReply("Two.")]);
    const gate = server.hold();
    const sender = { id, isBot: false };
    await platform.say(platform.message("one", { sender }));
    await server.nextRequest();
    await platform.say(platform.message("two", { sender }));
    await change(scopedBy("per-channel-peer"));
    gate.open();
    await running.gateway.engine.idle();
    expect(lastRequest()).toContain("two");
    expect((await running.store.listSessions({ limit: 5 })).items.map(({ key }) => key).toSorted()).toEqual(keys);
  });

  test("not at all if the sender is no longer admitted", async () => {
    await start({});
    await waitWhile(revoked);
    expect(server.requests).toHaveLength(1);
    expect(platform.sent).toMatchObject([{ outbound: { text: "One." } }]);
    expect((await running.store.listInputs({ state: "ignored", limit: 2 })).items).toMatchObject([{ message: { text: "two" } }]);
  });
});

describe("an interrupted turn continues under the current policy", () => {
  const shared = (config: FactotumConfig): FactotumConfig => ({ ...config, session: { ...config.session, sharedMain: true } });

  async function goOnAfter(
    accountConfig: Partial<AccountConfig>,
    {
      calls = [exec("one")],
      to = (config) => config,
      before,
    }: { calls?: ReturnType<typeof toolReply>[]; to?: typeof shared; before?: string } = {},
  ): Promise<void> {
    await start();
    if (before !== undefined) await platform.say(platform.message(before));
    await running.gateway.engine.idle();
    server.script(calls);
    await platform.say(platform.message("go on"));
    for (const _call of calls) await server.nextRequest();
    const gate = server.hold();
    await server.nextRequest();
    await running.stop();
    gate.open();
    server.script([exec("two"), textReply("Well.")]);
    running = await startTestGateway({
      platform,
      runner,
      home: running.home,
      patch: (config) => to(revoked(withModel(server.baseUrl)(config))),
      accountConfig,
    });
    await running.gateway.engine.idle();
  }

  test("as a guest's, who is still admitted in the same session", async () => {
    await goOnAfter({ allowFrom: ["owner-1"] }, { to: (config) => withoutSandbox(shared(config)) });
    expect(commands).toEqual(["one"]);
    expect(lastRequest()).toContain("exec was refused. Rule tool:execute");
    expect(platform.sent).toMatchObject([{ outbound: { text: "Well." } }]);
  });

  test("not in a session that its sender lost: it ends, and restarts in the sender's own if it has only read", async () => {
    await goOnAfter({ allowFrom: ["owner-1"] }, { calls: [read] });
    const { items } = await running.store.listSessions({ limit: 5 });
    expect(items.map(({ key }) => key).toSorted()).toEqual(["agent:main:main", "agent:main:test:direct:owner-1"]);
    expect(lastRequest()).toContain("go on");
    expect(lastRequest()).not.toContain("AGENTS.md");
    expect(platform.sent.map(({ outbound }) => outbound)).toContainEqual(expect.objectContaining({ text: "Well." }));
    expect((await running.store.listInputs({ state: "answered", limit: 2 })).items).toMatchObject([{ message: { text: "go on" } }]);
  });

  test("not in a session that its sender lost: after visible output the chat is asked to send the message again", async () => {
    // The journal does not record calls that only read; the line about one is visible.
    await goOnAfter({ allowFrom: ["owner-1"] }, { calls: [read], before: "/verbose on" });
    expect(platform.sent.slice(1)).toMatchObject([
      { outbound: { text: expect.stringContaining("AGENTS.md") } },
      { outbound: { text: expect.stringContaining("Please send it again.") } },
    ]);
    expect(server.requests).toHaveLength(2);
  });

  test("not in a session that its sender lost: after side effects the chat is asked to send the message again", async () => {
    await goOnAfter({ allowFrom: ["owner-1"] });
    expect(commands).toEqual(["one"]);
    expect(server.requests).toHaveLength(2);
    expect(platform.sent).toMatchObject([{ outbound: { text: expect.stringContaining("Please send it again.") } }]);
    expect((await running.store.listInputs({ state: "told", limit: 2 })).items).toMatchObject([{ message: { text: "go on" } }]);
  });

  test("not at all if the sender is no longer admitted", async () => {
    await goOnAfter({});
    expect(commands).toEqual(["one"]);
    expect(platform.sent).toEqual([]);
    const [input] = (await running.store.listInputs({ state: "interrupted", limit: 2 })).items;
    expect(input?.state).toEqual({ type: "interrupted", reason: "its sender is no longer admitted here" });
  });
});
