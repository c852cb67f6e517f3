import type { ChatSubagent } from "@factotum/protocol";
import { createGate, textReply, toolReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { spawn, SubagentScene, YIELD } from "../../test/subagent-scene.ts";
import { TestClient } from "../../test/test-client.ts";

const MAIN = "agent:main:main";

let scene: SubagentScene;
let client: TestClient;

/** Starts the scene with a client that watches the conversation. */
async function startWatched(): Promise<void> {
  await scene.start((before) => ({ ...before, maxDepth: 2 }));
  client = await TestClient.connect(scene.running.gateway.url, scene.running.token);
  await client.call("chat.subscribe", { sessionKey: MAIN });
}

/** Each change of the sub-agents, as events have told it. */
function changes(): readonly ChatSubagent[] {
  return client.events.flatMap((event) => (event.type === "subagent-change" ? [event.subagent] : []));
}

async function untilState(task: string, state: ChatSubagent["state"]): Promise<ChatSubagent> {
  return client.until(() => changes().findLast((one) => one.task === task && one.state === state));
}

beforeEach(async () => {
  scene = await SubagentScene.open();
});
afterEach(async () => {
  client[Symbol.dispose]();
  expect(scene.server.violations).toEqual([]);
  await scene[Symbol.asyncDispose]();
});

test("a client that watches a conversation sees the whole tree change, and one that comes later sees the same", async () => {
  await startWatched();
  scene.answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("Told.") : results === 0 ? spawn("outer") : YIELD),
    outer: ({ results, text }) => (text.includes("has ended") ? textReply("outer is done") : results === 0 ? spawn("inner") : YIELD),
    inner: ({ results }) => (results === 0 ? toolReply({ name: "read", input: { path: "none" } }) : textReply("inner is done")),
  });
  await scene.say("Go.");
  const outer = await untilState("outer", "done");
  const inner = await untilState("inner", "done");
  const statesOf = (task: string) => [...new Set(changes().flatMap((one) => (one.task === task ? [one.state] : [])))];
  expect(statesOf("outer")).toEqual(["queued", "running", "done"]);
  expect(statesOf("inner")).toEqual(["queued", "running", "done"]);
  expect(outer).toMatchObject({ parentKey: MAIN, depth: 1, activity: { type: "text", text: "outer is done" } });
  expect(inner).toMatchObject({ parentKey: outer.sessionKey, depth: 2, activity: { type: "text", text: "inner is done" } });
  // What it does and uses shows while it runs.
  const working = changes().find((one) => one.task === "inner" && one.state === "running" && one.activity?.type === "tool");
  expect(working).toMatchObject({ activity: { text: "read" }, model: expect.stringContaining("/") as string });
  expect(working?.tokens).toBeGreaterThan(0);
  expect(inner.tokens).toBeGreaterThan(working?.tokens ?? 0);
  const used = (await scene.running.store.readSession(inner.sessionKey))?.usage.total;
  await client.until(() => changes().findLast((one) => one.task === "inner" && one.tokens === used));
  const { subagents } = await client.call("chat.subscribe", { sessionKey: MAIN });
  expect(subagents).toEqual(["outer", "inner"].map((task) => changes().findLast((one) => one.task === task)));
  const below = await client.call("chat.subscribe", { sessionKey: inner.sessionKey });
  expect(below.entries[0]).toMatchObject({ type: "user", text: "inner" });
  expect(below.subagents?.map(({ task }) => task)).toEqual(["outer", "inner"]);
  expect((await client.call("chat.subscribe", { sessionKey: "agent:main:elsewhere" })).subagents).toBeUndefined();
  const listed = async (filter: { readonly exceptSubagents?: boolean }) =>
    (await client.call("sessions.list", filter)).sessions.map(({ key }) => key);
  expect((await listed({})).toSorted()).toEqual([MAIN, outer.sessionKey, inner.sessionKey].toSorted());
  expect(await listed({ exceptSubagents: true })).toEqual([MAIN]);
});

test("a sub-agent is told something once, and ended with those below it; one that has ended refuses both", async () => {
  await startWatched();
  const gate = createGate();
  scene.answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("Told.") : results === 0 ? spawn("outer") : YIELD),
    outer: ({ results, text }) => {
      if (text.includes("Be quick")) return results === 2 ? YIELD : toolReply({ name: "read", input: { path: "none" } });
      return results === 0 ? spawn("inner") : YIELD;
    },
    inner: () => ({ ...textReply("never"), fault: { type: "slow-headers", until: gate } }),
  });
  await scene.platform.say(scene.platform.message("Go."));
  const { sessionKey } = await untilState("outer", "running");
  const inner = await untilState("inner", "running");
  // The end of a turn after which it waits counts, too.
  const tokens = () => changes().findLast((one) => one.task === "outer")?.tokens;
  await expect.poll(async () => (await scene.running.store.readSession(sessionKey))?.usage.calls).toBe(2);
  await expect.poll(tokens).toBe((await scene.running.store.readSession(sessionKey))?.usage.total);
  const said = { sessionKey, text: "Be quick", idempotencyKey: "k-1" };
  expect((await client.call("subagents.steer", said)).subagent).toMatchObject({ task: "outer", state: "running" });
  await client.call("subagents.steer", said);
  await expect.poll(() => scene.bodies("| Be quick").length).toBeGreaterThan(0);
  expect(scene.bodies("| Be quick").map((body) => body.split("| Be quick").length - 1)).not.toContain(2);
  const ended = await client.call("subagents.kill", { sessionKey });
  expect(ended.subagent).toMatchObject({ task: "outer", state: "killed", reason: "you asked me to end it" });
  expect(await untilState("inner", "killed")).toMatchObject({ runId: inner.runId, endedAtMs: expect.any(Number) as number });
  const { entries } = await client.call("chat.subscribe", { sessionKey });
  expect(entries.flatMap((entry) => (entry.type === "user" ? [entry.text] : []))).toEqual(["outer", "Be quick"]);
  gate.open();
  for (const key of [sessionKey, inner.sessionKey]) {
    await expect(client.call("subagents.kill", { sessionKey: key })).rejects.toThrow("conflict: This sub-agent has ended already.");
    await expect(client.call("subagents.steer", { ...said, sessionKey: key, idempotencyKey: "k-2" })).rejects.toThrow("conflict");
  }
  for (const key of [MAIN, `${sessionKey}0`]) await expect(client.call("subagents.kill", { sessionKey: key })).rejects.toThrow("not-found");
});

test("one that stays open is shown as such, with all that it has used, also after a reset of its session", async () => {
  await startWatched();
  scene.answerWith({
    "": ({ results }) =>
      results === 0 ? toolReply({ name: "sessions_spawn", input: { task: "keeper", mode: "session" } }) : textReply("Started."),
    keeper: () => textReply("first"),
  });
  await scene.say("Go.");
  const { sessionKey } = await untilState("keeper", "idle");
  const [keeper] = (await client.call("chat.subscribe", { sessionKey: MAIN })).subagents ?? [];
  expect(keeper).toMatchObject({ isPersistent: true, tokens: expect.any(Number) as number });
  await client.call("agent", { sessionKey, message: "/new", idempotencyKey: "a" });
  expect((await scene.running.store.readSession(sessionKey))?.usage.total).toBe(0);
  const { tokens, costUsd } = keeper ?? {};
  expect((await client.call("chat.subscribe", { sessionKey: MAIN })).subagents).toMatchObject([{ tokens, costUsd }]);
  expect(await scene.running.gateway.engine.parts.subagents.listOf(MAIN)).toMatchObject([{ tokens, costUsd }]);
});

test("a client that waits for the answer of a run gets the one to the results that it waits for", async () => {
  await startWatched();
  scene.answerWith({
    "": ({ results, text }) => {
      const ended = text.split("has ended: ").length - 1;
      if (ended === 0) return results === 0 ? spawn("inner", "other") : YIELD;
      return ended === 2 ? (results === 3 ? spawn("last") : YIELD) : textReply("All three are done.");
    },
    inner: () => textReply("inner is done"),
    other: () => textReply("other is done"),
    last: () => textReply("last is done"),
  });
  const result = await client.call("agent", { message: "Go.", idempotencyKey: "a" });
  expect(result).toMatchObject({ outcome: { type: "done" }, text: "All three are done." });
  // Of all turns on the way.
  expect(result.usage.total).toBe((await scene.running.store.readSession(MAIN))?.usage.total);
});

test("a client that waits for the answer of a run is told that what it waits for was stopped", async () => {
  await startWatched();
  const gate = createGate();
  scene.answerWith({
    "": ({ results }) => (results === 0 ? spawn("inner") : YIELD),
    inner: async () => (await gate.opened, textReply("inner is done")),
  });
  const waiting = client.call("agent", { message: "Go.", idempotencyKey: "a" });
  await client.until(() => client.events.find((event) => event.type === "run-end"));
  await untilState("inner", "running");
  expect(await client.call("chat.abort", { sessionKey: MAIN })).toMatchObject({ aborted: true });
  expect(await waiting).toMatchObject({ outcome: { type: "aborted" }, text: "" });
  gate.open();
});

test("nothing is said to a sub-agent that has ended, or that does not exist", async () => {
  await startWatched();
  scene.answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("Told.") : results === 0 ? spawn("inner") : YIELD),
    inner: () => textReply("inner is done"),
  });
  await scene.say("Go.");
  const { sessionKey } = await untilState("inner", "done");
  const say = async (key: string) => client.call("agent", { message: "More.", sessionKey: key, idempotencyKey: key });
  await expect(say(sessionKey)).rejects.toThrow("conflict: This sub-agent has ended.");
  await expect(say(`${sessionKey}0`)).rejects.toThrow("not-found: There is no sub-agent with the session");
  expect((await client.call("sessions.list", {})).sessions.map(({ key }) => key)).not.toContain(`${sessionKey}0`);
});

test("/subagents shows what each has started below it, and of those that have ended the newest", async () => {
  await startWatched();
  scene.answerWith({
    "": ({ text }) => {
      const newest = text.slice(Math.max(0, text.lastIndexOf('"role":"assistant"')));
      return newest.includes("has ended") ? textReply("Told.") : newest.includes("Go.") ? spawn("outer") : YIELD;
    },
    outer: ({ results, text }) => (text.includes("has ended") ? textReply("outer is done") : results === 0 ? spawn("inner") : YIELD),
    inner: () => textReply("inner is done"),
  });
  await scene.say("Go.");
  await scene.say("/subagents");
  expect(scene.texts.at(-1)).toMatch(/^1\. outer: done, .*\n {2}- inner: done, .*tokens[^\n]*$/);
  for (let count = 0; count < 11; count++) await scene.say("Go.");
  await scene.say("/subagents");
  const lines = scene.texts.at(-1)?.split("\n") ?? [];
  expect(lines.filter((line) => /^\d+\. outer/.test(line))).toHaveLength(10);
  expect(lines.at(-1)).toBe("… and 2 that ended before.");
});
