import { messageId } from "@factotum/channel-contract";
import { createGate, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicReply, Gate } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endsAsKilled } from "../../test/gateway-harness.ts";
import { createHeldCommands } from "../../test/held-commands.ts";
import { spawn, SubagentScene, YIELD } from "../../test/subagent-scene.ts";
import { refersToTainted } from "../taint/sent-taint.ts";

let scene: SubagentScene;
beforeEach(async () => {
  scene = await SubagentScene.open();
});
afterEach(async () => {
  expect(scene.server.violations).toEqual([]);
  await scene[Symbol.asyncDispose]();
});

test("a task is handed out, and its result comes to the conversation as one message", async () => {
  await scene.start();
  scene.answerWith({
    "": ({ results, text }) =>
      text.includes("has ended") ? textReply("There are three.") : results === 0 ? spawn("count") : textReply("I have asked."),
    count: () => textReply("three files"),
  });
  await scene.say("How many files?");
  expect(scene.texts).toEqual(["I have asked.", "There are three."]);
  expect(await scene.rows()).toMatchObject([
    { state: "done", result: "three files", depth: 1, task: "count", announcedAtMs: expect.any(Number) as number },
  ]);
  const [child = ""] = scene.bodies("[Subagent Task]: count");
  expect(child).toContain("### Subagent Context");
  expect(child).toContain('\\"run\\":\\"subagent\\"');
  for (const name of ["message", "session_status", "sessions_spawn", "subagents"]) expect(child).not.toContain(`"name":"${name}"`);
  const [result = ""] = scene.bodies("has ended");
  expect(result).toContain("| three files");
  expect(result).toMatch(
    /\\"completion\\":\{\\"source\\":\\"subagent\\",\\"run\\":\\"[0-9a-f-]+\\",\\"session\\":\\"agent:main:subagent:[0-9a-f-]+\\",\\"state\\":\\"done\\"\}/,
  );
  const [spawned] = await scene.rows();
  expect((await scene.running.store.readSession(spawned?.childKey ?? ""))?.spawnedBy).toBe("agent:main:main");
});

test("handlers of hooks learn of both ends", async () => {
  const seen: unknown[] = [];
  const names = ["subagent_spawned", "subagent_ended"] as const;
  const source = {
    owner: "plugin audit",
    trusted: true,
    hooks: names.map((name) => ({ name, priority: 0 })),
    call: async (name: string, payload: unknown) => void seen.push([name, payload]),
  };
  await scene.start(undefined, { hookSources: () => [source] });
  scene.answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("Told.") : results === 0 ? spawn("count") : YIELD),
    count: () => textReply("three"),
  });
  await scene.say("Go.");
  const [{ id: runId, childKey: sessionKey } = { id: "", childKey: "" }] = await scene.rows();
  const place = { agentId: "main", sessionKey, parentSessionKey: "agent:main:main", owner: true, runId, depth: 1 };
  expect(seen).toEqual([
    ["subagent_spawned", { ...place, task: "count" }],
    ["subagent_ended", { ...place, state: "done", durationMs: expect.any(Number) as number }],
  ]);
});

test("a turn that yields continues with all results together, and may stay silent", async () => {
  await scene.start();
  scene.answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("ANNOUNCE_SKIP") : results === 0 ? spawn("one", "two") : YIELD),
    one: () => textReply("first"),
    two: () => textReply("second"),
  });
  await scene.say("Both, please.");
  expect(scene.texts).toEqual([]);
  const told = scene.bodies("has ended");
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("| first");
  expect(told[0]).toContain("| second");
  expect((await scene.rows()).map(({ state }) => state)).toEqual(["done", "done"]);
});

test("a turn that yields continues with all results together, also after a restart between them", async () => {
  const gate: Gate = createGate();
  const start = async (home?: string): Promise<void> =>
    scene.start(undefined, { around: endsAsKilled, ...(home === undefined ? {} : { home }) });
  await start();
  let isHeld = true;
  scene.answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("Both.") : results === 0 ? spawn("quick", "slow") : YIELD),
    quick: () => textReply("first"),
    slow: () => (isHeld ? { ...textReply("never"), fault: { type: "slow-headers", until: gate } } : textReply("second")),
  });
  await scene.platform.say(scene.platform.message("Both, please."));
  await expect.poll(async () => (await scene.rows()).map(({ state }) => state).toSorted()).toEqual(["done", "running"]);
  await expect.poll(() => scene.bodies("[Subagent Task]: slow").length).toBe(1);
  const { home } = scene.running;
  await scene.running.stop();
  isHeld = false;
  gate.open();
  await start(home);
  await scene.platform.waitForSends(1);
  await scene.running.gateway.engine.idle();
  expect(scene.texts).toEqual(["Both."]);
  const told = scene.bodies("has ended");
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("| first");
  expect(told[0]).toContain("| second");
});

test("a turn that yields while results are being handed over continues with them", async () => {
  await scene.start();
  const [slow, busy] = [createGate(), createGate()];
  scene.answerWith({
    "": ({ results, text }) => {
      if (text.includes("has ended")) return textReply("Told.");
      if (text.includes("Hurry."))
        return results === 2 ? { ...YIELD, fault: { type: "slow-headers", until: busy } } : textReply("Nothing.");
      return results === 0 ? spawn("slow") : YIELD;
    },
    slow: () => ({ ...textReply("forty-two"), fault: { type: "slow-headers", until: slow } }),
  });
  await scene.platform.say(scene.platform.message("Go."));
  await expect.poll(() => scene.bodies("[Subagent Task]: slow").length).toBe(1);
  await scene.platform.say(scene.platform.message("Hurry."));
  await expect.poll(() => scene.bodies("Hurry.").length).toBe(1);
  slow.open();
  await expect.poll(async () => (await scene.rows()).map(({ state }) => state)).toEqual(["done"]);
  busy.open();
  await scene.running.gateway.engine.idle();
  expect(scene.bodies("nothing to wait for")).toHaveLength(0);
  expect(scene.texts).toEqual(["Told."]);
});

test("a turn that yields after a restart continues with the results that an earlier process has left", async () => {
  const busy: Gate = createGate();
  const start = async (home?: string): Promise<void> =>
    scene.start(undefined, { around: endsAsKilled, ...(home === undefined ? {} : { home }) });
  await start();
  let isHeld = true;
  scene.answerWith({
    "": ({ results, text }) => {
      if (text.includes("has ended")) return textReply("Told.");
      if (results === 0) return spawn("quick");
      if (results > 1) return textReply("Nothing.");
      return isHeld ? { ...YIELD, fault: { type: "slow-headers", until: busy } } : YIELD;
    },
    quick: () => textReply("first"),
  });
  await scene.platform.say(scene.platform.message("Go."));
  await expect.poll(async () => (await scene.rows()).map(({ state }) => state)).toEqual(["done"]);
  const { home } = scene.running;
  await scene.running.stop();
  isHeld = false;
  busy.open();
  await start(home);
  await scene.running.gateway.engine.idle();
  expect(scene.bodies("nothing to wait for")).toHaveLength(0);
  expect(scene.texts).toEqual(["Told."]);
});

test("limits hold: children of a session, depth, agents, and yielding with nothing to wait for", async () => {
  await scene.start((before) => ({ ...before, maxChildren: 1, maxDepth: 2 }));
  const refusals: string[] = [];
  const keep = (text: string): void => void refusals.push(...(text.match(/Rule (?:depth|children|agents)|nothing to wait for/g) ?? []));
  scene.answerWith({
    "": ({ results, text }) => {
      if (text.includes("has ended")) return textReply("Done.");
      keep(text);
      if (results === 0) return YIELD;
      if (results === 1) return toolReply({ name: "sessions_spawn", input: { task: "x", agentId: "other" } });
      return results === 2 ? spawn("outer", "more") : textReply("Wait.");
    },
    outer: ({ results, text }) => {
      if (text.includes("has ended")) return textReply("outer done");
      return results === 0 ? spawn("inner") : YIELD;
    },
    inner: ({ results, text }) => {
      keep(text);
      return results === 0 ? spawn("deeper") : textReply("inner done");
    },
  });
  await scene.say("Go.");
  expect([...new Set(refusals)].toSorted()).toEqual(["Rule agents", "Rule children", "nothing to wait for"]);
  expect(await scene.rows()).toMatchObject([
    { task: "outer", state: "done", result: "outer done", depth: 1 },
    { task: "inner", state: "done", result: "inner done", depth: 2 },
  ]);
  expect(scene.bodies("[Subagent Task]: inner").at(-1)).toContain("There is no tool called");
  expect(scene.texts).toEqual(["Wait.", "Done."]);
});

test("a sub-agent that fails or says nothing is reported as such, by the gateway", async () => {
  await scene.start();
  scene.answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("Noted.") : results === 0 ? spawn("quiet", "broken") : YIELD),
    quiet: () => textReply("NO_REPLY"),
    broken: () => ({ type: "error", errorType: "invalid_request_error", message: "no" }),
  });
  await scene.say("Go.");
  expect(await scene.rows()).toMatchObject([
    { task: "quiet", state: "failed", reason: "it ended without a result" },
    { task: "broken", state: "failed" },
  ]);
  expect(scene.texts).toEqual(["Noted."]);
});

test("a sub-agent keeps running while its background command runs, and gets the report of that command instead of the chat", async () => {
  const runner = createHeldCommands();
  await scene.start(undefined, { runner });
  scene.answerWith({
    "": ({ results, text }) => (text.includes("sub-agent") ? textReply("Told.") : results === 0 ? spawn("build") : YIELD),
    build: ({ results, text }) => {
      if (text.includes("The background command")) return textReply("built");
      return results === 0 ? toolReply({ name: "exec", input: { command: "make", background: true } }) : textReply("It runs.");
    },
  });
  await scene.say("Go.");
  expect(await scene.rows()).toMatchObject([{ state: "running" }]);
  runner.commands[0]?.end();
  await expect.poll(async () => (await scene.rows())[0]?.state).toBe("done");
  await scene.running.gateway.engine.idle();
  expect(await scene.rows()).toMatchObject([{ result: "built" }]);
  expect(scene.texts).toEqual(["Told."]);
});

test("a result of the form that was asked for is checked, and written again once", async () => {
  await scene.start();
  const outputSchema = { type: "object", properties: { count: { type: "number" } }, required: ["count"] };
  const asked = ["late", "never", "broken"].map((task) => ({
    name: "sessions_spawn",
    input: { task, outputSchema: task === "broken" ? { type: "no such type" } : outputSchema },
  }));
  scene.answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("Told.") : results === 0 ? toolReply(...asked) : YIELD),
    late: ({ text }) => textReply(text.includes("does not have the form") ? '```json\n{ "count": 3 }\n```' : "three"),
    never: () => textReply("three"),
  });
  await scene.say("Go.");
  expect(await scene.rows()).toMatchObject([
    { task: "late", state: "done", result: '{"count":3}' },
    { task: "never", state: "failed", reason: expect.stringContaining("does not fit outputSchema") as string, result: "three" },
  ]);
  expect(scene.bodies("[Subagent Task]")).toHaveLength(4);
  expect(scene.bodies("outputSchema cannot be used").length).toBeGreaterThan(0);
  expect(scene.bodies("[Subagent Task]: late")[0]).toContain("matches this JSON Schema");
});

test("a sub-agent is stopped at its deadline, and its parent gets its partial answer", async () => {
  const gate: Gate = createGate();
  let nowMs = Date.UTC(2026, 2, 1);
  const timers: { readonly atMs: number; readonly run: () => void }[] = [];
  await scene.start(undefined, {
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
  scene.answerWith({
    "": ({ results, text }) => {
      if (text.includes("has ended")) return textReply("Too slow.");
      return results === 0 ? toolReply({ name: "sessions_spawn", input: { task: "slow", runTimeoutSeconds: 90 } }) : textReply("Asked.");
    },
    slow: () => ({ ...textReply("never"), fault: { type: "slow-headers", until: gate } }),
  });
  await scene.platform.say(scene.platform.message("Go."));
  await scene.platform.waitForSends(1);
  await expect.poll(() => scene.bodies("[Subagent Task]: slow").length).toBe(1);
  nowMs += 90_000;
  for (const { run } of timers) run();
  await scene.platform.waitForSends(2);
  gate.open();
  expect(scene.texts).toEqual(["Asked.", "Too slow."]);
  expect(await scene.rows()).toMatchObject([{ state: "timeout" }]);
});

test("/stop ends the whole tree without another turn, and the next message says what became of it", async () => {
  await scene.start((before) => ({ ...before, maxDepth: 2 }));
  const gate: Gate = createGate();
  scene.answerWith({
    "": ({ results, text }) =>
      text.includes("Anything?") ? textReply("All stopped.") : results === 0 ? spawn("outer") : textReply("Asked."),
    outer: ({ results }) => (results === 0 ? spawn("inner") : YIELD),
    inner: () => ({ ...textReply("never"), fault: { type: "slow-headers", until: gate } }),
  });
  await scene.platform.say(scene.platform.message("Go."));
  await expect.poll(() => scene.bodies("[Subagent Task]: inner").length).toBe(1);
  await expect.poll(async () => (await scene.rows()).length).toBe(2);
  await scene.say("/stop");
  gate.open();
  expect(scene.texts.at(-1)).toContain("nded 1 sub-agent");
  expect((await scene.rows()).map(({ state }) => state)).toEqual(["killed", "killed"]);
  const before = scene.server.requests.length;
  await scene.say("Anything?");
  expect(scene.server.requests).toHaveLength(before + 1);
  const [asked = ""] = scene.bodies("Anything?");
  expect(asked).toContain("the work of its session was stopped");
  // The answer is one to the user, so it is never asked for silence.
  expect(asked).not.toContain("ANNOUNCE_SKIP");
});

test("one that is stopped while it waits for another reports what that one had said", async () => {
  const gate = createGate();
  await scene.start((before) => ({ ...before, maxDepth: 2 }));
  scene.answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("Told.") : results === 0 ? spawn("outer") : YIELD),
    outer: ({ results }) => (results === 0 ? spawn("inner") : YIELD),
    // It speaks, calls a tool that it does not have, and is stopped before it says more.
    inner: ({ results }) =>
      results === 0
        ? {
            type: "message",
            content: [
              { type: "text", text: "Two of five are read." },
              { type: "tool_use", name: "sessions_yield", input: {} },
            ],
          }
        : { ...textReply("never"), fault: { type: "slow-headers", until: gate } },
  });
  await scene.platform.say(scene.platform.message("Go."));
  await expect.poll(() => scene.bodies("- Task: inner").length).toBe(2);
  await scene.say("/subagents kill all");
  gate.open();
  const [told = ""] = scene.bodies("has ended");
  expect(told).toMatch(/\| Its sub-agent [0-9a-f]{8} had said:\\n\| Two of/);
  expect(scene.texts.at(-1)).toBe("Told.");
});

test("the result of a conversation that was reset meanwhile is sent as a plain message", async () => {
  await scene.start();
  const gate: Gate = createGate();
  scene.answerWith({
    "": ({ results }) => (results === 0 ? spawn("slow") : textReply("Asked.")),
    slow: () => ({ ...textReply("forty-two"), fault: { type: "slow-headers", until: gate } }),
  });
  await scene.platform.say(scene.platform.message("Go."));
  await scene.platform.waitForSends(1);
  await expect.poll(() => scene.bodies("[Subagent Task]: slow").length).toBe(1);
  await scene.platform.say(scene.platform.message("/new"));
  await scene.platform.waitForSends(2);
  gate.open();
  await scene.running.gateway.engine.idle();
  expect(scene.texts.at(-1)).toMatch(/^The sub-agent [0-9a-f]{8} has ended: done\.\n\nforty-two$/);
  expect(await scene.rows()).toMatchObject([{ state: "done", announcedAtMs: expect.any(Number) as number }]);
});

test.each(["/new", "/stop"])("a result that waits behind a turn is sent as a plain message when %s ends that turn", async (command) => {
  await scene.start();
  const [gate, busy] = [createGate(), createGate()];
  scene.answerWith({
    "": ({ results, text }) =>
      text.includes("Wait.")
        ? { ...textReply("never"), fault: { type: "slow-headers", until: busy } }
        : results === 0
          ? spawn("slow")
          : textReply("Asked."),
    slow: () => ({ ...textReply("forty-two"), fault: { type: "slow-headers", until: gate } }),
  });
  await scene.platform.say(scene.platform.message("Go."));
  await scene.platform.waitForSends(1);
  await scene.platform.say(scene.platform.message("Wait."));
  await expect.poll(() => scene.bodies("Wait.").length).toBe(1);
  gate.open();
  await expect.poll(async () => (await scene.rows()).map(({ state }) => state)).toEqual(["done"]);
  await scene.say(command);
  busy.open();
  const told = scene.texts.filter((text) => text.includes("forty-two"));
  expect(told).toEqual([expect.stringMatching(/^The sub-agent [0-9a-f]{8} has ended: done\.\n\nforty-two$/) as string]);
  // Nothing of a person was dropped.
  expect(scene.texts.filter((text) => text.includes("topped what I was working on"))).toEqual(["Stopped what I was working on."]);
  expect(await scene.running.store.listInputs({ state: "waiting", limit: 10 })).toMatchObject({ items: [] });
  const { entries } = await scene.running.gateway.engine.sessions.history("agent:main:main", { limit: 20 });
  // On the page it is no message of the owner, and stands in the conversation that is shown.
  expect(entries.filter((entry) => "text" in entry && entry.text.includes("forty-two")).map(({ type }) => type)).toEqual(["notice"]);
});

/** The running ones that are waited for. */
const awaited = (rows: Awaited<ReturnType<SubagentScene["rows"]>>): number =>
  rows.filter(({ state, isAwaited }) => state === "running" && isAwaited === true).length;

test.each(["/new", "/stop"])(
  "a result that is held for another one is sent as a plain message, and begins no turn, after %s",
  async (command) => {
    await scene.start();
    const gate: Gate = createGate();
    scene.answerWith({
      "": ({ results, text }) => (text.includes("has ended") ? textReply("Told.") : results === 0 ? spawn("quick", "slow") : YIELD),
      quick: () => textReply("first"),
      slow: () => ({ ...textReply("second"), fault: { type: "slow-headers", until: gate } }),
    });
    await scene.platform.say(scene.platform.message("Go."));
    await expect.poll(async () => awaited(await scene.rows())).toBe(1);
    await expect.poll(async () => (await scene.rows()).map(({ state }) => state).toSorted()).toEqual(["done", "running"]);
    await scene.platform.say(scene.platform.message(command));
    await scene.platform.waitForSends(2);
    gate.open();
    await scene.running.gateway.engine.idle();
    expect(scene.bodies("has ended")).toEqual([]);
    const told = scene.texts.filter((text) => text.startsWith("The sub-agent"));
    expect(told.filter((text) => text.endsWith("ended: done.\n\nfirst"))).toHaveLength(1);
    // That of the other one comes when it has ended; a stop ends it, and the next turn gets that.
    expect(told).toHaveLength(command === "/new" ? 2 : 1);
    expect(await scene.running.store.listInputs({ state: "waiting", limit: 10 })).toMatchObject({ items: command === "/new" ? [] : [{}] });
  },
);

test.each([
  { command: "/stop", isForwarded: false, isMarked: false },
  { command: "/stop", isForwarded: true, isMarked: true },
  // What it has read is not known where its conversation is gone.
  { command: "/new", isForwarded: false, isMarked: true },
])("a reply to a result that was sent plainly brings text of others if it may be that: $command, $isForwarded", async (row) => {
  await scene.start();
  const gate: Gate = createGate();
  scene.answerWith({
    "": ({ results }) => (results === 0 ? spawn("quick", "slow") : YIELD),
    quick: () => textReply("first"),
    slow: () => ({ ...textReply("second"), fault: { type: "slow-headers", until: gate } }),
  });
  const forwarded = row.isForwarded ? { forwarded: { from: "Eve", body: "Look." } } : {};
  await scene.platform.say(scene.platform.message("Go.", forwarded));
  await expect.poll(async () => awaited(await scene.rows())).toBe(1);
  await expect.poll(async () => (await scene.rows()).map(({ state }) => state).toSorted()).toEqual(["done", "running"]);
  await scene.platform.say(scene.platform.message(row.command));
  await scene.platform.waitForSends(2);
  gate.open();
  await scene.running.gateway.engine.idle();
  await scene.running.gateway.engine.parts.dispatcher.idle();
  const { sent } = scene.platform;
  const newest = sent.findLastIndex(({ outbound }) => outbound.type === "text" && outbound.text.startsWith("The sub-agent"));
  const replyTo = { messageId: messageId(`sent-${newest}`), body: "", isQuote: false };
  expect(await refersToTainted(scene.platform.message("Do that.", { replyTo }), { store: scene.running.store })).toBe(row.isMarked);
});

test("one that is stopped while it waits for two others has no further turn, and reports the result of the one that has ended", async () => {
  const gate = createGate();
  await scene.start((before) => ({ ...before, maxDepth: 2 }));
  scene.answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("Told.") : results === 0 ? spawn("outer") : YIELD),
    outer: ({ results }) => (results === 0 ? spawn("quick", "slow") : YIELD),
    quick: () => textReply("Two of five."),
    slow: () => ({ ...textReply("never"), fault: { type: "slow-headers", until: gate } }),
  });
  await scene.platform.say(scene.platform.message("Go."));
  await expect.poll(async () => awaited(await scene.rows())).toBe(2);
  await expect.poll(async () => (await scene.rows()).map(({ state }) => state).toSorted()).toEqual(["done", "running", "running"]);
  const before = scene.bodies("- Task: outer").length;
  await scene.say("/subagents kill all");
  gate.open();
  expect(scene.bodies("- Task: outer")).toHaveLength(before);
  const [told = ""] = scene.bodies("has ended");
  expect(told).toMatch(/\| Its sub-agent [0-9a-f]{8} had said:\\n\| Two of five\./);
  expect(await scene.running.store.listInputs({ state: "waiting", limit: 10 })).toMatchObject({ items: [] });
});

test("tools that are not there are refused with near names before a task is handed out", async () => {
  await scene.start();
  scene.answerWith({
    "": ({ results }) =>
      results === 0
        ? toolReply({ name: "sessions_spawn", input: { task: "look", toolsAllow: ["raed", "ls"] } })
        : textReply("I do it myself."),
  });
  await scene.say("Go.");
  expect(scene.bodies("toolsAllow: There is no tool")[0]).toContain("did you mean read?");
  expect(await scene.rows()).toEqual([]);
});

test("only its parent can steer, read and stop a sub-agent", async () => {
  await scene.start();
  const gate: Gate = createGate();
  const subagents = (input: Readonly<Record<string, string>>): AnthropicReply => toolReply({ name: "subagents", input });
  const calls = [
    toolReply({ name: "sessions_spawn", input: { task: "slow", label: "snail" } }),
    subagents({ action: "steer", run: "snail", text: "Hurry." }),
    subagents({ action: "list" }),
    subagents({ action: "log", run: "snail" }),
    subagents({ action: "kill", run: "snail" }),
    subagents({ action: "kill", run: "missing" }),
  ];
  scene.answerWith({
    "": ({ results }) => calls[results] ?? textReply("Done."),
    slow: () => ({ ...textReply("never"), fault: { type: "slow-headers", until: gate } }),
  });
  await scene.say("Go.");
  gate.open();
  const last = scene.bodies("no such sub-agent")[0] ?? "";
  expect(last).toContain("Told:\\n");
  expect(last).toContain("(killed: its parent stopped it");
  expect(await scene.rows()).toMatchObject([{ state: "killed", label: "snail" }]);
  expect(scene.texts).toEqual(["Done."]);
});
