import type {
  AgentMessage,
  AssistantMessage,
  JsonObject,
  ModelClient,
  ModelEvent,
  ModelRequest,
  ToolResultMessage,
} from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import {
  answer,
  assistant,
  call,
  collect,
  outcomeOf,
  resultsOf,
  runInput,
  scriptedModel,
  text,
  tool,
  user,
} from "../../test/scripted-model.ts";
import { projectMessages, TOOL_CALL, unwrapDeferredCalls } from "../index.ts";

const carrier = tool(TOOL_CALL, async () => ({ ...text("there is no such tool"), isError: true }));
const callsOf = (message: AgentMessage | undefined): readonly unknown[] =>
  message?.role === "assistant" ? message.content.filter(({ type }) => type === "toolCall") : [];

async function streamOf(model: ModelClient): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream({} as ModelRequest, { signal: new AbortController().signal })) events.push(event);
  return events;
}

/** Runs one call of `tool_call` with these arguments, where `paint` is deferred. */
async function callWith(args: JsonObject): Promise<{
  readonly ran: readonly JsonObject[];
  readonly message: AssistantMessage | undefined;
  readonly again: readonly AgentMessage[];
  readonly results: readonly ToolResultMessage[];
}> {
  const ran: JsonObject[] = [];
  const paint = tool("paint", async ({ arguments: given }) => {
    ran.push(given);
    return text("painted");
  });
  const script = scriptedModel([answer("", [call("c1", TOOL_CALL, args)]), answer("Done")]);
  const model = unwrapDeferredCalls(script, (name) => name === "paint");
  const events = await collect({ ...runInput({ model, tools: [carrier] }), deferred: [paint] });
  const first = events.find((event) => event.type === "message-end");
  expect(outcomeOf(events)).toMatchObject({ type: "done" });
  return {
    ran,
    message: first?.message,
    again: script.requests[1]?.messages ?? [],
    results: events.flatMap((event) => (event.type === "tool-end" ? [event.result] : [])),
  };
}

describe("a call through tool_call", () => {
  test("is a call of the real tool for everybody but the model, which gets back what it wrote", async () => {
    const { ran, message, again, results } = await callWith({ name: "paint", arguments: { colour: "red" } });
    expect(ran).toEqual([{ colour: "red" }]);
    expect(callsOf(message)).toEqual([{ type: "toolCall", id: "c1", name: "paint", arguments: { colour: "red" }, deferred: true }]);
    expect(results).toMatchObject([{ toolCallId: "c1", toolName: "paint", isError: false }]);
    expect(callsOf(again[1])).toEqual([
      { type: "toolCall", id: "c1", name: TOOL_CALL, arguments: { name: "paint", arguments: { colour: "red" } } },
    ]);
    expect(again[2]).toMatchObject({ role: "toolResult", toolCallId: "c1", toolName: TOOL_CALL });
    expect(projectMessages(again)).toEqual(again);
  });

  test.each<[string, JsonObject, JsonObject]>([
    ["written as a string", { name: "paint", arguments: '{"colour":"red"}' }, { colour: "red" }],
    ["left out", { name: "paint" }, {}],
    ["null", { name: "paint", arguments: null }, {}],
  ])("takes arguments %s", async (_, given, expected) => {
    expect((await callWith(given)).ran).toEqual([expected]);
  });

  test.each<[string, JsonObject]>([
    ["an unknown tool", { name: "print", arguments: {} }],
    ["no name", { arguments: {} }],
    ["a name that is no text", { name: 1, arguments: {} }],
    ["itself", { name: TOOL_CALL, arguments: { name: "paint", arguments: {} } }],
    ["arguments that are a list", { name: "paint", arguments: ["red"] }],
    ["arguments that are no JSON", { name: "paint", arguments: "red" }],
    ["arguments that are the JSON of a number", { name: "paint", arguments: "1" }],
    ["parameters beside the arguments", { name: "paint", arguments: {}, colour: "red" }],
  ])("of %s stays one of tool_call, and runs nothing", async (_, given) => {
    const { ran, message, again, results } = await callWith(given);
    expect(ran).toEqual([]);
    expect(callsOf(message)).toEqual([{ type: "toolCall", id: "c1", name: TOOL_CALL, arguments: given }]);
    expect(callsOf(again[1])).toEqual(callsOf(message));
    expect(results).toMatchObject([{ toolName: TOOL_CALL, isError: true }]);
  });

  test("keeps what the provider wants back with it", async () => {
    const written = {
      type: "toolCall",
      id: "c1",
      name: TOOL_CALL,
      arguments: { name: "paint", arguments: {} },
      providerData: { signature: "s" },
    } as const;
    const message = { ...assistant(""), content: [written], stopReason: "toolUse" } as const;
    const model = unwrapDeferredCalls(scriptedModel([[{ type: "message-end", message }]]), () => true);
    const [event] = await streamOf(model);
    const unwrapped = event?.type === "message-end" ? event.message : undefined;
    expect(callsOf(unwrapped)).toMatchObject([{ name: "paint", providerData: { signature: "s" } }]);
    expect(callsOf(projectMessages([user("hi"), ...(unwrapped === undefined ? [] : [unwrapped])])[1])).toEqual([written]);
  });

  test("that could not be read stays as it is", async () => {
    const written = { type: "toolCall", id: "c1", name: TOOL_CALL, arguments: {}, unreadable: "cut" } as const;
    const message = { ...assistant(""), content: [written], stopReason: "toolUse" } as const;
    const model = unwrapDeferredCalls(scriptedModel([[{ type: "message-end", message }]]), () => true);
    const [event] = await streamOf(model);
    expect(event).toEqual({ type: "message-end", message });
  });
});

test("other answers pass unchanged, as the same objects", async () => {
  const events = answer("Hi", [call("c1", "paint")]);
  const model = unwrapDeferredCalls(scriptedModel([events]), () => true);
  const passed = await streamOf(model);
  expect(passed.at(-1)).toMatchObject({ message: { content: [{ text: "Hi" }, { name: "paint" }] } });
  const [last, given] = [passed.at(-1), events.at(-1)];
  expect(last?.type === "message-end" && given?.type === "message-end" && last.message === given.message).toBe(true);
});

test("a deferred tool is not in the request, and is not named to a model that calls an unknown one", async () => {
  const paint = tool("paint", async () => text("painted"));
  const script = scriptedModel([answer("", [call("c1", "print")]), answer("Done")]);
  const events = await collect({ ...runInput({ model: script, tools: [carrier] }), deferred: [paint] });
  expect(script.requests[0]?.tools.map(({ name }) => name)).toEqual([TOOL_CALL]);
  expect(JSON.stringify(resultsOf(events))).toContain(`The tools are: ${TOOL_CALL}.`);
});
