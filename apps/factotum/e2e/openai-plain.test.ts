import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
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
      agents: { defaults: { model: "anthropic/claude-sonnet-4-6" }, list: [{ id: "main" }, { id: "coder" }] },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-ant-test-0123456789" } } },
    },
  });
  client = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: product.token, maxRetries: 0 });
});

afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await model.close();
});

interface Shown {
  readonly content: string;
  readonly reasoning: string | undefined;
}
type Asked = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, "stream">;

/** What a client gets, complete and streamed. */
async function ask(body: Asked, headers: Readonly<Record<string, string>>, stream: boolean): Promise<Shown> {
  if (!stream) {
    const { choices } = await client.chat.completions.create(body, { headers });
    const message = choices[0]?.message as { readonly content: string; readonly reasoning_content?: string };
    return { content: message.content, reasoning: message.reasoning_content };
  }
  let content = "";
  let reasoning: string | undefined;
  for await (const { choices } of await client.chat.completions.create({ ...body, stream: true }, { headers })) {
    const delta = choices[0]?.delta as { readonly content?: string; readonly reasoning_content?: string };
    content += delta.content ?? "";
    if (delta.reasoning_content !== undefined) reasoning = (reasoning ?? "") + delta.reasoning_content;
  }
  return { content, reasoning };
}

const lastBody = (): Readonly<Record<string, unknown>> => model.requests.at(-1)?.body ?? {};

describe.each([true, false])("x-factotum-reasoning (streaming: %s)", (stream) => {
  const replies: readonly AnthropicReply[] = [
    {
      type: "message",
      content: [
        { type: "thinking", thinking: "I should look." },
        { type: "text", text: "I look." },
        { type: "tool_use", name: "ls", input: { path: "." } },
        { type: "tool_use", name: "read", input: { path: "missing.txt" } },
      ],
    },
    {
      type: "message",
      content: [
        { type: "thinking", thinking: "One of them failed." },
        { type: "text", text: "There it is." },
      ],
    },
  ];
  const body: Asked = { model: "factotum", messages: [{ role: "user", content: "hello" }] };

  test("on requests thoughts, and shows them and the tools in addition to the text", async () => {
    model.script(replies);
    const { content, reasoning = "" } = await ask(body, { "x-factotum-reasoning": "on" }, stream);
    expect(content).toBe("I look.\n\nThere it is.");
    const parts = reasoning.split("\n\n");
    expect([parts[0], ...parts.slice(1, 3).toSorted(), parts.at(-1)]).toEqual([
      "I should look.",
      '`ls` `{"path":"."}`',
      '`read` `{"path":"missing.txt"}`',
      "One of them failed.",
    ]);
    expect(parts[3]).toMatch(/^`read` failed: `.*missing\.txt/);
    expect(parts).toHaveLength(5);
    expect(lastBody()["thinking"]).toEqual({ type: "adaptive", display: "summarized" });
    expect(model.violations).toEqual([]);
  });

  test.each([{}, { "x-factotum-reasoning": "off" }])("%j: nothing of it is shown, and no thoughts are requested", async (headers) => {
    model.script(replies);
    expect(await ask(body, headers, stream)).toEqual({ content: "I look.\n\nThere it is.", reasoning: undefined });
    expect(lastBody()["thinking"]).toBeUndefined();
  });

  test("applies to its request alone, in the same session", async () => {
    const session = { "x-factotum-session": `reasoning-${stream}` };
    model.script([...replies, textReply("Again.")]);
    await ask(body, { ...session, "x-factotum-reasoning": "ON" }, stream);
    expect(await ask(body, session, stream)).toEqual({ content: "Again.", reasoning: undefined });
    expect(lastBody()["thinking"]).toBeUndefined();
    expect(model.violations).toEqual([]);
  });

  test("accepts on and off, and nothing else", async () => {
    const before = model.requests.length;
    await expect(ask(body, { "x-factotum-reasoning": "loud" }, stream)).rejects.toMatchObject({ status: 400 });
    expect(model.requests).toHaveLength(before);
  });
});

describe.each(["factotum:plain", "factotum/coder:plain"])("the model id %s", (id) => {
  const messages: Asked["messages"] = [
    { role: "system", content: "Write titles." },
    { role: "user", content: "We talk about boats." },
    { role: "assistant", content: "Fine boats." },
    { role: "user", content: "A title, please." },
  ];

  test.each([true, false])("answers without tools, system prompt and session (streaming: %s)", async (stream) => {
    const sessions = async (): Promise<string> => (await runCommand(["sessions", "list", "--json"], { home: product.home })).stdout;
    const before = await sessions();
    expect(before).toContain("http:reasoning-");
    model.script([textReply("[[reply_to_current]] About boats")]);
    // What an agent would take for a directive is the client's text.
    expect(await ask({ model: id, messages }, {}, stream)).toEqual({ content: "[[reply_to_current]] About boats", reasoning: undefined });
    const { system, messages: sent, tools } = lastBody();
    expect(JSON.stringify(system)).toMatch(/^(?:"Write titles\."|\[\{"type":"text","text":"Write titles\."\}\])$/);
    expect(tools).toBeUndefined();
    expect((sent as readonly { readonly role: string }[]).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(JSON.stringify(sent)).not.toMatch(/<|\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/);
    expect(await sessions()).toBe(before);
    expect(model.violations).toEqual([]);
  });

  test("names no session, and lists what has no effect", async () => {
    model.script([textReply("Boats")]);
    const { response } = await client.chat.completions
      .create({ model: id, messages, user: "olga", temperature: 0 }, { headers: { "x-factotum-session": "words" } })
      .withResponse();
    expect(response.headers.get("x-factotum-session")).toBeNull();
    expect(response.headers.get("x-factotum-ignored")).toBe("temperature, user");
  });

  test("works without a system message, with images, and with earlier tool calls as text", async () => {
    const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
    model.script([textReply("A dot.")]);
    const { choices, usage } = await client.chat.completions.create({
      model: id,
      messages: [
        { role: "user", content: "Look it up." },
        { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }] },
        { role: "tool", tool_call_id: "c1", content: "found" },
        { role: "user", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${dot}` } }] },
      ],
    });
    expect(choices[0]?.message.content).toBe("A dot.");
    expect(usage?.completion_tokens).toBeGreaterThan(0);
    expect(JSON.stringify(lastBody()["messages"])).toContain(dot);
    expect(lastBody()["system"]).toBeUndefined();
    expect(model.violations).toEqual([]);
  });

  test("shows thoughts on request", async () => {
    const thinking: AnthropicReply = {
      type: "message",
      content: [
        { type: "thinking", thinking: "Boats, then." },
        { type: "text", text: "Boats" },
      ],
    };
    model.script([thinking, thinking]);
    const headers = { "x-factotum-reasoning": "on" };
    expect(await ask({ model: id, messages }, headers, true)).toEqual({ content: "Boats", reasoning: "Boats, then." });
    expect(await ask({ model: id, messages }, {}, false)).toEqual({ content: "Boats", reasoning: undefined });
  });

  test("fails like any answer", async () => {
    model.script([{ type: "error", errorType: "overloaded_error", message: "Overloaded", headers: { "retry-after": "60" } }]);
    const asked = client.chat.completions.create({ model: id, messages });
    await expect(asked).rejects.toMatchObject({ status: 503, code: "overloaded" });
    await expect(asked.catch((error: InstanceType<typeof OpenAI.APIError>) => error.headers?.get("retry-after"))).resolves.toMatch(/^\d+$/);
    const stranger = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: "wrong", maxRetries: 0 });
    await expect(stranger.chat.completions.create({ model: id, messages })).rejects.toMatchObject({ status: 401 });
    await expect(client.chat.completions.create({ model: "factotum/nobody:plain", messages })).rejects.toMatchObject({ status: 404 });
  });

  test.each([true, false])("stops the provider's request when the client disconnects (streaming: %s)", async (stream) => {
    const gate = model.hold();
    const abort = new AbortController();
    const word = `leave ${id} ${stream}`;
    const asked = client.chat.completions
      .create({ model: id, messages: [{ role: "user", content: word }], stream }, { signal: abort.signal })
      .then(async (answer) => {
        if (Symbol.asyncIterator in answer) for await (const chunk of answer) expect(chunk.choices[0]?.delta.content).toBe("");
      })
      .catch((error: unknown) => expect(error).toBeInstanceOf(OpenAI.APIUserAbortError));
    let request = await model.nextRequest();
    while (!request.bytes.includes(word)) request = await model.nextRequest();
    abort.abort();
    expect((await model.nextAborted()).index).toBe(request.index);
    await asked;
    gate.open();
  });

  test("is listed and can be looked up", async () => {
    expect((await client.models.list()).data.map((listed) => listed.id)).toContain(id);
    expect(await client.models.retrieve(id)).toMatchObject({ id, object: "model" });
  });
});
