import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

let model: AnthropicServer;
let product: Product;

const config = (baseUrl: string): unknown => ({
  agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
  models: { providers: { anthropic: { baseUrl, apiKey: "sk-ant-test-0123456789" } } },
});
const clientOf = ({ url, token }: Product): OpenAI => new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });

beforeAll(async () => {
  model = checkedOfficially(await startAnthropicServer(), "anthropic-messages");
  product = await startProduct({ config: config(model.baseUrl) });
});

afterAll(async () => {
  expect(model.violations).toEqual([]);
  await product[Symbol.asyncDispose]();
  await model.close();
});

const parameters = { type: "object" as const, properties: { city: { type: "string" as const } }, required: ["city"] };
const tool = { type: "function" as const, function: { name: "get_weather", description: "The weather of a city.", parameters } };
const question = [{ role: "user" as const, content: "Weather in Oslo?" }];
const asks = (id: string): Parameters<AnthropicServer["script"]>[0][number] => ({
  type: "message",
  content: [
    { type: "text", text: "I ask." },
    { type: "tool_use", id, name: "get_weather", input: { city: "Oslo" } },
  ],
});

test("the OpenAI client runs its own tool in a loop of its own, streamed and whole", async () => {
  for (const stream of [false, true] as const) {
    model.script([asks("toolu_1"), textReply("It rains in Oslo.")]);
    const cities: string[] = [];
    const call = {
      type: "function" as const,
      function: {
        ...tool.function,
        parse: (text: string): { readonly city: string } => JSON.parse(text) as { readonly city: string },
        function: ({ city }: { readonly city: string }): string => {
          cities.push(city);
          return "rain";
        },
      },
    };
    const options = { model: "factotum", messages: question, tools: [call] };
    const run = stream
      ? clientOf(product).chat.completions.runTools({ ...options, stream })
      : clientOf(product).chat.completions.runTools({ ...options, stream });
    expect(await run.finalContent()).toBe("It rains in Oslo.");
    expect(cities).toEqual(["Oslo"]);
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("rain");
  }
});

test("a call outlives the gateway: its result is taken after a crash, and the agent's own result is kept", async () => {
  await using first = await startProduct({ config: config(model.baseUrl) });
  const headers = { "x-factotum-session": "weather" };
  model.script([
    {
      type: "message",
      content: [
        { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Oslo" } },
        { type: "tool_use", id: "toolu_2", name: "ls", input: { path: "." } },
      ],
    },
    textReply("It rains."),
  ]);
  const asked = await clientOf(first).chat.completions.create({ model: "factotum", messages: question, tools: [tool] }, { headers });
  expect(asked.choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { tool_calls: [{ id: "toolu_1" }] } });
  await first.end("SIGKILL");
  await using second = await startProduct({ config: config(model.baseUrl), home: first.home });
  const client = clientOf(second);
  const results = [{ role: "tool" as const, tool_call_id: "toolu_1", content: "rain" }];
  await expect(
    client.chat.completions.create(
      { model: "factotum", messages: [{ role: "tool", tool_call_id: "toolu_9", content: "x" }], tools: [tool] },
      { headers },
    ),
  ).rejects.toMatchObject({ status: 400, code: "invalid_tool_results" });
  const answered = await client.chat.completions.create({ model: "factotum", messages: results, tools: [tool] }, { headers });
  expect(answered.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "It rains." } });
  const sent = JSON.stringify(model.requests.at(-1)?.body);
  for (const part of ['"tool_use_id":"toolu_1"', '"tool_use_id":"toolu_2"', "AGENTS.md"]) expect(sent).toContain(part);
});

test("the AI SDK's OpenAI-compatible provider gets the calls of a stream, and sends their results", async () => {
  const provider = createOpenAICompatible({ name: "factotum", baseURL: `${product.url}/v1`, apiKey: product.token });
  const chat = provider.chatModel("factotum");
  const tools = [{ type: "function" as const, name: "get_weather", description: "The weather of a city.", inputSchema: parameters }];
  const asked = { role: "user" as const, content: [{ type: "text" as const, text: "Weather in Oslo?" }] };
  model.script([asks("toolu_1"), textReply("It rains.")]);
  const { stream } = await chat.doStream({ prompt: [asked], tools });
  const parts: unknown[] = [];
  for await (const part of stream) parts.push(part);
  expect(parts).toContainEqual(
    expect.objectContaining({ type: "tool-call", toolCallId: "toolu_1", toolName: "get_weather", input: '{"city":"Oslo"}' }),
  );
  expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "tool-calls" } });
  const answer = await chat.doGenerate({
    prompt: [
      asked,
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "toolu_1", toolName: "get_weather", input: { city: "Oslo" } }] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "toolu_1", toolName: "get_weather", output: { type: "text", value: "rain" } }],
      },
    ],
    tools,
  });
  expect(answer.content).toMatchObject([{ type: "text", text: "It rains." }]);
});
