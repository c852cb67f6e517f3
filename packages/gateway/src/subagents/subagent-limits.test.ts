import type { ModelSampler, ToolSource } from "@factotum/agent-contract";
import { createGate, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicReply } from "@factotum/testing-providers";
import { defineTool } from "@factotum/tools";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { spawn, SubagentScene, YIELD } from "../../test/subagent-scene.ts";

let scene: SubagentScene;
beforeEach(async () => {
  scene = await SubagentScene.open();
});
afterEach(async () => {
  expect(scene.server.violations).toEqual([]);
  await scene[Symbol.asyncDispose]();
});

test("sub-agents nest five deep, and the last one starts no others", async () => {
  await scene.start((before) => ({ ...before, maxDepth: 5 }));
  const level =
    (next: string): NonNullable<Parameters<SubagentScene["answerWith"]>[0][string]> =>
    ({ results, text }) =>
      text.includes("has ended") ? textReply("done") : results === 0 ? spawn(next) : YIELD;
  scene.answerWith({
    "": level("d1"),
    d1: level("d2"),
    d2: level("d3"),
    d3: level("d4"),
    d4: level("d5"),
    d5: ({ results }) => (results === 0 ? spawn("d6") : textReply("done")),
  });
  await scene.say("Go.");
  const rows = await scene.rows();
  expect(rows.map(({ task, depth, state }) => [task, depth, state])).toEqual([1, 2, 3, 4, 5].map((depth) => [`d${depth}`, depth, "done"]));
  expect(scene.bodies("- Task: d5").at(-1)).toContain("There is no tool called");
  expect(scene.texts).toEqual(["done"]);
});

test("of twenty tasks at once those within the limit are taken, and a few call their model at the same time", async () => {
  await scene.start((before) => ({ ...before, maxChildren: 18, maxConcurrent: 3 }));
  const tasks = Array.from({ length: 20 }, (_, index) => `t${index}`);
  let [calls, most] = [0, 0];
  const work = async (): Promise<AnthropicReply> => {
    calls += 1;
    most = Math.max(most, calls);
    // Time for a further call to begin, if one could.
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    calls -= 1;
    return textReply("done");
  };
  scene.answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("Told.") : results === 0 ? spawn(...tasks) : YIELD),
    ...Object.fromEntries(tasks.map((task) => [task, work])),
  });
  await scene.say("Go.");
  expect((await scene.rows()).map(({ state }) => state)).toEqual(tasks.slice(2).map(() => "done"));
  expect(scene.bodies("Rule children").length).toBeGreaterThan(0);
  expect(most).toBe(3);
  // All results in one turn.
  expect(scene.texts).toEqual(["Told."]);
});

test("one that is ended before its first model call brings its conversation no text of others", async () => {
  const gate = createGate();
  await scene.start((before) => ({ ...before, maxConcurrent: 1 }));
  scene.answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("Told.") : results === 0 ? spawn("first", "second") : YIELD),
    first: () => ({ ...textReply("done"), fault: { type: "slow-headers", until: gate } }),
    second: () => ({ ...textReply("done"), fault: { type: "slow-headers", until: gate } }),
  });
  await scene.platform.say(scene.platform.message("Go."));
  const states = async (): Promise<readonly string[]> => (await scene.rows()).map(({ state }) => state).toSorted();
  await expect.poll(states).toEqual(["queued", "running"]);
  const queued = (await scene.rows()).find(({ state }) => state === "queued");
  await scene.platform.say(scene.platform.message(`/subagents kill ${queued?.id.slice(0, 8)}`));
  await expect.poll(states).toEqual(["killed", "running"]);
  gate.open();
  await scene.running.gateway.engine.idle();
  const reports = (await scene.running.store.listRecentInputs(10)).filter(({ admission }) => admission.completion !== undefined);
  expect(reports.map(({ admission }) => admission.tainted)).toEqual([undefined, undefined]);
});

test("a sub-agent whose tool ignores its end is ended all the same", async () => {
  const isCalled = Promise.withResolvers<void>();
  const source: ToolSource = {
    id: "mcp:stuck",
    problem: undefined,
    prepare: async () => undefined,
    tools: [
      defineTool({
        name: "stuck",
        summary: "",
        description: "Never ends.",
        schema: z.strictObject({}),
        traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
        execute: async () => {
          isCalled.resolve();
          return new Promise(() => undefined);
        },
      }),
    ],
  };
  await scene.start(undefined, { toolSources: [source] });
  scene.answerWith({
    "": ({ results, text }) =>
      text.includes("What became of it?") ? textReply("Killed.") : results === 0 ? spawn("wait") : textReply("Asked."),
    wait: () => toolReply({ name: "stuck", input: {} }),
  });
  await scene.platform.say(scene.platform.message("Go."));
  await isCalled.promise;
  await scene.platform.waitForSends(1);
  await scene.say("/subagents kill all");
  expect(await scene.rows()).toMatchObject([{ state: "killed" }]);
  await scene.say("What became of it?");
  expect(scene.texts.at(-1)).toBe("Killed.");
});

test("one that starts others for ever ends with the budget of its tree", async () => {
  await scene.start((before) => ({ ...before, maxDepth: 2, budget: { tokens: 60_000 } }));
  scene.answerWith({
    "": ({ results, text }) => (text.includes("has ended") ? textReply("It did not stop.") : results === 0 ? spawn("endless") : YIELD),
    endless: () => spawn("more"),
    more: () => textReply("done"),
  });
  await scene.say("Go.");
  const [endless, ...others] = await scene.rows();
  expect(endless).toMatchObject({
    task: "endless",
    state: "failed",
    reason: expect.stringContaining("subagents.budget is used up") as string,
  });
  expect(others.every(({ state }) => ["done", "failed", "killed"].includes(state))).toBe(true);
  const treeId = endless?.child.tree?.id ?? "";
  await expect.poll(async () => (await scene.running.store.readTreeSpend(treeId)).tokens).toBeGreaterThanOrEqual(60_000);
  // One call, which has fewer than 10,000 tokens here, exceeds it.
  expect((await scene.running.store.readTreeSpend(treeId)).tokens).toBeLessThan(70_000);
  expect(scene.texts).toEqual(["It did not stop."]);
});

/** The model of the conversation writes for this tool, as it does for a server. */
const poems = (sampler: ModelSampler): ToolSource => ({
  id: "mcp:poems",
  problem: undefined,
  prepare: async () => undefined,
  tools: [
    defineTool({
      name: "write_poem",
      summary: "",
      description: "Writes a poem.",
      schema: z.strictObject({}),
      traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
      execute: async (_args, { run, signal }) => {
        const messages = [{ role: "user" as const, text: "Write." }];
        await sampler.sample({ systemPrompt: "- Task: poet", messages, maxOutputTokens: 50 }, { run, signal });
        return { content: [{ type: "text", text: "It is written." }] };
      },
    }),
  ],
});

test("what its tools have a model write, and the compaction of its session, use the budget of its tree", async () => {
  const using = (tokens: number, text: string): AnthropicReply => ({
    type: "message",
    content: [{ type: "text", text }],
    usage: { output_tokens: tokens },
  });
  await scene.start((before) => ({ ...before, budget: { tokens: 10_000_000 } }), {
    toolSources: ({ sampler }) => [poems(sampler)],
  });
  scene.answerWith({
    "": ({ results, text }) => {
      if (text.includes("lorem ipsum") && !text.includes("has ended a run")) return using(2_000_000, "They spoke.");
      if (text.includes("has ended a run")) return textReply("Told.");
      return results === 0
        ? toolReply({ name: "sessions_spawn", input: { task: "keeper", label: "keeper", mode: "session" } })
        : textReply("Asked.");
    },
    keeper: ({ results }) => (results === 0 ? toolReply({ name: "write_poem", input: {} }) : textReply("lorem ipsum ".repeat(2_000))),
    poet: () => using(1_000_000, "Snow falls."),
  });
  await scene.say("Go.");
  await scene.say("/subagents steer keeper More.");
  const [keeper] = await scene.rows();
  const used = async (): Promise<number> => (await scene.running.store.readTreeSpend(keeper?.child.tree?.id ?? "")).tokens;
  await expect.poll(used).toBeGreaterThan(1_000_000);
  expect(await used()).toBeLessThan(2_000_000);
  expect(await scene.running.gateway.engine.sessions.compact(keeper?.childKey ?? "", {})).toMatchObject({ how: "summary" });
  await expect.poll(used).toBeGreaterThan(3_000_000);
});
