import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

let model: AnthropicServer;
let product: Product;
let client: OpenAI;

beforeAll(async () => {
  model = checkedOfficially(await startAnthropicServer(), "anthropic-messages");
  product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-ant-test-0123456789" } } },
    },
  });
  client = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: product.token, maxRetries: 0 });
});

afterAll(async () => {
  expect(model.violations).toEqual([]);
  await product[Symbol.asyncDispose]();
  await model.close();
});

const tool = {
  type: "function" as const,
  name: "get_weather",
  description: "The weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false },
  strict: true,
};
const asks: Parameters<AnthropicServer["script"]>[0][number] = {
  type: "message",
  content: [
    { type: "text", text: "I ask." },
    { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Oslo" } },
  ],
};

test("the OpenAI client asks, answers a call and continues, by the ids of responses", async () => {
  model.script([asks, textReply("It rains."), textReply("Oslo.")]);
  const asked = await client.responses.create({ model: "factotum", input: "Weather in Oslo?", tools: [tool] });
  expect(asked.output_text).toBe("I ask.");
  const call = asked.output.find((item) => item.type === "function_call");
  expect(call).toMatchObject({ call_id: "toolu_1", name: "get_weather", arguments: '{"city":"Oslo"}' });
  const answered = await client.responses.create({
    model: "factotum",
    input: [{ type: "function_call_output", call_id: "toolu_1", output: "rain" }],
    previous_response_id: asked.id,
    tools: [tool],
  });
  expect(answered.output_text).toBe("It rains.");
  const last = await client.responses.create({ model: "factotum", input: "Which city?", previous_response_id: answered.id });
  expect(last.output_text).toBe("Oslo.");
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("Weather in Oslo?");
  await expect(client.responses.create({ model: "factotum", input: "And?", previous_response_id: "resp_gone" })).rejects.toMatchObject({
    status: 400,
    code: "previous_response_not_found",
  });
});

test("the OpenAI client's stream puts the events together", async () => {
  model.script([asks]);
  const stream = client.responses.stream({ model: "factotum", input: "Weather in Oslo?", tools: [tool] });
  const types: string[] = [];
  let text = "";
  for await (const event of stream) {
    types.push(event.type);
    if (event.type === "response.output_text.delta") text += event.delta;
  }
  const final = await stream.finalResponse();
  expect(text).toBe("I ask.");
  expect(types[0]).toBe("response.created");
  expect(types.at(-1)).toBe("response.completed");
  expect(final.output_text).toBe("I ask.");
  expect(final.output.at(-1)).toMatchObject({ type: "function_call", parsed_arguments: { city: "Oslo" } });
});

test("a conversation that outlives the gateway is continued by the id of its last response", async () => {
  model.script([textReply("Noted."), textReply("Swordfish.")]);
  const first = await client.responses.create({ model: "factotum", input: "The word is swordfish." });
  const { home } = product;
  await product.end("SIGKILL");
  await using again = await startProduct({
    home,
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-ant-test-0123456789" } } },
    },
  });
  const later = new OpenAI({ baseURL: `${again.url}/v1`, apiKey: again.token, maxRetries: 0 });
  const second = await later.responses.create({ model: "factotum", input: "Which word?", previous_response_id: first.id });
  expect(second.output_text).toBe("Swordfish.");
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("The word is swordfish.");
});
