import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

let model: AnthropicServer;
let product: Product;
let client: OpenAI;

beforeAll(async () => {
  model = checkedOfficially(await startAnthropicServer(), "anthropic-messages");
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

const DOT = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

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
        {
          type: "message",
          content: [
            { type: "text", text: "I look." },
            { type: "tool_use", name: "ls", input: { path: "." } },
          ],
        },
        textReply("There it is."),
      ],
    ],
    ["an answer that a limit cut off", [{ type: "message", content: [{ type: "text", text: "Once upon a" }], stopReason: "max_tokens" }]],
    ["an answer with a directive in front", [textReply("[[reply_to_current]] Yes.")]],
  ] satisfies readonly (readonly [string, readonly AnthropicReply[]])[])(
    "gets the same text, usage and finish reason with and without streaming: %s",
    async (_name, replies) => {
      // Cache reads depend on earlier requests; the usage that is compared must not.
      const counted = replies.map((reply) => ({
        ...reply,
        usage: { input_tokens: 100, cache_read_input_tokens: 40, cache_creation_input_tokens: 0, output_tokens: 7 },
      }));
      model.script(counted);
      const first = await whole("hello");
      model.script(counted);
      const second = await streamed("hello");
      expect(second).toEqual(first);
      expect(first.text).not.toBe("");
      expect(first.text).not.toContain("[[");
      expect(first.usage).toMatchObject({
        prompt_tokens: 140 * replies.length,
        completion_tokens: 7 * replies.length,
        prompt_tokens_details: { cached_tokens: 40 * replies.length },
      });
      expect(model.violations).toEqual([]);
    },
  );

  test("is refused without the token, and nothing reaches the model", async () => {
    const before = model.requests.length;
    const stranger = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: "wrong", maxRetries: 0 });
    await expect(
      stranger.chat.completions.create({ model: "factotum", messages: [{ role: "user", content: "hi" }] }),
    ).rejects.toMatchObject({ status: 401 });
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401 });
    expect(model.requests).toHaveLength(before);
  });

  test("lists the agents as models, and one that does not exist is not found", async () => {
    const models = await client.models.list();
    expect(models.data.map(({ id }) => id)).toEqual([
      "factotum",
      "factotum:plain",
      "factotum/main",
      "factotum/main:plain",
      "factotum/coder",
      "factotum/coder:plain",
    ]);
    await expect(
      client.chat.completions.create({ model: "factotum/nobody", messages: [{ role: "user", content: "hi" }] }),
    ).rejects.toMatchObject({ status: 404 });
  });

  test.each([true, false])("that disconnects stops the provider's request (streaming: %s)", async (stream) => {
    const word = `wait ${stream}`;
    const gate = model.hold();
    const abort = new AbortController();
    const asked = client.chat.completions.create(
      { model: "factotum", messages: [{ role: "user", content: word }], stream },
      { signal: abort.signal },
    );
    const ended = (async () => {
      const answer = await asked;
      if (Symbol.asyncIterator in answer) for await (const chunk of answer) expect(chunk.choices[0]?.delta.content).toBe("");
    })().catch((error: unknown) => expect(error).toBeInstanceOf(OpenAI.APIUserAbortError));
    const request = await requestSaying(model, word);
    abort.abort();
    expect((await model.nextAborted()).index).toBe(request.index);
    await ended;
    gate.open();
  });

  test("keeps a session by header and by user, and sends its own history without one", async () => {
    model.script([textReply("Noted."), textReply("Swordfish.")]);
    const headers = { "x-factotum-session": "words" };
    await client.chat.completions.create(
      { model: "factotum", messages: [{ role: "user", content: "The word is swordfish." }] },
      { headers },
    );
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

  test("sends images of any declared type, and learns which were not accepted", async () => {
    model.script([textReply("A dot.")]);
    const [, dot = ""] = DOT.split(",");
    const image = { type: "image_url" as const, image_url: { url: `data:image/webp;base64,${dot}` } };
    const elsewhere = { type: "image_url" as const, image_url: { url: "https://example.com/a.png" } };
    const { data, response } = await client.chat.completions
      .create({ model: "factotum", messages: [{ role: "user", content: [image, elsewhere] }] })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe("A dot.");
    expect(response.headers.get("x-factotum-ignored")).toBe("messages.content.image_url");
    const asked = JSON.stringify(model.requests.at(-1)?.body);
    expect(asked).toContain(`"media_type":"image/png","data":"${dot}"`);
    expect(asked).toContain("[User sent media without caption]");
    expect(model.violations).toEqual([]);

    const broken = { type: "image_url" as const, image_url: { url: image.image_url.url.slice(0, 60) } };
    await expect(
      client.chat.completions.create({ model: "factotum", messages: [{ role: "user", content: [broken] }] }),
    ).rejects.toMatchObject({ status: 400, code: "invalid_image", param: "messages.content.image_url" });
  });

  test("gets a provider's failure as an error with advice", async () => {
    model.script([{ type: "error", errorType: "overloaded_error", message: "Overloaded", headers: { "retry-after": "60" } }]);
    await expect(client.chat.completions.create({ model: "factotum", messages: [{ role: "user", content: "hi" }] })).rejects.toMatchObject({
      status: 503,
      code: "overloaded",
    });
  });

  test("text-only agents get no tools", async () => {
    model.script([textReply("Only words.")]);
    await client.chat.completions.create({ model: "factotum/coder", messages: [{ role: "user", content: "hi" }] });
    expect(model.requests.at(-1)?.body?.["tools"] ?? []).toEqual([]);
  });
});

// What the two send besides the messages: a chat, then a title of it by the task model.
describe.each([
  [
    "Open WebUI",
    { temperature: 0.7, max_tokens: 500, stop: ["END"], seed: 1, chat_id: "c", metadata: { chat_id: "c" }, features: {}, files: null },
    { max_completion_tokens: 1000, metadata: { task: "title_generation" } },
    { type: "image_url", image_url: { url: DOT } },
    "temperature, max_tokens, stop, seed, chat_id, metadata, features",
  ],
  [
    "LibreChat",
    { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, n: 1, user: "6650f3a1" },
    { temperature: 0.2, user: "6650f3a1" },
    { type: "image_url", image_url: { url: DOT, detail: "auto" } },
    "temperature, top_p, presence_penalty, frequency_penalty",
  ],
])("a request in the shape of %s", (_client, parameters, titleParameters, image, ignored) => {
  const post = async (body: object): Promise<Response> =>
    fetch(`${product.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${product.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  test("is answered in a stream with the usage at its end, and so is one for a title without the agent", async () => {
    model.script([textReply("A dot."), textReply("Dots")]);
    const messages = [
      { role: "system", content: "Answer in Norwegian." },
      { role: "user", content: [{ type: "text", text: "Hello" }] },
      { role: "assistant", content: "" },
      { role: "user", content: [{ type: "text", text: "What is this?" }, image] },
    ];
    const chat = { model: "factotum", stream: true, stream_options: { include_usage: true }, messages, ...parameters };
    const answer = await post(chat);
    expect(answer.headers.get("x-factotum-ignored")).toBe(ignored);
    const events = [...(await answer.text()).matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => data);
    expect(events.at(-1)).toBe("[DONE]");
    expect(JSON.parse(events.at(-2) ?? "")).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) as number } });
    expect(events.flatMap((event) => /"content":"([^"]*)"/.exec(event)?.[1] ?? []).join("")).toBe("A dot.");
    const asked = JSON.stringify(model.requests.at(-1)?.body);
    for (const part of ["Answer in Norwegian.", "What is this?", '"media_type":"image/png"']) expect(asked).toContain(part);

    const title = [{ role: "user", content: "Write a title of three words." }];
    const titled = await post({ model: "factotum:plain", stream: false, messages: title, ...titleParameters });
    expect(await titled.json()).toMatchObject({ choices: [{ message: { content: "Dots" }, finish_reason: "stop" }] });
    expect(model.requests.at(-1)?.body).not.toHaveProperty("tools");
    expect(model.violations).toEqual([]);
  });
});

/** The first request that contains `text`; earlier ones are skipped. */
async function requestSaying(server: AnthropicServer, text: string): ReturnType<AnthropicServer["nextRequest"]> {
  for (;;) {
    const request = await server.nextRequest();
    if (request.bytes.includes(text)) return request;
  }
}
