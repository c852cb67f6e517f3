import type { AgentEvent, ToolSchema } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import {
  answer,
  assistant,
  call,
  collect,
  outcomeOf,
  resultsOf,
  runInput,
  runOptions,
  scriptedModel,
  text,
  tool,
  user,
} from "../../test/scripted-model.ts";

const weather: ToolSchema = { name: "weather", description: "The weather.", parameters: { type: "object" } };
const stored = (events: readonly AgentEvent[]): unknown => events.find(({ type }) => type === "message-end");

test("a call of a client's tool ends the run without a result, after the agent's own calls of the same answer", async () => {
  const ran: string[] = [];
  const ls = tool("ls", ({ name }) => {
    ran.push(name);
    return Promise.resolve(text("a.txt"));
  });
  const model = scriptedModel([answer("I look.", [call("c1", "weather", { city: "Oslo" }), call("c2", "ls")])]);
  const events = await collect(runInput({ model, tools: [ls], clientTools: [weather] }));
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["ls", "weather"]);
  expect(ran).toEqual(["ls"]);
  expect(Object.keys(resultsOf(events))).toEqual(["c2"]);
  expect(outcomeOf(events)).toMatchObject({ type: "done", clientCalls: [call("c1", "weather", { city: "Oslo" })] });
  expect(stored(events)).toMatchObject({ message: { content: [{ type: "text" }, { id: "c1", client: true }, { id: "c2" }] } });
});

test("the run continues with the client's result", async () => {
  const model = scriptedModel([answer("It rains.")]);
  const asked = { ...assistant("", [call("c1", "weather")]) };
  const result = {
    role: "toolResult",
    toolCallId: "c1",
    toolName: "weather",
    content: [{ type: "text", text: "rain" }],
    isError: false,
    tainted: true,
    timestamp: 950,
  } as const;
  const events = await collect(runInput({ model, clientTools: [weather], prompt: undefined, messages: [user("hello"), asked, result] }));
  expect(model.requests[0]?.messages).toEqual([user("hello"), asked, result]);
  expect(outcomeOf(events)).toEqual({ type: "done", message: assistant("It rains.") });
});

test("a client's call is skipped when a message is steered into the run", async () => {
  const ls = tool("ls", () => Promise.resolve(text("a.txt")));
  const model = scriptedModel([answer("", [call("c1", "weather"), call("c2", "ls")]), answer("Good.")]);
  const batches = [[], [user("never mind")]];
  const steering = { take: () => Promise.resolve(batches.shift() ?? []) };
  const events = await collect(runInput({ model, tools: [ls], clientTools: [weather], steering }));
  expect(resultsOf(events)).toEqual({ c1: expect.stringContaining("was skipped"), c2: "a.txt" });
  expect(model.requests[1]?.messages.at(-1)).toEqual(user("never mind"));
  expect(outcomeOf(events)).toEqual({ type: "done", message: assistant("Good.") });
});

test("a client's call is skipped when the run is stopped meanwhile", async () => {
  const stop = new AbortController();
  const ls = tool("ls", () => {
    stop.abort(new Error("enough"));
    return Promise.resolve(text("a.txt"));
  });
  const model = scriptedModel([answer("", [call("c1", "weather"), call("c2", "ls")])]);
  const events = await collect(runInput({ model, tools: [ls], clientTools: [weather] }), runOptions({ signal: stop.signal }));
  expect(Object.keys(resultsOf(events)).toSorted()).toEqual(["c1", "c2"]);
  expect(outcomeOf(events)).toEqual({ type: "aborted", reason: "enough" });
});

test("a client's call that the output limit may have cut is answered with an error", async () => {
  const model = scriptedModel([answer("", [call("c1", "weather")], "length"), answer("Good.")]);
  const events = await collect(runInput({ model, clientTools: [weather] }));
  expect(resultsOf(events)["c1"]).toContain("reached its length limit");
  expect(outcomeOf(events)).toEqual({ type: "done", message: assistant("Good.") });
});
