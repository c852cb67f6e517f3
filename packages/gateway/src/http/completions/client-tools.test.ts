import type { FactotumConfig } from "@factotum/config";
import type { AnthropicServer } from "@factotum/testing-providers";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, withModel } from "../../../test/gateway-harness.ts";
import { JumpingClock } from "../../../test/jumping-clock.ts";
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
  function: {
    name: "get_weather",
    description: "The weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const CALL = { type: "tool_use" as const, id: "toolu_1", name: "get_weather", input: { city: "Oslo" } };
const ASKS = { type: "message" as const, content: [{ type: "text" as const, text: "I ask." }, CALL] };
const user = (content: string): object => ({ role: "user", content });
const result = (content: string, id = "toolu_1"): object => ({ role: "tool", tool_call_id: id, content });

interface Completion {
  readonly choices: readonly [
    {
      readonly finish_reason: string;
      readonly message: { readonly content: string | null; readonly tool_calls?: readonly { readonly id: string }[] };
    },
  ];
  readonly error?: { readonly message: string; readonly code: string; readonly param: string };
}

const post = async (body: Readonly<Record<string, unknown>>, session?: string): Promise<Response> =>
  fetch(`${running.gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${running.token}`,
      "content-type": "application/json",
      ...(session === undefined ? {} : { "x-factotum-session": session }),
    },
    body: JSON.stringify({ model: "factotum", tools: [WEATHER], ...body }),
  });
const ask = async (messages: readonly object[], session?: string, body: object = {}): Promise<Completion & { status: number }> => {
  const answer = await post({ messages, ...body }, session);
  return { status: answer.status, ...((await answer.json()) as Completion) };
};
const lastBody = (): string => JSON.stringify(model.requests.at(-1)?.body);
const toolNames = (index: number): readonly unknown[] => {
  const tools = model.requests.at(index)?.body?.["tools"];
  return Array.isArray(tools) ? tools.map((tool: { readonly name?: unknown }) => tool.name) : [];
};

describe("in a session", () => {
  test("a call goes to the client, and its result back to the model", async () => {
    model.script([ASKS, textReply("It rains.")]);
    const asked = await ask([user("Weather in Oslo?")], "s");
    expect(asked.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        role: "assistant",
        content: "I ask.",
        tool_calls: [{ id: "toolu_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } }],
      },
    });
    expect(toolNames(-1).at(-1)).toBe("get_weather");
    // Only the schema is sent: the system prompt does not name it.
    expect(JSON.stringify(model.requests.at(-1)?.body?.["system"])).not.toContain("get_weather");
    const answered = await ask([result("rain, 4 degrees")], "s");
    expect(answered.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "It rains." } });
    expect(lastBody()).toMatch(/"tool_result","tool_use_id":"toolu_1","content":\[?[^\]]*rain, 4 degrees/);
    const { items } = await running.store.listSessions({ limit: 10 });
    const { items: entries } = await running.store.readTranscript(items[0]?.sessionId ?? "", { limit: 20 });
    expect(entries.flatMap((entry) => (entry.type === "message" ? [entry.message.role] : []))).toEqual([
      "user",
      "assistant",
      "toolResult",
      "assistant",
    ]);
    // Whose text a client's tool returns is not known (R23).
    expect(entries).toContainEqual(expect.objectContaining({ message: expect.objectContaining({ role: "toolResult", tainted: true }) }));
  });

  test("the agent's own calls of the same answer run first", async () => {
    model.script([
      { type: "message", content: [CALL, { type: "tool_use", id: "toolu_2", name: "ls", input: { path: "." } }] },
      textReply("It rains."),
    ]);
    const asked = await ask([user("Weather?")], "s");
    expect(asked.choices[0].message).toMatchObject({ content: null, tool_calls: [{ id: "toolu_1" }] });
    expect(asked.choices[0].message.tool_calls).toHaveLength(1);
    await ask([result("rain")], "s");
    const body = lastBody();
    expect(body.indexOf('"tool_use_id":"toolu_1"')).toBeGreaterThan(0);
    expect(body.indexOf('"tool_use_id":"toolu_2"')).toBeGreaterThan(body.indexOf('"tool_use_id":"toolu_1"'));
  });

  test("a call that the client did not answer has an error as its result when the next message comes", async () => {
    model.script([ASKS, textReply("Well.")]);
    await ask([user("Weather?")], "s");
    expect((await ask([user("Are you there?")], "s")).choices[0].message.content).toBe("Well.");
    expect(lastBody()).toContain("The client did not answer this call.");
    const late = await ask([result("rain")], "s");
    expect(late).toMatchObject({ status: 400, error: { code: "invalid_tool_results", param: "messages" } });
  });

  test("results must be those of the calls that wait", async () => {
    model.script([{ type: "message", content: [CALL, { ...CALL, id: "toolu_2" }] }, textReply("Good.")]);
    await ask([user("Weather?")], "s");
    const requests = model.requests.length;
    for (const [results, message] of [
      [[result("x", "toolu_9")], "toolu_9"],
      [[result("x")], "toolu_2"],
      [[result("x"), result("y"), result("z", "toolu_2")], "two were sent"],
    ] as const) {
      const refused = await ask(results, "s");
      expect(refused).toMatchObject({ status: 400, error: { code: "invalid_tool_results" } });
      expect(refused.error?.message).toContain(message);
    }
    expect(model.requests).toHaveLength(requests);
    expect((await ask([result("x"), result("z", "toolu_2"), user("Go on.")], "s")).choices[0].message.content).toBe("Good.");
    expect(lastBody()).toContain("Go on.");
  });

  test("a request without tools keeps the prompt; a call without a client is answered with an error", async () => {
    model.script([textReply("One."), ASKS, textReply("Two.")]);
    await ask([user("One?")], "s");
    expect((await ask([user("Two?")], "s", { tools: undefined })).choices[0]).toMatchObject({ finish_reason: "stop" });
    expect(toolNames(-1)).toEqual(toolNames(0));
    expect(lastBody()).toContain("get_weather is no longer available");
  });

  test("a result for a conversation that was reset meanwhile reaches the model as text", async () => {
    model.script([ASKS, textReply("I see.")]);
    const clock = new JumpingClock();
    const resetsWhenIdle = (config: FactotumConfig): FactotumConfig => ({
      ...withModel(model.baseUrl)(config),
      session: { ...config.session, reset: { mode: "idle", atHour: 4, idleMinutes: 60 } },
    });
    await using other = await startTestGateway({ clock, patch: resetsWhenIdle });
    const ownRunning = running;
    try {
      running = other;
      await ask([user("Weather?")], "s");
      clock.jump(48 * 60 * 60_000);
      expect((await ask([result("rain")], "s")).choices[0].message.content).toBe("I see.");
    } finally {
      running = ownRunning;
    }
    expect(lastBody()).toContain("[Result of toolu_1]\\nrain");
    expect(lastBody()).not.toContain("tool_result");
  });
});

describe("without a session", () => {
  test("the history of the request has the calls, and the results follow", async () => {
    model.script([ASKS, textReply("It rains.")]);
    const asked = await ask([user("Weather in Oslo?")]);
    const answered = await ask([user("Weather in Oslo?"), asked.choices[0].message, result("rain")]);
    expect(answered.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "It rains." } });
    expect(lastBody()).toContain("Weather in Oslo?");
    expect(lastBody()).toContain('"tool_use_id":"toolu_1"');
    expect(await ask([user("Weather?"), asked.choices[0].message, result("rain", "toolu_7")])).toMatchObject({
      status: 400,
      error: { code: "invalid_tool_results" },
    });
  });

  // What the clients send after a call: with an index and a text at Open WebUI, with an empty text and a name at LibreChat.
  test.each([
    ["Open WebUI", { content: "I ask.", tool_calls: [{ index: 0, id: "toolu_1" }] }, {}, { features: {}, session_id: "x" }],
    [
      "LibreChat",
      { content: "", tool_calls: [{ id: "toolu_1" }] },
      { name: "get_weather" },
      { temperature: 1, stream_options: { include_usage: true } },
    ],
  ])("the next request in the shape of %s is taken", async (_client, { content, tool_calls: calls }, more, parameters) => {
    model.script([ASKS, textReply("It rains.")]);
    await (await post({ messages: [user("Weather?")], stream: true, ...parameters })).text();
    const called = { type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } };
    const assistant = { role: "assistant", content, tool_calls: calls.map((call) => ({ ...called, ...call })) };
    const messages = [user("Weather?"), assistant, { ...result("rain"), ...more }];
    const stream = await (await post({ messages, stream: true, ...parameters })).text();
    expect(stream).toContain('"finish_reason":"stop"');
    expect([...stream.matchAll(/"content":"([^"]*)"/g)].map(([, text]) => text).join("")).toBe("It rains.");
    expect(lastBody()).toContain('"tool_use_id":"toolu_1"');
  });

  test("streams the calls as deltas", async () => {
    model.script([{ type: "message", content: [CALL, { ...CALL, id: "toolu_2" }] }]);
    const stream = await (await post({ messages: [user("Weather?")], stream: true })).text();
    const chunks = [...stream.matchAll(/^data: (\{.*\})$/gm)].map(
      ([, json = "{}"]) =>
        (JSON.parse(json) as { readonly choices: readonly { readonly delta: object; readonly finish_reason: string | null }[] }).choices[0],
    );
    expect(chunks.at(-2)?.delta).toEqual({
      tool_calls: [
        { index: 0, id: "toolu_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
        { index: 1, id: "toolu_2", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
      ],
    });
    expect(chunks.at(-1)).toMatchObject({ delta: {}, finish_reason: "tool_calls" });
  });

  test("the plain model is offered the client's tools alone", async () => {
    model.script([ASKS, textReply("It rains.")]);
    const asked = await ask([user("Weather?")], undefined, { model: "factotum:plain" });
    expect(asked.choices[0].finish_reason).toBe("tool_calls");
    expect(toolNames(-1)).toEqual(["get_weather"]);
    const answered = await ask([user("Weather?"), asked.choices[0].message, result("rain")], undefined, { model: "factotum:plain" });
    expect(answered.choices[0].message.content).toBe("It rains.");
  });
});

describe("the tools of a request", () => {
  const named = (name: string): object => ({ ...WEATHER, function: { ...WEATHER.function, name } });

  test.each([
    [[named("ls")], "tool_name_taken", "ls: the agent has a tool of this name"],
    [[named("a b")], "invalid_value", "a b: its name does not fit"],
    [[WEATHER, WEATHER], "invalid_value", "another tool has this name"],
    [Array.from({ length: 129 }, (_, index) => named(`t${index}`)), "invalid_value", "only 128 tools"],
  ])("are refused if they cannot be offered: %#", async (tools, code, message) => {
    const refused = await ask([user("hello")], undefined, { tools });
    expect(refused).toMatchObject({ status: 400, error: { code, param: "tools" } });
    expect(refused.error?.message).toContain(message);
    expect(model.requests).toEqual([]);
  });

  test("may have the name of one of the agent's own for the plain model", async () => {
    model.script([textReply("Hello.")]);
    await ask([user("hello")], undefined, { tools: [named("ls")], model: "factotum:plain" });
    expect(toolNames(-1)).toEqual(["ls"]);
  });

  test.each([
    ["none", []],
    ["auto", ["get_weather", "get_time"]],
    [
      { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "get_time" } }] } },
      ["get_time"],
    ],
  ])("are those that tool_choice leaves: %j", async (choice, offered) => {
    model.script([textReply("Hello.")]);
    await ask([user("hello")], undefined, { tools: [WEATHER, named("get_time")], tool_choice: choice });
    expect(toolNames(-1).filter((name) => String(name).startsWith("get_"))).toEqual(offered);
  });

  test("other types are ignored and named", async () => {
    model.script([textReply("Hello.")]);
    const answer = await post({ messages: [user("hello")], tools: [{ type: "web_search" }, { ...WEATHER, function: { name: "bare" } }] });
    expect(answer.headers.get("x-factotum-ignored")).toBe("tools");
    expect(toolNames(-1).at(-1)).toBe("bare");
  });
});
