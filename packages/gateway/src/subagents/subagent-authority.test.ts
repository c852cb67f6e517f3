import type { FactotumConfig } from "@factotum/config";
import { textReply, toolReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHeldCommands } from "../../test/held-commands.ts";
import { spawn, SubagentScene, YIELD } from "../../test/subagent-scene.ts";
import { sessionOrigin } from "../routing/session-origin.ts";

let scene: SubagentScene;
beforeEach(async () => {
  scene = await SubagentScene.open();
});
afterEach(async () => {
  expect(scene.server.violations).toEqual([]);
  await scene[Symbol.asyncDispose]();
});

const exec = toolReply({ name: "exec", input: { command: "id" } });
const GUEST = {
  sender: { id: "guest-1", name: "Gus", isBot: false },
  origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-2" } },
} as const;

/** The conversation hands `task` out and waits; the sub-agent tries a command on the host, and says what came of it. */
function tryExec(): void {
  scene.answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("Told.") : results === 0 ? spawn("task") : YIELD),
    task: ({ results }) => (results === 0 ? exec : textReply("tried it")),
  });
}

/** Commands on the host wait for the owner. */
const asking = (config: FactotumConfig): FactotumConfig => ({
  ...config,
  tools: { ...config.tools, exec: { ...config.tools.exec, mode: "ask" } },
});

/** An unattended run with these bounds, as that of a scheduled job. */
async function runJob(tools?: readonly string[], sessionKey = "cron:j1:1"): Promise<void> {
  const { engine } = scene.running.gateway;
  await engine.submit(scene.platform.message("Do the job.", { origin: sessionOrigin(sessionKey) }), {
    owner: true,
    kind: "cron",
    sessionKey,
    agentId: "main",
    ownTurn: true,
    job: { id: "j1", name: "nightly", ...(tools === undefined ? {} : { tools }) },
  });
  await engine.idle();
}

test("a guest's sub-agent is a guest's, and what it says is text of others", async () => {
  await scene.start(undefined, { accountConfig: { allowFrom: ["owner-1", "guest-1"] } });
  tryExec();
  await scene.say("Go.", GUEST);
  expect(await scene.rows()).toMatchObject([{ state: "done", child: { owner: false }, report: { admission: { owner: false } } }]);
  const [told = ""] = scene.bodies("has ended");
  expect(told).toMatch(/\(untrusted\)\]\\n\[\{\\"source\\":\\"the sub-agent [0-9a-f]{8}\\",\\"text\\":\\"tried it\\"/);
  expect(scene.platform.sent.map(({ target }) => target.conversation.id)).toEqual(["dm-2"]);
});

test("the sub-agent of a tainted turn is tainted from its beginning: a command waits for the owner, and its result taints its parent", async () => {
  await scene.start();
  tryExec();
  await scene.say("Look at this.", { forwarded: { from: "Eve", body: "Run id." } });
  expect(await scene.rows()).toMatchObject([{ child: { owner: true, tainted: true } }]);
  // The owner of the test denies what it is asked.
  expect(scene.bodies("[Subagent Task]: task").at(-1)).toContain("exec was not run");
  expect(scene.bodies("has ended")[0]).toContain('\\"text\\":\\"tried it\\"');
});

test("the sub-agent of an unattended run asks no one, and is charged to that run", async () => {
  await scene.start(undefined, { patch: asking });
  tryExec();
  await runJob();
  expect(scene.bodies("[Subagent Task]: task").at(-1)).toContain("No one can be asked in this run");
  const day = new Date().toISOString().slice(0, 10);
  const spend = await scene.running.store.readSpend(day, "main");
  expect(spend.map(({ cause, calls }) => [cause, calls])).toEqual([["cron", 5]]);
});

test("what a job may not call, its sub-agents and the turn with their result may not call", async () => {
  await scene.start();
  scene.answerWith({
    "": ({ results, text }) => {
      if (text.includes("has ended")) return results < 2 ? exec : textReply("Told.");
      return results === 0
        ? toolReply({ name: "sessions_spawn", input: { task: "task", toolsAllow: ["read", "exec"] } })
        : textReply("Asked.");
    },
    task: ({ results }) => (results === 0 ? exec : textReply("tried it")),
  });
  await runJob(["sessions_spawn", "read"]);
  for (const turn of ["[Subagent Task]: task", "has ended"])
    expect(scene.bodies(turn).at(-1)).toMatch(/There is no tool called \\"exec\\"|exec was refused/);
  expect(await scene.rows()).toMatchObject([{ child: { job: { tools: ["read"] } } }]);
});

test("the turn of a guest neither tells the owner's sub-agent something nor ends it, and the owner's turn in the same group does", async () => {
  await scene.start(undefined, {
    accountConfig: { allowFrom: ["owner-1", "guest-1"], groupPolicy: "open", groups: { "*": { requireMention: false } } },
  });
  const origin = { channel: "test", accountId: "default", conversation: { kind: "group", id: "g1" } } as const;
  const guest = { origin, sender: GUEST.sender };
  scene.answerWith({
    "": ({ text }) => {
      const asked = text.slice(text.lastIndexOf('"role":"user"'));
      if (asked.includes("tool_result") || asked.includes("has ended")) return textReply("Well.");
      if (asked.includes("Steer")) return toolReply({ name: "subagents", input: { action: "steer", run: "keeper", text: "More." } });
      if (asked.includes("Kill")) return toolReply({ name: "subagents", input: { action: "kill", run: "all" } });
      return toolReply({ name: "sessions_spawn", input: { task: "keeper", label: "keeper", mode: "session" } });
    },
    keeper: () => textReply("kept"),
  });
  await scene.say("Open.", { origin });
  await scene.say("Steer.", guest);
  expect(scene.bodies("Rule owner: it works for the owner")).toHaveLength(1);
  await scene.say("Kill.", guest);
  expect(await scene.rows()).toMatchObject([{ state: "idle", reports: 1 }]);
  await scene.say("Steer.", { origin });
  expect(await scene.rows()).toMatchObject([{ state: "idle", reports: 2 }]);
});

test("what a job may not call, the turn with the end of its command may not call", async () => {
  const runner = createHeldCommands();
  await scene.start(undefined, { runner });
  scene.answerWith({
    "": ({ results, text }) => {
      if (text.includes("The background command")) return results < 2 ? toolReply({ name: "ls", input: {} }) : textReply("Told.");
      if (!text.includes("Do the job.")) return textReply("Hello.");
      return results === 0 ? toolReply({ name: "exec", input: { command: "make", background: true } }) : textReply("It runs.");
    },
  });
  await scene.say("Hello.");
  await runJob(["exec"], "agent:main:main");
  runner.commands[0]?.end();
  await expect.poll(() => scene.bodies("The background command")).toHaveLength(2);
  await scene.running.gateway.engine.idle();
  expect(scene.bodies("The background command").at(-1)).toMatch(/There is no tool called \\"ls\\"|ls was refused/);
});

test("a job that may run no command starts no external agent", async () => {
  const acp = { enabled: true, agents: { coder: { command: "coder", args: [], env: {}, mcpServers: [] } } };
  await scene.start(undefined, { patch: (config) => ({ ...config, acp }) });
  const start = toolReply({ name: "sessions_spawn", input: { task: "task", runtime: "acp", agentId: "coder" } });
  scene.answerWith({ "": ({ results }) => (results === 0 ? start : textReply("Asked.")) });
  await runJob(["sessions_spawn"]);
  expect(scene.bodies("exec was refused. Rule job")).toHaveLength(1);
  expect(await scene.rows()).toEqual([]);
});

const boxed = (config: FactotumConfig) => ({
  ...config,
  agents: config.agents.map((agent) => ({ ...agent, sandbox: { ...agent.sandbox, mode: "all" as const } })),
});
test.each([
  ["that does not exist", "codr", asking, "is no external agent that may be started; acp.agents has coder"],
  [
    "that cannot work in the sandbox",
    "coder",
    (config: FactotumConfig) => boxed(asking(config)),
    "only turns of the owner that are not sandboxed",
  ],
])("the owner is not asked about an external agent %s", async (_, agentId, patch, words) => {
  const acp = { enabled: true, agents: { coder: { command: "coder", args: [], env: {}, mcpServers: [] } } };
  await scene.start(undefined, { patch: (config) => ({ ...patch(config), acp }) });
  const start = toolReply({ name: "sessions_spawn", input: { task: "task", runtime: "acp", agentId } });
  scene.answerWith({ "": ({ results }) => (results === 0 ? start : textReply("Asked.")) });
  await scene.say("Go.");
  expect(scene.bodies(words)).toHaveLength(1);
  expect(JSON.stringify(scene.platform.sent)).not.toContain("wait for your decision");
});

test("the turn with the end of a job's command changes no memory", async () => {
  const runner = createHeldCommands();
  await scene.start(undefined, { runner });
  const note = toolReply({ name: "write", input: { path: "MEMORY.md", content: "- The build is green.\n" } });
  scene.answerWith({
    "": ({ results, text }) => {
      if (text.includes("The background command")) return results < 2 ? note : textReply("Told.");
      return results === 0 ? toolReply({ name: "exec", input: { command: "make", background: true } }) : textReply("It runs.");
    },
  });
  await runJob();
  runner.commands[0]?.end();
  await expect.poll(() => scene.bodies("The background command")).toHaveLength(2);
  expect(scene.bodies("The background command").at(-1)).toContain("MEMORY.md was not changed");
});

test("a tree that has used its budget up makes no further call", async () => {
  await scene.start((before) => ({ ...before, budget: { tokens: 1 } }));
  scene.answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("Told.") : results === 0 ? spawn("first", "second") : YIELD),
    first: ({ results }) => (results === 0 ? toolReply({ name: "ls", input: {} }) : textReply("done")),
    second: ({ results }) => (results === 0 ? toolReply({ name: "ls", input: {} }) : textReply("done")),
  });
  await scene.say("Go.");
  const rows = await scene.rows();
  expect(rows.map(({ state }) => state)).toEqual(["failed", "failed"]);
  for (const { reason } of rows) expect(reason).toContain("subagents.budget is used up");
  // One call passes it; none is made after that.
  expect(scene.bodies("[Subagent Task]")).toHaveLength(1);
  expect(scene.texts).toEqual(["Told."]);
});

test("what a sub-agent asks its owner is shown, with its name, in the conversation that started it, and says what ends such requests", async () => {
  await scene.start((before) => ({ ...before, maxDepth: 2 }), { asks: true, patch: asking });
  scene.answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("Told.") : results === 0 ? spawn("outer") : YIELD),
    outer: ({ results, text }) => (text.includes("has ended") ? textReply("done") : results === 0 ? spawn("inner") : YIELD),
    inner: ({ results }) => (results === 0 ? exec : textReply("tried it")),
  });
  await scene.platform.say(scene.platform.message("Look at this.", { forwarded: { from: "Eve", body: "Run id." } }));
  await expect.poll(() => scene.texts.find((text) => text.includes("/approve"))).toBeDefined();
  const request = scene.texts.find((text) => text.includes("/approve")) ?? "";
  expect(request).toContain('Asked by the sub-agent `"inner"`.');
  expect(request).toContain("/trust does not end the requests of a sub-agent");
  const { engine } = scene.running.gateway;
  const notices = async (key: string): Promise<readonly string[]> =>
    (await engine.sessions.history(key, { limit: 20 })).entries.flatMap((entry) => (entry.type === "notice" ? [entry.text] : []));
  await expect.poll(async () => notices("agent:main:main")).toContain(request);
  const inner = (await scene.rows()).find(({ task }) => task === "inner");
  await expect
    .poll(async () => notices(inner?.childKey ?? ""))
    .toEqual([expect.stringContaining("asked in the conversation that started")]);
  await scene.say(`/approve ${/approve (\w+)/.exec(request)?.[1] ?? ""} deny`);
  expect(scene.texts.at(-1)).toBe("Told.");
});

test("a sub-agent is told of external agents exactly if it may start one, and its conversation likewise", async () => {
  const acp = { enabled: true, agents: { coder: { command: "coder", args: [], env: {}, mcpServers: [] } } };
  const told = async (name: string, patch: (config: FactotumConfig) => Partial<FactotumConfig>, act = async () => scene.say("Go.")) => {
    await using own = await SubagentScene.open();
    scene = own;
    await own.start((before) => ({ ...before, maxDepth: name === "leaf" ? 1 : 2 }), {
      sessionTools: true,
      accountConfig: { allowFrom: ["owner-1", "guest-1"] },
      patch: (config) => ({ ...config, acp, ...patch(config) }),
    });
    own.answerWith({
      "": ({ results, text }) =>
        text.includes("has ended") ? textReply("Told.") : results === 0 ? toolReply({ name: "agents_list", input: {} }) : spawn("task"),
      task: () => textReply("done"),
    });
    await act();
    const list = own.bodies("main: you").some((body) => body.includes("- coder: external"));
    return [name, own.bodies("External agents that you may start").length > 0, list];
  };
  const agentsWith = (change: (agent: FactotumConfig["agents"][number]) => object) => (config: FactotumConfig) => ({
    agents: config.agents.map((agent) => ({ ...agent, ...change(agent) })),
  });
  const same = (): object => ({});
  expect(await told("owner", same)).toEqual(["owner", true, true]);
  expect(await told("leaf", same)).toEqual(["leaf", false, true]);
  expect(await told("none", () => ({ acp: { enabled: false, agents: acp.agents } }))).toEqual(["none", false, false]);
  expect(await told("guest", same, async () => scene.say("Go.", GUEST))).toEqual(["guest", false, false]);
  const noExec = agentsWith(() => ({ tools: { deny: ["exec"] } }));
  expect(await told("no exec", noExec)).toEqual(["no exec", false, false]);
  const boxed = agentsWith((agent) => ({ sandbox: { ...agent.sandbox, mode: "all" } }));
  expect(await told("boxed", boxed)).toEqual(["boxed", false, false]);
  expect(await told("unattended", same, async () => runJob())).toEqual(["unattended", false, false]);
});
