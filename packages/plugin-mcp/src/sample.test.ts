import type { JsonObject, ModelSampler, SamplingOutcome, SamplingRequest } from "@factotum/agent-contract";
import { describe, expect, test, vi } from "vitest";
import { callTool, openScene, textOf, type Scene } from "../test/scene.ts";
import { scriptedQuestioner, type ScriptedQuestioner } from "../test/scripted-questioner.ts";

const user = (text: string): JsonObject => ({ role: "user", content: { type: "text", text } });
const HAIKU: JsonObject = { systemPrompt: "You are a poet.", messages: [user("A haiku,\nhunter2.")], maxTokens: 100_000 };
const REJECTED = { code: -1, message: "User rejected sampling request" };
const MAY = { trusted: true, sampling: true };

interface FakeSampler extends ModelSampler {
  readonly requests: { readonly request: SamplingRequest; readonly runId: string }[];
}

function fakeSampler(outcome: SamplingOutcome = { type: "written", text: "Snow falls.", model: "x/y", isCut: false }): FakeSampler {
  const requests: FakeSampler["requests"] = [];
  return {
    requests,
    sample: async (request, { run }) => {
      requests.push({ request, runId: run.runId });
      return Promise.resolve(outcome);
    },
  };
}

async function answerOf(scene: Scene, request: JsonObject = HAIKU, more: object = MAY): Promise<unknown> {
  const source = await scene.listed(scene.settings(more));
  return JSON.parse(textOf(await callTool(source, "mcp__raw_sample", request, scene)));
}

/** Has the raw server ask, and returns what it got. */
async function sampled(questioner: ScriptedQuestioner | undefined, sampler: ModelSampler | undefined, request = HAIKU): Promise<unknown> {
  await using scene = await openScene({
    ...(questioner === undefined ? {} : { questioner }),
    ...(sampler === undefined ? {} : { sampler }),
  });
  return await answerOf(scene, request);
}

describe("a server that wants the model to write for it", { timeout: 60_000 }, () => {
  test("gets the text when its user allows the request, which they are shown", async () => {
    const questioner = scriptedQuestioner("Allow");
    const sampler = fakeSampler();
    expect(await sampled(questioner, sampler)).toEqual({
      role: "assistant",
      content: { type: "text", text: "Snow falls." },
      model: "x/y",
      stopReason: "endTurn",
    });
    expect(questioner.asked.map(({ question, runId }) => ({ question, runId }))).toEqual([
      {
        runId: "run",
        question: {
          question: [
            "The MCP server raw wants the model to write for it, at most 4096 tokens, at your expense. It asks, in its own words:",
            "> system: You are a poet.",
            "> user: A haiku,",
            "> ***.",
            "The answer goes to the server.",
          ].join("\n"),
          options: ["Allow", "Decline"],
        },
      },
    ]);
    const request = { systemPrompt: "You are a poet.", messages: [{ role: "user", text: "A haiku,\n***." }], maxOutputTokens: 4_096 };
    expect(sampler.requests).toEqual([{ request, runId: "run" }]);
  });

  test("may send a dialogue of several blocks, of which an excerpt is shown, and learns that the answer was cut", async () => {
    const questioner = scriptedQuestioner("yes");
    const sampler = fakeSampler({ type: "written", text: "Snow", model: "x/y", isCut: true });
    const blocks = [
      { type: "text", text: "a".repeat(1_200) },
      { type: "text", text: "b" },
    ];
    const messages = [{ role: "user", content: blocks }, { role: "assistant", content: { type: "text", text: "Hm." } }, user("Go on")];
    expect(await sampled(questioner, sampler, { messages, maxTokens: 7 })).toMatchObject({ stopReason: "maxTokens" });
    const lines = questioner.asked[0]?.question.question.split("\n") ?? [];
    expect(lines.slice(1)).toEqual([
      `> user: ${"a".repeat(994)}`,
      "These are the first 1000 of 1235 characters.",
      "The answer goes to the server.",
    ]);
    expect(sampler.requests[0]?.request).toEqual({
      systemPrompt: "",
      messages: [
        { role: "user", text: `${"a".repeat(1_200)}\nb` },
        { role: "assistant", text: "Hm." },
        { role: "user", text: "Go on" },
      ],
      maxOutputTokens: 7,
    });
  });

  test.each([
    ["their user declines", ["Decline"]],
    ["their user says something else", ["what is this?"]],
    ["no answer comes", []],
  ])("is rejected when %s", async (_, answers) => {
    const sampler = fakeSampler();
    expect(await sampled(scriptedQuestioner(...answers), sampler)).toEqual(REJECTED);
    expect(sampler.requests).toEqual([]);
  });

  test("is rejected where there is no one to ask, or no model", async () => {
    const questioner = scriptedQuestioner("Allow");
    expect(await sampled(undefined, fakeSampler())).toEqual(REJECTED);
    expect(await sampled(questioner, undefined)).toEqual(REJECTED);
    expect(questioner.asked).toEqual([]);
  });

  test.each([
    ["tools are not supported", { tools: [{ name: "a", inputSchema: { type: "object" } }] }],
    ["includeContext is not supported", { includeContext: "thisServer" }],
    ["only text content is supported", { messages: [{ role: "user", content: { type: "image", data: "AAAA", mimeType: "image/png" } }] }],
    ["the first and the last message have to be the user's", { messages: [] }],
    ["the first and the last message have to be the user's", { messages: [{ role: "assistant", content: { type: "text", text: "I" } }] }],
    ["maxTokens has to be a positive integer", { maxTokens: 0 }],
    ["at most 100 messages are taken", { messages: Array.from({ length: 101 }, () => user("a")) }],
    ["the request has more than 100000 characters", { messages: [user("a".repeat(50_000)), user("a".repeat(49_990))] }],
  ])("is refused without a question: %s", async (message, more) => {
    const questioner = scriptedQuestioner("Allow");
    const sampler = fakeSampler();
    expect(await sampled(questioner, sampler, { ...HAIKU, ...more } as JsonObject)).toMatchObject({ code: -32_602, message });
    expect([questioner.asked, sampler.requests]).toEqual([[], []]);
  });

  test("is not told why the model could not answer", async () => {
    const sampler = fakeSampler({ type: "failed", message: "The cap of $5 is reached." });
    await using scene = await openScene({ questioner: scriptedQuestioner("Allow"), sampler });
    expect(await answerOf(scene)).toEqual({ code: -32_603, message: "The model could not answer" });
    expect(scene.logged.join("\n")).toContain("The cap of $5 is reached.");
  });

  test.each([
    ["a no", ["Allow", "Decline", "Allow"], ["written", -1, -1], 2],
    ["five requests", Array.from({ length: 9 }, () => "Allow"), [...Array.from({ length: 5 }, () => "written"), -1], 5],
  ])("is not asked about again after %s in a call; the next call may ask again", async (_what, answers, wanted, shown) => {
    const questioner = scriptedQuestioner(...answers);
    await using scene = await openScene({ questioner, sampler: fakeSampler() });
    const source = await scene.listed(scene.settings(MAY));
    const often = async (): Promise<unknown> =>
      JSON.parse(textOf(await callTool(source, "mcp__raw_sample-often", { times: wanted.length }, scene)));
    expect(await often()).toEqual(wanted);
    expect(questioner.asked).toHaveLength(shown);
    await often();
    expect(questioner.asked.length).toBeGreaterThan(shown);
  });

  test.each([
    ["by default", {}],
    ["unless it is trusted", { sampling: true }],
    ["because it is trusted", { trusted: true }],
  ])("is not offered it %s", async (_, more) => {
    const questioner = scriptedQuestioner("Allow");
    await using scene = await openScene({ questioner, sampler: fakeSampler() });
    const source = await scene.listed(scene.settings(more));
    expect(textOf(await callTool(source, "mcp__raw_sample", HAIKU, scene))).toBe("no sampling");
    expect(textOf(await callTool(source, "mcp__raw_sample", { ...HAIKU, anyway: true }, scene))).toContain("-32601");
    expect(questioner.asked).toEqual([]);
  });

  test("asks no one when calls of several conversations run", async () => {
    const questioner = scriptedQuestioner("Allow");
    await using scene = await openScene({ questioner, sampler: fakeSampler() });
    const source = await scene.listed(scene.settings(MAY));
    const stop = new AbortController();
    const other = callTool(source, "mcp__raw_hang", {}, { ...scene, run: { runId: "other" }, signal: stop.signal });
    await vi.waitFor(() => expect(scene.asked()).toContain("tools/call"));
    expect(await answerOf(scene)).toEqual(REJECTED);
    expect(questioner.asked).toEqual([]);
    stop.abort();
    await other;
  });

  test("cannot use up the time of its call, and the request to the model ends with the call", async () => {
    const stop = new AbortController();
    const reached = Promise.withResolvers<AbortSignal>();
    const sampler: ModelSampler = {
      sample: async (_, { signal }) => {
        reached.resolve(signal);
        return new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("Stopped.")));
        });
      },
    };
    await using scene = await openScene({ questioner: scriptedQuestioner("Allow"), sampler });
    const source = await scene.listed(scene.settings({ ...MAY, timeoutMs: 20_000 }));
    const call = callTool(source, "mcp__raw_sample", HAIKU, { ...scene, signal: stop.signal });
    const signal = await reached.promise;
    scene.clock.fire(20_000);
    expect(signal.aborted).toBe(false);
    stop.abort();
    await call;
    expect(signal.aborted).toBe(true);
  });
});
