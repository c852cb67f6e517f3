import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let model: AnthropicServer;
let product: Product;
let client: OpenAI;

beforeAll(async () => {
  model = await startAnthropicServer();
  product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-4-6" }, list: [{ id: "main" }, { id: "coder", tools: { allow: [] } }] },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-ant-test-0123456789" } } },
    },
  });
  client = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: product.token, maxRetries: 0 });
});

afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await model.close();
});

interface Answer {
  readonly text: string;
  readonly finish: string | null | undefined;
  readonly usage: unknown;
}

async function whole(content: string): Promise<Answer> {
  const answer = await client.chat.completions.create({ model: "factotum", messages: [{ role: "user", content }] });
  return { text: answer.choices[0]?.message.content ?? "", finish: answer.choices[0]?.finish_reason, usage: answer.usage };
}

async function streamed(content: string): Promise<Answer> {
  const stream = await client.chat.completions.create({
    model: "factotum",
    messages: [{ role: "user", content }],
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = "";
  let finish: Answer["finish"];
  let usage: unknown;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? "";
    finish = chunk.choices[0]?.finish_reason ?? finish;
    usage = chunk.usage ?? usage;
  }
  return { text, finish, usage };
}

describe("the OpenAI client", () => {
  test.each([
    ["a plain answer", [textReply("Hello, and a longer text so that it comes in several pieces.")]],
    [
      "an answer with a tool call on the way",
      [
        { type: "message", content: [{ type: "text", text: "I look." }, { type: "tool_use", name: "ls", input: { path: "." } }] },
        textReply("There it is."),
      ],
    ],
    ["an answer that a limit cut off", [{ type: "message", content: [{ type: "text", text: "Once upon a" }], stopReason: "max_tokens" }]],
    ["an answer with a directive in front", [textReply("[[reply_to_current]] Yes.")]],
  ] as const)("gets the same text, usage and finish reason streaming and not: %s", async (_name, replies) => {
    model.script([...replies]);
    const first = await whole("hello");
    model.script([...replies]);
    const second = await streamed("hello");
    expect(second).toEqual(first);
    expect(first.text).not.toBe("");
    expect(first.text).not.toContain("[[");
    expect(first.usage).toMatchObject({ prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) });
    expect(model.violations).toEqual([]);
  });

  test("is refused without the token, and nothing reaches the model", async () => {
    const before = model.requests.length;
    const stranger = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: "wrong", maxRetries: 0 });
    await expect(stranger.chat.completions.create({ model: "factotum", messages: [{ role: "user", content: "hi" }] })).rejects.toMatchObject({ status: 401 });
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401 });
    expect(model.requests).toHaveLength(before);
  });

  test("lists the agents as models, and one that does not exist is not found", async () => {
    const models = await client.models.list();
    expect(models.data.map(({ id }) => id)).toEqual(["factotum", "factotum/main", "factotum/coder"]);
    await expect(client.chat.completions.create({ model: "factotum/nobody", messages: [{ role: "user", content: "hi" }] })).rejects.toMatchObject({ status: 404 });
  });

  test("that goes away stops the provider's request", async () => {
    const gate = model.hold();
    const abort = new AbortController();
    const answer = client.chat.completions.create({ model: "factotum", messages: [{ role: "user", content: "wait" }], stream: true }, { signal: abort.signal });
    const request = await nextOf(model);
    const aborted = model.nextAborted();
    abort.abort();
    await expect(answer.then(async (stream) => Array.fromAsync(stream))).resolves.toEqual([expect.anything()]).catch(() => undefined);
    expect((await aborted).index).toBe(request.index);
    gate.open();
  });

  test("keeps a session by header and by user, and brings its own history without one", async () => {
    model.script([textReply("Noted."), textReply("Swordfish.")]);
    const headers = { "x-factotum-session": "words" };
    await client.chat.completions.create({ model: "factotum", messages: [{ role: "user", content: "The word is swordfish." }] }, { headers });
    await client.chat.completions.create({ model: "factotum", messages: [{ role: "user", content: "Which word?" }] }, { headers });
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("The word is swordfish.");

    model.script([textReply("Yes.")]);
    const messages = [
      { role: "system" as const, content: "Answer like a pirate." },
      { role: "user" as const, content: "My name is Olga." },
      { role: "assistant" as const, content: "Ahoy, Olga." },
      { role: "user" as const, content: "Do you know my name?" },
    ];
    const { data, response } = await client.chat.completions.create({ model: "factotum", messages, temperature: 0.2 }).withResponse();
    expect(data.choices[0]?.message.content).toBe("Yes.");
    expect(response.headers.get("x-factotum-ignored")).toBe("temperature");
    expect(response.headers.get("x-factotum-session")).toMatch(/^agent:main:http:/);
    const last = JSON.stringify(model.requests.at(-1)?.body);
    for (const text of ["Answer like a pirate.", "My name is Olga.", "Ahoy, Olga.", "Do you know my name?"]) expect(last).toContain(text);
    expect(last).not.toContain("swordfish");
    expect(model.violations).toEqual([]);
  });

  test("gets a provider's failure as an error with advice", async () => {
    model.script([{ type: "error", errorType: "overloaded_error", message: "Overloaded" }]);
    await expect(client.chat.completions.create({ model: "factotum", messages: [{ role: "user", content: "hi" }] })).rejects.toMatchObject({ status: 429, code: "overloaded" });
  });

  test("text-only agents get no tools", async () => {
    model.script([textReply("Only words.")]);
    await client.chat.completions.create({ model: "factotum/coder", messages: [{ role: "user", content: "hi" }] });
    expect(model.requests.at(-1)?.body?.["tools"] ?? []).toEqual([]);
    model.script([toolReply({ name: "ls", input: {} }), textReply("No tools here.")]);
  });
});

/** The next request that was not seen before. */
async function nextOf(server: AnthropicServer): ReturnType<AnthropicServer["nextRequest"]> {
  const seen = server.requests.length;
  for (;;) {
    const request = await server.nextRequest();
    if (request.index >= seen) return request;
  }
}
