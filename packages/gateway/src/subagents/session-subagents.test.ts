import type { FactotumConfig } from "@factotum/config";
import type { SpawnRecord } from "@factotum/store";
import { createGate, startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer, Gate } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;

beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(async () => {
  expect(server.violations).toEqual([]);
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

type Change = (subagents: FactotumConfig["agents"][number]["subagents"]) => FactotumConfig["agents"][number]["subagents"];

async function start(change: Change = (same) => same, options: Parameters<typeof startTestGateway>[0] = {}): Promise<void> {
  running = await startTestGateway({
    platform,
    subagents: true,
    accountConfig: { allowFrom: ["owner-1"] },
    patch: (config) => {
      const { agents, ...rest } = withModel(server.baseUrl)(config);
      return { ...rest, agents: agents.map((agent) => ({ ...agent, subagents: change(agent.subagents) })) };
    },
    ...options,
  });
}

/** The model of a tree: what it answers to each request, by the task of the sub-agent that asks, or "" for the conversation. */
type Answers = Readonly<Record<string, (seen: { readonly results: number; readonly text: string }) => AnthropicReply>>;

function answerWith(answers: Answers): void {
  server.respond(({ body }) => {
    const text = JSON.stringify(body?.["messages"]);
    const task = /- Task: (\w+)/.exec(JSON.stringify(body?.["system"]))?.[1] ?? "";
    const answer = answers[task];
    if (answer === undefined) throw new Error(`no answer for the task "${task}"`);
    return answer({ results: text.split('"type":"tool_result"').length - 1, text });
  });
}

const spawn = (...tasks: readonly string[]): AnthropicReply =>
  toolReply(...tasks.map((task) => ({ name: "sessions_spawn", input: { task } })));
const yieldTurn = toolReply({ name: "sessions_yield", input: {} });
const rows = async (): Promise<readonly SpawnRecord[]> => running.store.listSpawns();
const texts = (): readonly string[] => platform.sent.flatMap(({ outbound }) => (outbound.type === "text" ? [outbound.text] : []));
const bodies = (needle: string): readonly string[] =>
  server.requests.map(({ body }) => JSON.stringify(body)).filter((body) => body.includes(needle));

async function say(text: string): Promise<void> {
  await platform.say(platform.message(text));
  await running.gateway.engine.idle();
}

test("a task is handed out, and its result comes to the conversation as one message", async () => {
  await start();
  answerWith({
    "": ({ results, text }) =>
      text.includes("has ended") ? textReply("There are three.") : results === 0 ? spawn("count") : textReply("I have asked."),
    count: () => textReply("three files"),
  });
  await say("How many files?");
  expect(texts()).toEqual(["I have asked.", "There are three."]);
  expect(await rows()).toMatchObject([
    { state: "done", result: "three files", depth: 1, task: "count", announcedAtMs: expect.any(Number) as number },
  ]);
  const [child = ""] = bodies("[Subagent Task]: count");
  expect(child).toContain("### Subagent Context");
  expect(child).toContain('\\"run\\":\\"subagent\\"');
  for (const name of ["message", "session_status", "sessions_spawn", "subagents"]) expect(child).not.toContain(`"name":"${name}"`);
  const [result = ""] = bodies("has ended");
  expect(result).toContain("| three files");
  expect(result).toMatch(
    /\\"completion\\":\{\\"source\\":\\"subagent\\",\\"run\\":\\"[0-9a-f-]+\\",\\"session\\":\\"agent:main:subagent:[0-9a-f-]+\\",\\"state\\":\\"done\\"\}/,
  );
  const [spawned] = await rows();
  expect((await running.store.readSession(spawned?.childKey ?? ""))?.spawnedBy).toBe("agent:main:main");
});

test("a turn that yields goes on with all results together, and may say nothing of them", async () => {
  await start();
  answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("ANNOUNCE_SKIP") : results === 0 ? spawn("one", "two") : yieldTurn),
    one: () => textReply("first"),
    two: () => textReply("second"),
  });
  await say("Both, please.");
  expect(texts()).toEqual([]);
  const told = bodies("has ended");
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("| first");
  expect(told[0]).toContain("| second");
  expect((await rows()).map(({ state }) => state)).toEqual(["done", "done"]);
});

test("limits hold: children of a session, depth, agents, and yielding with nothing to wait for", async () => {
  await start((before) => ({ ...before, maxChildren: 1, maxDepth: 2 }));
  const refusals: string[] = [];
  const keep = (text: string): void => void refusals.push(...(text.match(/Rule (?:depth|children|agents)|nothing to wait for/g) ?? []));
  answerWith({
    "": ({ results, text }) => {
      if (text.includes("has ended")) return textReply("Done.");
      keep(text);
      if (results === 0) return yieldTurn;
      if (results === 1) return toolReply({ name: "sessions_spawn", input: { task: "x", agentId: "other" } });
      return results === 2 ? spawn("outer", "more") : textReply("Wait.");
    },
    outer: ({ results, text }) => {
      if (text.includes("has ended")) return textReply("outer done");
      return results === 0 ? spawn("inner") : yieldTurn;
    },
    inner: ({ results, text }) => {
      keep(text);
      return results === 0 ? spawn("deeper") : textReply("inner done");
    },
  });
  await say("Go.");
  expect([...new Set(refusals)].toSorted()).toEqual(["Rule agents", "Rule children", "nothing to wait for"]);
  expect(await rows()).toMatchObject([
    { task: "outer", state: "done", result: "outer done", depth: 1 },
    { task: "inner", state: "done", result: "inner done", depth: 2 },
  ]);
  expect(bodies("[Subagent Task]: inner").at(-1)).toContain("Rule subagent");
  expect(texts()).toEqual(["Wait.", "Done."]);
});

test("a sub-agent that fails or says nothing is reported as such, by the gateway", async () => {
  await start();
  answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("Noted.") : results === 0 ? spawn("quiet", "broken") : yieldTurn),
    quiet: () => textReply("NO_REPLY"),
    broken: () => ({ type: "error", errorType: "invalid_request_error", message: "no" }),
  });
  await say("Go.");
  expect(await rows()).toMatchObject([
    { task: "quiet", state: "failed", reason: "it ended without a result" },
    { task: "broken", state: "failed" },
  ]);
  expect(texts()).toEqual(["Noted."]);
});

test("a sub-agent is stopped at its deadline, and its parent is told what it had said", async () => {
  const gate: Gate = createGate();
  let nowMs = Date.UTC(2026, 2, 1);
  const timers: { readonly atMs: number; readonly run: () => void }[] = [];
  await start(undefined, {
    clock: {
      now: () => nowMs,
      monotonic: () => performance.now(),
      schedule: (delayMs, run) => {
        const timer = delayMs >= 60_000 ? undefined : setTimeout(run, delayMs);
        timer?.unref();
        if (delayMs === 90_000) timers.push({ atMs: nowMs + delayMs, run });
        return { [Symbol.dispose]: () => clearTimeout(timer) };
      },
    },
  });
  answerWith({
    "": ({ results, text }) => {
      if (text.includes("has ended")) return textReply("Too slow.");
      return results === 0 ? toolReply({ name: "sessions_spawn", input: { task: "slow", runTimeoutSeconds: 90 } }) : textReply("Asked.");
    },
    slow: () => ({ ...textReply("never"), fault: { type: "slow-headers", until: gate } }),
  });
  await platform.say(platform.message("Go."));
  await platform.waitForSends(1);
  await expect.poll(() => bodies("[Subagent Task]: slow").length).toBe(1);
  nowMs += 90_000;
  for (const { run } of timers) run();
  await platform.waitForSends(2);
  gate.open();
  expect(texts()).toEqual(["Asked.", "Too slow."]);
  expect(await rows()).toMatchObject([{ state: "timeout" }]);
});

test("/stop ends the whole tree without another turn, and the next message says what became of it", async () => {
  await start((before) => ({ ...before, maxDepth: 2 }));
  const gate: Gate = createGate();
  answerWith({
    "": ({ results, text }) =>
      text.includes("Anything?") ? textReply("All stopped.") : results === 0 ? spawn("outer") : textReply("Asked."),
    outer: ({ results }) => (results === 0 ? spawn("inner") : yieldTurn),
    inner: () => ({ ...textReply("never"), fault: { type: "slow-headers", until: gate } }),
  });
  await platform.say(platform.message("Go."));
  await expect.poll(() => bodies("[Subagent Task]: inner").length).toBe(1);
  await expect.poll(async () => (await rows()).length).toBe(2);
  await say("/stop");
  gate.open();
  expect(texts().at(-1)).toContain("nded 1 sub-agent");
  expect((await rows()).map(({ state }) => state)).toEqual(["killed", "killed"]);
  const before = server.requests.length;
  await say("Anything?");
  expect(server.requests).toHaveLength(before + 1);
  expect(bodies("Anything?")[0]).toContain("the work of its session was stopped");
});

test("the result of a conversation that was reset meanwhile is sent as a plain message", async () => {
  await start();
  const gate: Gate = createGate();
  answerWith({
    "": ({ results }) => (results === 0 ? spawn("slow") : textReply("Asked.")),
    slow: () => ({ ...textReply("forty-two"), fault: { type: "slow-headers", until: gate } }),
  });
  await platform.say(platform.message("Go."));
  await platform.waitForSends(1);
  await expect.poll(() => bodies("[Subagent Task]: slow").length).toBe(1);
  await platform.say(platform.message("/new"));
  await platform.waitForSends(2);
  gate.open();
  await running.gateway.engine.idle();
  expect(texts().at(-1)).toMatch(/^The sub-agent [0-9a-f]{8} has ended: done\.\n\nforty-two$/);
  expect(await rows()).toMatchObject([{ state: "done", announcedAtMs: expect.any(Number) as number }]);
});

test("a sub-agent can be told more, be read and be ended, by its parent alone", async () => {
  await start();
  const gate: Gate = createGate();
  const subagents = (input: Readonly<Record<string, string>>): AnthropicReply => toolReply({ name: "subagents", input });
  const calls = [
    toolReply({ name: "sessions_spawn", input: { task: "slow", label: "snail" } }),
    subagents({ action: "steer", run: "snail", text: "Hurry." }),
    subagents({ action: "list" }),
    subagents({ action: "log", run: "snail" }),
    subagents({ action: "kill", run: "snail" }),
    subagents({ action: "kill", run: "nobody" }),
  ];
  answerWith({
    "": ({ results }) => calls[results] ?? textReply("Done."),
    slow: () => ({ ...textReply("never"), fault: { type: "slow-headers", until: gate } }),
  });
  await say("Go.");
  gate.open();
  const last = bodies("no such sub-agent")[0] ?? "";
  expect(last).toContain("Told:\\n");
  expect(last).toContain("(killed: its parent has ended it");
  expect(await rows()).toMatchObject([{ state: "killed", label: "snail" }]);
  expect(texts()).toEqual(["Done."]);
});
