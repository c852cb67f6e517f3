import { fileURLToPath } from "node:url";
import type { JsonObject } from "@factotum/agent-contract";
import { describe, expect, test, vi } from "vitest";
import { callTool, openScene, textOf, type Scene } from "../test/scene.ts";
import { scriptedQuestioner, type ScriptedQuestioner } from "../test/scripted-questioner.ts";

const SDK_SERVER = fileURLToPath(new URL("../test/sdk-server.ts", import.meta.url));

const FORM: JsonObject = {
  message: "Where do you live?\nhunter2",
  requestedSchema: {
    type: "object",
    properties: {
      city: { type: "string", title: "City", description: "Where you live", minLength: 2 },
      floor: { type: "integer", minimum: 0, maximum: 9 },
      lift: { type: "boolean", default: true },
    },
    required: ["city", "lift"],
  },
};

/** Has the raw server ask, and returns what it got. */
async function asked(questioner: ScriptedQuestioner | undefined, form: JsonObject = FORM): Promise<unknown> {
  await using scene = await openScene(questioner === undefined ? {} : { questioner });
  return await answerOf(scene, form);
}

async function answerOf(scene: Scene, form: JsonObject, run: object = {}): Promise<unknown> {
  const source = await scene.listed(scene.settings());
  return JSON.parse(textOf(await callTool(source, "mcp__raw_ask", form, { ...scene, run })));
}

describe("a server that wants something from the user", { timeout: 60_000 }, () => {
  test("has its user asked whether to answer, and then for each field", async () => {
    const questioner = scriptedQuestioner("Answer", "x", "Bern", "11", "-", "-");
    expect(await asked(questioner)).toEqual({ action: "accept", content: { city: "Bern", lift: true } });
    expect(questioner.asked.map(({ question }) => question)).toEqual([
      {
        question: [
          "The MCP server raw asks you, in its own words:",
          "> Where do you live?",
          "> ***",
          "It wants: City, floor (optional), lift (optional). What you answer goes to the server.",
        ].join("\n"),
        options: ["Answer", "Decline"],
      },
      { question: "City: Where you live\nAnswer cancel to stop.", options: [] },
      { question: "At least 2 characters are expected. City: Where you live\nAnswer cancel to stop.", options: [] },
      { question: "floor\nA whole number from 0 to 9. Answer - to leave it out. Answer cancel to stop.", options: [] },
      {
        question:
          "A whole number from 0 to 9 is expected. floor\nA whole number from 0 to 9. Answer - to leave it out. Answer cancel to stop.",
        options: [],
      },
      { question: "lift\nAnswer - for true. Answer cancel to stop.", options: ["Yes", "No"] },
    ]);
    expect(new Set(questioner.asked.map(({ callId }) => callId)).size).toBe(6);
  });

  test("shows no secret that it puts into the descriptions of its fields", async () => {
    const questioner = scriptedQuestioner("Answer", "Bern");
    const city = { type: "string", title: "City", description: "Where hunter2 lives" };
    await asked(questioner, { message: "Where?", requestedSchema: { type: "object", properties: { city }, required: ["city"] } });
    expect(questioner.asked.at(-1)?.question).toMatchObject({ question: "City: Where *** lives\nAnswer cancel to stop." });
  });

  test.each([
    ["the user declines", ["Decline"], "decline"],
    ["the user says something else", ["what is this?"], "decline"],
    ["the user stops", ["Answer", "cancel"], "cancel"],
    ["no answer fits", ["Answer", "x", "y", "z"], "cancel"],
    ["an answer fails to come", ["Answer"], "cancel"],
    ["no answer comes", [], "cancel"],
  ])("gets a no when %s", async (_, answers, action) => {
    expect(await asked(scriptedQuestioner(...answers))).toEqual({ action });
  });

  test("gets a no where there is no one to ask, for a form that asks for a secret, and for a link", async () => {
    expect(await asked(undefined)).toEqual({ action: "cancel" });
    const questioner = scriptedQuestioner("Answer");
    for (const name of ["password", "apiKey", "PIN"]) {
      const form = { message: "Log in", requestedSchema: { type: "object", properties: { [name]: { type: "string" } } } };
      expect(await asked(questioner, form)).toEqual({ action: "decline" });
    }
    expect(await asked(questioner, { mode: "url", message: "Log in", url: "https://evil.example/", elicitationId: "1" })).toMatchObject({
      code: -32_602,
    });
    expect(questioner.asked).toEqual([]);
  });

  test("cannot use up the time of its call while the user thinks, and the question ends with the call", async () => {
    const questioner = scriptedQuestioner();
    await using scene = await openScene({ questioner });
    const source = await scene.listed(scene.settings({ timeoutMs: 20_000 }));
    questioner.answer = () => {
      scene.clock.fire(20_000);
      return "Decline";
    };
    expect(JSON.parse(textOf(await callTool(source, "mcp__raw_ask", FORM, scene)))).toEqual({ action: "decline" });

    const stop = new AbortController();
    const wanted = Promise.withResolvers<AbortSignal | undefined>();
    questioner.answer = async (_, { signal }) => {
      wanted.resolve(signal);
      return new Promise((resolve) => {
        signal?.addEventListener("abort", () => resolve(undefined));
      });
    };
    const call = callTool(source, "mcp__raw_ask", FORM, { ...scene, signal: stop.signal });
    const signal = await wanted.promise;
    expect(signal?.aborted).toBe(false);
    stop.abort();
    await call;
    expect(signal?.aborted).toBe(true);
  });

  test.each([
    ["a no", ["Accept", "Decline", "Accept"], ["accept", "decline", "decline", "decline"], 2],
    ["no answer", ["Accept"], ["accept", "cancel", "decline"], 2],
    ["five forms", Array.from({ length: 9 }, () => "Accept"), [...Array.from({ length: 5 }, () => "accept"), "decline"], 5],
  ])("shows no other form after %s in a call; the next call may ask again", async (_what, answers, actions, shown) => {
    const questioner = scriptedQuestioner(...answers);
    await using scene = await openScene({ questioner });
    const source = await scene.listed(scene.settings());
    const often = async (): Promise<unknown> =>
      JSON.parse(textOf(await callTool(source, "mcp__raw_ask-often", { times: actions.length }, scene)));
    expect(await often()).toEqual(actions);
    expect(questioner.asked).toHaveLength(shown);
    await often();
    expect(questioner.asked.length).toBeGreaterThan(shown);
  });

  test("asks no one when calls of several conversations run: it does not say for which it asks", async () => {
    const questioner = scriptedQuestioner("Answer");
    await using scene = await openScene({ questioner });
    const source = await scene.listed(scene.settings());
    const stop = new AbortController();
    const other = callTool(source, "mcp__raw_hang", {}, { ...scene, run: { runId: "other" }, signal: stop.signal });
    await vi.waitFor(() => expect(scene.asked()).toContain("tools/call"));
    expect(await answerOf(scene, FORM)).toEqual({ action: "cancel" });
    expect(questioner.asked).toEqual([]);
    stop.abort();
    await other;
  });

  test("may ask in the rounds of the newest revision, one question at a time", async () => {
    const questioner = scriptedQuestioner("Answer", "Bern", "Accept");
    await using scene = await openScene({ questioner });
    const source = await scene.listed(scene.settings({ args: [SDK_SERVER] }));
    const [state, responses] = JSON.parse(textOf(await callTool(source, "mcp__raw_ask", {}, scene))) as readonly [unknown, object];
    expect(state).toBe("kept");
    expect(responses).toMatchObject({ first: { action: "accept", content: { city: "Bern" } }, second: { action: "accept", content: {} } });
    expect(questioner.asked.map(({ question }) => question.options)).toEqual([["Answer", "Decline"], [], ["Accept", "Decline"]]);
  });
});
