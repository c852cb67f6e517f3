import type { AnthropicServer } from "@factotum/testing-providers";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, withModel } from "../../../test/gateway-harness.ts";
import type { TestGateway } from "../../../test/gateway-harness.ts";

let model: AnthropicServer;
let running: TestGateway;
beforeEach(async () => {
  model = await startAnthropicServer();
  running = await startTestGateway({ patch: withModel(model.baseUrl) });
});
afterEach(async () => {
  expect(model.violations).toEqual([]);
  await running[Symbol.asyncDispose]();
  await model.close();
});

const WEATHER = {
  type: "function",
  name: "get_weather",
  description: "The weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } } },
};
const CALL = { type: "tool_use" as const, id: "toolu_1", name: "get_weather", input: { city: "Oslo" } };
const ASKS = { type: "message" as const, content: [{ type: "text" as const, text: "I ask." }, CALL] };

interface ResponseBody {
  readonly id: string;
  readonly status: string;
  readonly output: readonly Readonly<Record<string, unknown>>[];
  readonly error: { readonly message: string; readonly code: string; readonly param: string } | null;
}

const post = async (body: Readonly<Record<string, unknown>>, session?: string): Promise<Response> =>
  fetch(`${running.gateway.url}/v1/responses`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${running.token}`,
      "content-type": "application/json",
      ...(session === undefined ? {} : { "x-factotum-session": session }),
    },
    body: JSON.stringify({ model: "factotum", input: "hello", ...body }),
  });
const ask = async (body: Readonly<Record<string, unknown>>, session?: string): Promise<ResponseBody & { readonly http: number }> => {
  const answer = await post(body, session);
  return { http: answer.status, ...((await answer.json()) as ResponseBody) };
};
const events = (text: string): readonly Readonly<Record<string, unknown>>[] =>
  [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, type, json = "{}"]) => {
    const data = JSON.parse(json) as Readonly<Record<string, unknown>>;
    expect(data["type"]).toBe(type);
    return data;
  });
const lastBody = (): string => JSON.stringify(model.requests.at(-1)?.body);

test("a text is answered, and previous_response_id continues its conversation", async () => {
  model.script([textReply("Noted."), textReply("Swordfish.")]);
  const first = await ask({ input: "The word is swordfish.", instructions: "Answer like a pirate.", metadata: { a: "b" } });
  expect(first).toMatchObject({
    object: "response",
    status: "completed",
    model: "factotum",
    instructions: "Answer like a pirate.",
    metadata: { a: "b" },
    output: [
      { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Noted.", annotations: [] }] },
    ],
  });
  expect(lastBody()).toContain("Answer like a pirate.");
  const second = await ask({ input: "Which word?", previous_response_id: first.id });
  expect(second.output[0]).toMatchObject({ content: [{ text: "Swordfish." }] });
  expect(lastBody()).toContain("The word is swordfish.");
  // Another continuation of the first response would be another conversation.
  expect(await ask({ previous_response_id: first.id })).toMatchObject({ http: 400, error: { param: "previous_response_id" } });
});

test("calls of the client's tools are output items, and their outputs are taken with previous_response_id", async () => {
  model.script([ASKS, textReply("It rains.")]);
  const asked = await ask({ input: "Weather?", tools: [WEATHER] });
  expect(asked.output).toMatchObject([
    { type: "message" },
    { type: "function_call", call_id: "toolu_1", name: "get_weather", arguments: '{"city":"Oslo"}', status: "completed" },
  ]);
  const output = { type: "function_call_output", call_id: "toolu_1", output: "rain" };
  expect(await ask({ input: [{ ...output, call_id: "x" }], previous_response_id: asked.id, tools: [WEATHER] })).toMatchObject({
    http: 400,
    error: { param: "input", code: "invalid_tool_results", message: expect.stringMatching(/^input: no call with the id x/) },
  });
  const answered = await ask({ input: [output], previous_response_id: asked.id, tools: [WEATHER] });
  expect(answered.output).toMatchObject([{ content: [{ text: "It rains." }] }]);
  expect(lastBody()).toContain('"tool_use_id":"toolu_1"');
});

test("a history of items needs no stored response", async () => {
  model.script([textReply("It rains.")]);
  const input = [
    { role: "developer", content: "Be brief." },
    { role: "user", content: [{ type: "input_text", text: "Weather?" }] },
    { type: "reasoning", id: "rs_1", summary: [] },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "I ask." }] },
    { type: "function_call", call_id: "c1", name: "get_weather", arguments: "{}" },
    { type: "function_call", call_id: "c2", name: "get_weather", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: "rain" }] },
    { type: "function_call_output", call_id: "c2", output: "sun" },
  ];
  const answered = await ask({ input, tools: [WEATHER], store: false });
  expect(answered).toMatchObject({ status: "completed", store: false });
  for (const text of ["Be brief.", "I ask.", "rain", "sun"]) expect(lastBody()).toContain(text);
  expect(await ask({ previous_response_id: answered.id })).toMatchObject({ http: 400, error: { code: "previous_response_not_found" } });
});

test("streams numbered events, the text before the calls", async () => {
  model.script([ASKS]);
  const sent = events(await (await post({ input: "Weather?", tools: [WEATHER], stream: true })).text());
  expect(sent.map((event) => event["sequence_number"])).toEqual(sent.map((_, index) => index));
  const deltas = sent.filter(({ type }) => type === "response.output_text.delta");
  expect(deltas.map((event) => event["delta"]).join("")).toBe("I ask.");
  expect(sent.filter((event) => !deltas.includes(event)).map(({ type }) => type)).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.output_item.added",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.output_item.done",
    "response.completed",
  ]);
  expect(sent.find(({ type }) => type === "response.function_call_arguments.done")).toMatchObject({
    item_id: "fc_toolu_1",
    output_index: 1,
    arguments: '{"city":"Oslo"}',
  });
  expect(sent.at(-1)).toMatchObject({ response: { status: "completed", output: [{ type: "message" }, { type: "function_call" }] } });
});

test("an answer that reached its limit is incomplete; a failure is an error, or the last event of a stream", async () => {
  model.script([{ type: "message", content: [{ type: "text", text: "Once upon a" }], stopReason: "max_tokens" }]);
  expect(await ask({})).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
  const overloaded = {
    type: "error",
    errorType: "overloaded_error",
    message: "Overloaded",
    headers: { "retry-after": "60" },
  } as const;
  model.script([overloaded]);
  expect(await ask({})).toMatchObject({ http: 503, error: { code: "overloaded" } });
  await using other = await startTestGateway({ patch: withModel(model.baseUrl) });
  const before = running;
  running = other;
  model.script([overloaded]);
  const sent = events(await (await post({ stream: true })).text());
  running = before;
  expect(sent.at(-1)).toMatchObject({ type: "response.failed", response: { status: "failed", error: { code: "overloaded" } } });
});

test.each([
  [{ input: undefined }, "input", "input: it is missing"],
  [{ input: [{ type: "message", content: "x" }] }, "input.0.role", "input.0.role: it is missing"],
  [{ input: [{ type: "function_call_output", output: "x" }] }, "input.0", "input.0: a function_call_output has call_id and output"],
  [{ input: [{ type: "item_reference", id: "msg_1" }] }, "input.0", "input.0: items are not kept by id"],
  [{ input: [{ type: "computer_call" }] }, "input.0.type", "input.0.type: one of message"],
  [{ input: "" }, "input", "input: the last message must be the user's"],
  [{ background: true }, "background", "background: "],
  [{ conversation: "conv_1" }, "conversation", "conversation: "],
  [{ text: { format: { type: "json_object" } } }, "text.format", "text.format: only text is supported"],
  [{ tool_choice: "required" }, "tool_choice", "tool_choice: "],
  [{ tools: [{ ...WEATHER, name: "ls" }] }, "tools", "tools: ls: the agent has a tool of this name"],
  [{ previous_response_id: "resp_1" }, "previous_response_id", "previous_response_id: there is no stored response resp_1"],
  [{ model: "factotum:plain", previous_response_id: "resp_1" }, "previous_response_id", "previous_response_id: "],
])("is refused in plain words: %j", async (body, param, message) => {
  const refused = await ask(body);
  expect(refused).toMatchObject({ http: 400, error: { param } });
  expect(refused.error?.message.startsWith(message), refused.error?.message).toBe(true);
  expect(model.requests).toEqual([]);
});

test("a response of a named session is continued in it, and not under another name", async () => {
  model.script([textReply("One."), textReply("Two.")]);
  const first = await ask({}, "notes");
  expect(await ask({ previous_response_id: first.id }, "other")).toMatchObject({ http: 400, error: { param: "previous_response_id" } });
  expect((await ask({ previous_response_id: first.id }, "notes")).status).toBe("completed");
  expect((await running.store.listSessions({ limit: 10 })).items.map(({ key }) => key)).toEqual(["agent:main:http:notes"]);
});
