import { createGate, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicReply, Gate } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endsAsKilled } from "../../test/gateway-harness.ts";
import { createHeldCommands } from "../../test/held-commands.ts";
import { createMovableClock } from "../../test/movable-clock.ts";
import { SubagentScene, YIELD } from "../../test/subagent-scene.ts";
import { NO_EXTERNAL_AGENTS } from "../agents/external-agent.ts";

let scene: SubagentScene;
beforeEach(async () => {
  scene = await SubagentScene.open();
});
afterEach(async () => {
  expect(scene.server.violations).toEqual([]);
  await scene[Symbol.asyncDispose]();
});

const open = (task: string, more: Readonly<Record<string, string | number | boolean>> = {}): AnthropicReply =>
  toolReply({ name: "sessions_spawn", input: { task, label: task, mode: "session", ...more } });
const subagents = (input: Readonly<Record<string, string>>): AnthropicReply => toolReply({ name: "subagents", input });

/** What the newest part of a conversation asks. */
const asks = (text: string, words: string): boolean => text.lastIndexOf(words) > text.lastIndexOf('"role":"assistant"');

/** The conversation opens `keeper`, and tells what is reported. */
function openKeeper(more: Parameters<typeof open>[1] = {}): (seen: { readonly results: number; readonly text: string }) => AnthropicReply {
  return ({ results, text }) => {
    if (asks(text, "has ended a run"))
      return textReply(`Told: ${/\| (answer \d)/.exec(text.slice(text.lastIndexOf("ended a run")))?.[1] ?? "?"}.`);
    if (results === 0) return open("keeper", more);
    return textReply("I have asked.");
  };
}

test("it stays open after its result; each message to it is answered once, and it keeps what it knows", async () => {
  await scene.start();
  let runs = 0;
  scene.answerWith({ "": openKeeper(), keeper: () => textReply(`answer ${(runs += 1)}`) });
  await scene.say("Go.");
  expect(scene.texts).toEqual(["I have asked.", "Told: answer 1."]);
  expect(await scene.rows()).toMatchObject([{ state: "idle", reports: 1, result: "answer 1" }]);
  const [first = ""] = scene.bodies("[Subagent Task]: keeper");
  expect(first).toContain("This session stays open");
  expect(first).toContain("You stay open after your first result.");
  expect(scene.bodies("It stays open: subagents")).toHaveLength(1);
  await scene.say("/subagents");
  expect(scene.texts.at(-1)).toMatch(/^1\. keeper: idle, /);
  await scene.say("/subagents steer 1 And the second part?");
  expect(scene.texts.slice(-2).toSorted()).toEqual(["Told.", "Told: answer 2."]);
  expect(await scene.rows()).toMatchObject([{ state: "idle", reports: 2, result: "answer 2" }]);
  expect(scene.bodies("And the second part?")[0]).toContain("answer 1");
  await scene.say("/subagents kill keeper");
  expect(scene.texts.at(-1)).toBe("Ended 1 sub-agent.");
  expect(await scene.rows()).toMatchObject([{ state: "killed" }]);
  const before = scene.server.requests.length;
  await scene.say("/subagents steer keeper More.");
  expect(scene.texts.at(-1)).toContain("It has ended.");
  expect(scene.server.requests).toHaveLength(before);
});

test("its parent asks it further, waits for the answer, and has nothing to wait for while it is idle; /stop ends it", async () => {
  await scene.start((before) => ({ ...before, maxChildren: 1 }));
  const steps = [
    open("keeper"),
    YIELD,
    subagents({ action: "list" }),
    YIELD,
    open("other"),
    subagents({ action: "steer", run: "keeper", text: "More?" }),
    YIELD,
    textReply("Both are there."),
  ];
  let step = 0;
  let runs = 0;
  scene.answerWith({ "": () => steps[step++] ?? textReply("?"), keeper: () => textReply(`answer ${(runs += 1)}`) });
  await scene.say("Go.");
  const last = scene.bodies("answer 2").at(-1) ?? "";
  expect(last).toContain("(idle, ");
  expect(last).toContain("there is nothing to wait for");
  expect(last).toContain("1 sub-agents of this session are open");
  expect(scene.texts).toEqual(["Both are there."]);
  await scene.say("/stop");
  expect(scene.texts.at(-1)).toBe("Ended 1 sub-agent.");
  expect(await scene.rows()).toMatchObject([{ state: "killed", reports: 2 }]);
});

test("a run that fails is reported, and the next one is another try", async () => {
  await scene.start();
  let runs = 0;
  scene.answerWith({
    "": openKeeper(),
    keeper: () => {
      runs += 1;
      return runs === 1 ? { type: "error", errorType: "invalid_request_error", message: "no" } : textReply("answer 2");
    },
  });
  await scene.say("Go.");
  expect(await scene.rows()).toMatchObject([{ state: "idle", reports: 1, reason: expect.any(String) as string }]);
  await scene.say("/subagents steer 1 Again.");
  expect(await scene.rows()).toMatchObject([{ state: "idle", reports: 2, result: "answer 2" }]);
  expect((await scene.rows())[0]?.reason).toBeUndefined();
  expect(scene.texts).toContain("Told: answer 2.");
});

test("each run has its deadline, and without a message it ends after the idle limit, which a message extends", async () => {
  const clock = createMovableClock();
  await scene.start(undefined, { clock });
  const gate: Gate = createGate();
  let runs = 0;
  scene.answerWith({
    "": openKeeper({ runTimeoutSeconds: 3600 }),
    keeper: () => {
      runs += 1;
      const answer = textReply(`answer ${runs}`);
      return runs === 2 ? { ...answer, fault: { type: "slow-headers", until: gate } } : answer;
    },
  });
  await scene.say("Go.");
  clock.advance(20 * 3_600_000);
  await scene.platform.say(scene.platform.message("/subagents steer 1 Slowly."));
  await expect.poll(() => runs).toBe(2);
  clock.advance(3_600_000);
  await expect.poll(async () => (await scene.rows())[0]?.state).toBe("idle");
  gate.open();
  await scene.running.gateway.engine.idle();
  expect(await scene.rows()).toMatchObject([{ reports: 2, reason: expect.stringContaining("deadline") as string }]);
  clock.advance(23 * 3_600_000);
  await scene.say("/subagents steer 1 Once more.");
  expect(await scene.rows()).toMatchObject([{ state: "idle", reports: 3 }]);
  clock.advance(23.9 * 3_600_000);
  await scene.running.gateway.engine.idle();
  expect(await scene.rows()).toMatchObject([{ state: "idle" }]);
  clock.advance(3_600_000);
  await expect.poll(async () => (await scene.rows())[0]?.state).toBe("done");
  await scene.running.gateway.engine.idle();
  expect(await scene.rows()).toMatchObject([{ reason: "nothing was said to it for 24 hours" }]);
});

test("another session's message is answered to that session alone, within the bounds of the sub-agent", async () => {
  await scene.start(undefined, { sessionTools: true });
  const steps = [
    open("keeper", { disableTools: true }),
    YIELD,
    ({ text }: { readonly text: string }) => {
      const [child] = /agent:main:subagent:[0-9a-f-]{36}/.exec(text) ?? [""];
      return toolReply({ name: "sessions_send", input: { sessionKey: child, message: "List it.", timeoutSeconds: 20 } });
    },
    textReply("REPLY_SKIP"),
  ];
  let step = 0;
  scene.answerWith({
    "": (seen) => {
      const next = steps[step++] ?? textReply("REPLY_SKIP");
      return typeof next === "function" ? next(seen) : next;
    },
    keeper: ({ text, results }) => {
      if (!text.includes("List it.")) return textReply("answer 1");
      return results === 0 ? toolReply({ name: "ls", input: {} }) : textReply("REPLY_SKIP");
    },
  });
  await scene.say("Go.");
  await expect.poll(async () => scene.running.store.listExchanges()).toEqual([]);
  await scene.running.gateway.engine.idle();
  expect(scene.bodies("There is no tool called").length + scene.bodies("Rule subagent").length).toBeGreaterThan(0);
  const [said] = (await scene.running.store.listRecentInputs(50)).filter(({ admission }) => admission.agentToAgent !== undefined);
  expect(said?.admission).toMatchObject({ subagent: { depth: 1 }, tree: { id: expect.any(String) as string }, job: { tools: [] } });
  expect(await scene.rows()).toMatchObject([{ state: "idle", reports: 1 }]);
});

test("what a person has started in its session holds up no report to its parent, and is reported within its bounds", async () => {
  const runner = createHeldCommands();
  await scene.start(undefined, { runner });
  let runs = 0;
  const background = toolReply({ name: "exec", input: { command: "make", background: true } });
  scene.answerWith({
    "": openKeeper(),
    keeper: ({ text }) => (asks(text, "Make it.") ? background : textReply(`answer ${(runs += 1)}`)),
  });
  await scene.say("Go.");
  await scene.say("/focus 1");
  await scene.say("Make it.");
  await scene.say("/subagents steer 1 More?");
  expect(scene.texts.at(-1)).toBe("Told: answer 3.");
  expect(await scene.rows()).toMatchObject([{ state: "idle", reports: 2 }]);
  runner.commands[0]?.end();
  await expect.poll(() => scene.texts.at(-1)).toBe("answer 4");
  const ends = (await scene.running.store.listRecentInputs(50)).filter(({ message }) => message.eventId.startsWith("command:"));
  expect(ends).toMatchObject([
    { admission: { kind: "command", subagent: { rootKey: "agent:main:main" }, tree: { id: expect.any(String) as string } } },
  ]);
});

test("a message that waits when the gateway is killed is answered once after the restart", async () => {
  await scene.start(undefined, { around: endsAsKilled });
  const gate: Gate = createGate();
  let asked = 0;
  scene.answerWith({
    "": openKeeper(),
    keeper: ({ text }) => {
      if (!text.includes("More?")) return textReply("answer 1");
      asked += 1;
      return asked === 1 ? { ...textReply("lost"), fault: { type: "slow-headers", until: gate } } : textReply("answer 2");
    },
  });
  await scene.say("Go.");
  await scene.platform.say(scene.platform.message("/subagents steer 1 More?"));
  await expect.poll(() => asked).toBe(1);
  const { home } = scene.running;
  await scene.running.stop();
  gate.open();
  await scene.start(undefined, { home });
  await scene.running.gateway.engine.idle();
  expect(scene.texts.filter((text) => text.startsWith("Told:"))).toEqual(["Told: answer 1.", "Told: answer 2."]);
  expect(await scene.rows()).toMatchObject([{ state: "idle", reports: 2 }]);
  await scene.running.stop();
  const before = scene.server.requests.length;
  await scene.start(undefined, { home });
  await scene.running.gateway.engine.idle();
  expect(scene.server.requests).toHaveLength(before);
  expect(await scene.rows()).toMatchObject([{ state: "idle", reports: 2 }]);
});

test("the report of a run is sent as a message where the conversation that asked was reset, and the sub-agent stays open", async () => {
  await scene.start();
  let runs = 0;
  scene.answerWith({ "": openKeeper(), keeper: () => textReply(`answer ${(runs += 1)}`) });
  await scene.say("Go.");
  await scene.say("/new");
  await scene.say("/subagents steer keeper More?");
  expect(scene.texts.filter((text) => text.endsWith("answer 2"))).toEqual([
    expect.stringMatching(/^The sub-agent "keeper" \([0-9a-f]{8}\) has answered\.\n\nanswer 2$/) as string,
  ]);
  expect(await scene.rows()).toMatchObject([{ state: "idle", announcedAtMs: expect.any(Number) as number }]);
  await scene.running.gateway.engine.sessions.delete((await scene.rows())[0]?.childKey ?? "");
  await scene.running.gateway.engine.idle();
  expect(await scene.rows()).toEqual([]);
});

test("its report is for the model, and no prompt of the external agent that answers in the conversation since, nor do new ones work with that", async () => {
  const acp = { enabled: true, agents: { coder: { command: "coder", args: [], env: {}, mcpServers: [] } } };
  const externalAgents = { ...NO_EXTERNAL_AGENTS, problemOf: () => undefined };
  await scene.start(undefined, { externalAgents, patch: (config) => ({ ...config, acp }) });
  let runs = 0;
  const first = openKeeper();
  scene.answerWith({
    "": (seen) => (asks(seen.text, "answer 2") ? open("aside") : first(seen)),
    keeper: () => textReply(`answer ${(runs += 1)}`),
    aside: () => textReply("answer 9"),
  });
  await scene.say("Go.");
  await scene.say("/acp spawn coder");
  await scene.say("/subagents steer 1 And the second part?");
  const rows = await scene.rows();
  expect(rows).toMatchObject([
    { label: "keeper", reports: 2 },
    { label: "aside", reports: 1, result: "answer 9" },
  ]);
  expect(rows[1]?.child.job).not.toHaveProperty("model");
  expect(scene.texts.at(-1)).toBe("Told: answer 9.");
});
