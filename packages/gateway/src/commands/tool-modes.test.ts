import type { RunSandbox } from "@factotum/agent-contract";
import type { FactotumConfig, ToolsConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { TestRunner } from "../../test/complete-runner.ts";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { listContextRequests } from "../requests/list-context-requests.ts";

const SESSION = "agent:main:main";
const GROUP = { channel: "test", accountId: "default", conversation: { kind: "group", id: "group-1" } } as const;
const OPEN = { allowFrom: ["owner-1", "guest"], groupPolicy: "open", groups: { "*": { requireMention: false } } as never } as const;
const GUEST = { id: "guest", name: "Gus", isBot: false };

let server: AnthropicServer;
let platform: TestPlatform;
/** The sandbox of each command that ran; `undefined` for the host. */
let ran: (RunSandbox | undefined)[];
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
  ran = [];
});
afterEach(() => server[Symbol.asyncDispose]());

const runner: TestRunner = {
  run: async (_request, { run }) => {
    ran.push(run?.sandbox);
    return { end: { type: "exited", exitCode: 0 }, output: "done\n", outputBytes: 5, durationMs: 1 };
  },
};

interface Settings {
  readonly exec?: Partial<ToolsConfig["exec"]>;
  readonly elevated?: Partial<ToolsConfig["elevated"]>;
  readonly sandbox?: FactotumConfig["agents"][number]["sandbox"]["mode"];
}

const patchOf =
  ({ exec = {}, elevated = {}, sandbox = "non-main" }: Settings) =>
  (config: FactotumConfig): FactotumConfig => {
    const base = withModel(server.baseUrl)(config);
    return {
      ...base,
      agents: base.agents.map((agent) => ({ ...agent, sandbox: { ...agent.sandbox, mode: sandbox } })),
      tools: {
        ...base.tools,
        exec: { ...base.tools.exec, mode: "ask", ...exec },
        elevated: { ...base.tools.elevated, ...elevated },
      },
    };
  };

const start = (settings: Settings = {}, options: Partial<Parameters<typeof startTestGateway>[0]> = {}): Promise<TestGateway> =>
  startTestGateway({ platform, runner, asks: true, patch: patchOf(settings), accountConfig: OPEN, ...options });

const texts = (): string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));

/** The model makes this call once per message of a person, and repeats what came of it. */
function modelCalls(name: string, input: Readonly<Record<string, string>>): void {
  let calls = 0;
  server.respond(({ body }) => {
    const last = JSON.stringify(((body?.["messages"] ?? []) as unknown[]).at(-1));
    if (last.includes("tool_result"))
      return textReply(`It said: ${/Rule \w+|was not run|done|There is no tool/.exec(last)?.[0] ?? "a result"}`);
    calls += 1;
    return toolReply({ id: `toolu_${calls}`, name, input });
  });
}

/** Sends a message and returns everything that was sent since. */
async function say(running: TestGateway, text: string, extra: Parameters<TestPlatform["message"]>[1] = {}): Promise<string[]> {
  const before = texts().length;
  await platform.say(platform.message(text, extra));
  await running.gateway.engine.idle();
  return texts().slice(before);
}

/** Sends a message whose call must wait for a decision, and allows it once. */
async function sayAndAllow(running: TestGateway, text: string, extra: Parameters<TestPlatform["message"]>[1] = {}): Promise<string> {
  const before = texts().length;
  await platform.say(platform.message(text, extra));
  const request = await vi.waitUntil(
    () =>
      texts()
        .slice(before)
        .find((sent) => sent.includes("/approve ")),
    { timeout: 10_000 },
  );
  expect(ran).toEqual([]);
  await platform.say(platform.message(`/approve ${/\/approve (\w+)/.exec(request)?.[1] ?? ""} allow-once`));
  await running.gateway.engine.idle();
  return request;
}

const overrides = async (running: TestGateway): Promise<unknown> => (await running.store.readSession(SESSION))?.overrides;

describe("/mode", () => {
  test("read-only lets calls through that change nothing, survives a reset, and is shown; ask ends it", async () => {
    await using running = await start();
    expect(await say(running, "/mode")).toEqual([
      "mode ask, tool calls run and ask as configured. /mode takes read-only, ask, workspace, full or default.",
    ]);
    expect(await say(running, "/mode Read-Only")).toEqual([
      "From the next tool call on: mode read-only, only tool calls that change nothing run, whoever writes.",
    ]);
    modelCalls("write", { path: "a.txt", content: "1" });
    expect(await say(running, "go")).toEqual(["It said: Rule mode"]);
    modelCalls("ls", {});
    expect(await say(running, "go")).toEqual(["It said: a result"]);
    expect((await say(running, "/status")).join()).toContain("Mode read-only");
    await say(running, "/new");
    modelCalls("exec", { command: "ls" });
    expect(await say(running, "go")).toEqual(["It said: Rule mode"]);
    modelCalls("session_status", {});
    await say(running, "go");
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("mode read-only");
    expect(await overrides(running)).toEqual({ mode: "read-only" });
    await say(running, "/mode ask");
    expect(await overrides(running)).toEqual({});
    expect(await say(running, "/mode everything")).toEqual([
      '"everything" is not a mode. /mode takes read-only, ask, workspace, full or default.',
    ]);
  });

  test("read-only holds for other people in a group too", async () => {
    await using running = await start();
    await say(running, "/mode read-only", { origin: GROUP });
    modelCalls("write", { path: "a.txt", content: "1" });
    expect(await say(running, "go", { origin: GROUP, sender: GUEST })).toEqual(["It said: Rule mode"]);
  });

  test("full asks about none of the owner's commands; workspace asks as configured", async () => {
    await using running = await start();
    modelCalls("exec", { command: "ls" });
    await say(running, "/mode full");
    expect(await say(running, "go")).toEqual(["It said: done"]);
    expect(ran).toEqual([undefined]);
    ran = [];
    await say(running, "/mode workspace");
    await sayAndAllow(running, "go");
    expect(ran).toEqual([undefined]);
  });

  test("full asks about calls after text of others", async () => {
    await using running = await start();
    modelCalls("exec", { command: "ls" });
    await say(running, "/mode full");
    expect(await sayAndAllow(running, "go", { forwarded: { from: "Eve", body: "the news" } })).toContain("Rule taint");
  });

  test("full gives nothing that the configuration denies, and nothing to other people", async () => {
    await using running = await start({ exec: { mode: "deny" }, sandbox: "off" });
    modelCalls("exec", { command: "ls" });
    await say(running, "/mode full");
    expect(await say(running, "go")).toEqual(["It said: There is no tool"]);
    await running.gateway.reload(running.settings(patchOf({ sandbox: "off" })(running.gateway.engine.parts.running.config)));
    await say(running, "/mode full", { origin: GROUP });
    expect(await say(running, "go", { origin: GROUP, sender: GUEST })).toEqual(["It said: Rule tool"]);
    expect(ran).toEqual([]);
  });

  test("and /elevated are the owner's: other people get no answer, and change nothing", async () => {
    await using running = await start({ elevated: { enabled: true } });
    for (const words of ["/mode full", "/mode", "/elevated on"]) expect(await say(running, words, { sender: GUEST })).toEqual([]);
    expect((await running.store.listSessions({ limit: 5 })).items.map((session) => session.overrides)).toEqual([]);
  });
});

describe("/elevated", () => {
  test("is refused unless it is enabled, and for owners whom allowFrom does not name", async () => {
    await using running = await start({ sandbox: "all" });
    expect(await say(running, "/elevated on")).toEqual([expect.stringContaining("tools.elevated.enabled is false")]);
    const change = async (allowFrom: Record<string, string[]>): Promise<void> =>
      running.gateway.reload(
        running.settings(patchOf({ sandbox: "all", elevated: { enabled: true, allowFrom } })(running.gateway.engine.parts.running.config)),
      );
    for (const allowFrom of [{ test: ["other"] }, { test: [] }, { telegram: ["owner-1"] }]) {
      await change(allowFrom as Record<string, string[]>);
      expect(await say(running, "/elevated on")).toEqual([expect.stringContaining("allowFrom does not name you")]);
    }
    expect(await overrides(running)).toBeUndefined();
    for (const allowFrom of [{ test: ["owner-1"] }, { test: ["*"] }, {}]) {
      await change(allowFrom as Record<string, string[]>);
      expect(await say(running, "/elevated on")).toEqual([expect.stringContaining("elevated on, your commands run on the host")]);
      await say(running, "/elevated off");
      expect(await overrides(running)).toEqual({});
    }
  });

  test("on runs the owner's commands on the host, where they ask; off returns them to the sandbox; each is a named cause", async () => {
    await using running = await start({ sandbox: "all", elevated: { enabled: true } });
    modelCalls("exec", { command: "ls" });
    await say(running, "go");
    expect(ran).toMatchObject([{ workspaceAccess: "none" }]);
    expect(ran[0]).not.toHaveProperty("elevated");
    ran = [];
    await say(running, "/elevated on");
    expect(await sayAndAllow(running, "go")).toContain("It would run on the host, because of /elevated.");
    expect(ran).toMatchObject([{ elevated: true }]);
    expect(JSON.stringify(server.requests.at(-1)?.body?.["system"])).toContain("Elevated commands (on the host): each needs approval");
    expect((await say(running, "/status")).join()).toContain("Elevated on");
    ran = [];
    await say(running, "/elevated off");
    await say(running, "go");
    expect(ran[0]).not.toHaveProperty("elevated");
    const { requests } = await listContextRequests({ sessionKey: SESSION, limit: 50 }, running.gateway.engine.parts);
    expect(requests.toReversed().flatMap((request) => request.causes)).toEqual(["new-session", "elevated-change", "elevated-change"]);
  });

  test("never reaches other people in the same group, and ends with the right to it", async () => {
    await using running = await start({ exec: { mode: "full" }, elevated: { enabled: true } });
    modelCalls("exec", { command: "ls" });
    await say(running, "/elevated on", { origin: GROUP });
    await say(running, "go", { origin: GROUP, sender: GUEST });
    expect(ran).toMatchObject([{ shared: true }]);
    expect(ran[0]).not.toHaveProperty("elevated");
    await running.gateway.reload(
      running.settings(patchOf({ exec: { mode: "full" }, elevated: { enabled: false } })(running.gateway.engine.parts.running.config)),
    );
    ran = [];
    await say(running, "go", { origin: GROUP });
    expect(ran[0]).not.toHaveProperty("elevated");
  });

  test("a running turn loses it at once", async () => {
    const settings: Settings = { sandbox: "all", exec: { mode: "full" }, elevated: { enabled: true } };
    await using running = await start(settings);
    await say(running, "/elevated on");
    const exec = toolReply({ name: "exec", input: { command: "ls" } });
    server.script([exec, exec, textReply("Well.")]);
    await platform.say(platform.message("go"));
    await server.nextRequest();
    const gate = server.hold();
    await server.nextRequest();
    const { config } = running.gateway.engine.parts.running;
    await running.gateway.reload(running.settings({ ...config, tools: { ...config.tools, elevated: { enabled: false, allowFrom: {} } } }));
    gate.open();
    await running.gateway.engine.idle();
    expect(ran).toMatchObject([{ elevated: true }]);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("exec was refused. Rule elevated");
  });

  test("inside a message holds for that message alone; a guest's stays text", async () => {
    await using running = await start({ sandbox: "all", exec: { mode: "full" }, elevated: { enabled: true } });
    modelCalls("exec", { command: "ls" });
    await say(running, "/elevated on go");
    await say(running, "go");
    expect(ran.map((sandbox) => sandbox?.elevated)).toEqual([true, undefined]);
    expect(JSON.stringify(server.requests.at(-1)?.body?.["messages"])).not.toContain("/elevated");
    await say(running, "/elevated on go", { sender: GUEST });
    expect(ran.at(-1)).not.toHaveProperty("elevated");
    expect(JSON.stringify(server.requests.at(-1)?.body?.["messages"])).toContain("/elevated on go");
    await say(running, "/elevated on");
    await say(running, "/elevated off go");
    expect(ran.at(-1)).not.toHaveProperty("elevated");
  });
});
