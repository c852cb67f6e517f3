import { request as httpRequest } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type AnthropicFault,
  type AnthropicReply,
  type AnthropicServer,
  type AnthropicServerOptions,
  createGate,
  createScriptConversation,
  isPrefixOf,
  prepareReply,
  startAnthropicServer,
  textReply,
  toolReply,
} from "../index.ts";

const MODEL = "claude-opus-5-5";

async function start(options?: AnthropicServerOptions): Promise<AnthropicServer> {
  const server = await startAnthropicServer(options);
  onTestFinished(() => server.close());
  return server;
}

function clientOf(server: AnthropicServer): Anthropic {
  return new Anthropic({ apiKey: "sk-secret", baseURL: server.baseUrl, maxRetries: 0 });
}

const hello = { model: MODEL, max_tokens: 100, messages: [{ role: "user" as const, content: "Hello" }] };

interface Wire {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The chunks of the received body. */
  readonly chunks: readonly Buffer[];
  readonly text: string;
  /** Whether the body ended properly by HTTP's rules. */
  readonly complete: boolean;
}

interface Call {
  readonly answer: Promise<Wire>;
  /** Resolves once the received body contains this. */
  readonly seen: (part: string) => Promise<void>;
  readonly hangUp: () => void;
}

/** A minimal client: it sees exactly what the server writes. */
function call(server: AnthropicServer, body: object = { ...hello, stream: true }): Call {
  const chunks: Buffer[] = [];
  const text = (): string => Buffer.concat(chunks).toString();
  const waiting: { part: string; resolve: () => void }[] = [];
  const answer = Promise.withResolvers<Wire>();
  const headers = { "x-api-key": "sk-secret", "anthropic-version": "2023-06-01", "content-type": "application/json" };
  const request = httpRequest(`${server.baseUrl}/v1/messages`, { method: "POST", headers }, (response) => {
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      for (const { part, resolve } of waiting) if (text().includes(part)) resolve();
    });
    response.on("error", () => undefined);
    response.on("close", () =>
      answer.resolve({ status: response.statusCode ?? 0, headers: response.headers, chunks, text: text(), complete: response.complete }),
    );
  });
  request.on("error", () => answer.resolve({ status: 0, headers: {}, chunks, text: text(), complete: false }));
  request.end(JSON.stringify(body));
  return {
    answer: answer.promise,
    seen: (part) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ part, resolve });
      if (text().includes(part)) resolve();
      return promise;
    },
    hangUp: () => request.destroy(),
  };
}

function withFault(fault: AnthropicFault, more: Partial<Extract<AnthropicReply, { type: "message" }>> = {}): AnthropicReply {
  return { type: "message", content: [{ type: "text", text: "Hello, you." }], fault, ...more };
}

function eventNames(text: string): string[] {
  return [...text.matchAll(/^event: (.*)$/gm)].map(([, name = ""]) => name);
}

describe("an answer", () => {
  test("streams the documented events in their order, with cumulative usage at the end", async () => {
    const server = await start();
    server.script([
      { type: "message", content: [{ type: "text", text: "Hé 🎉" }], deltaCharacters: 3, usage: { input_tokens: 7, output_tokens: 5 } },
    ]);
    const { text, headers, complete } = await call(server).answer;
    const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, json = ""]) => JSON.parse(json) as unknown);
    expect(data).toEqual([
      {
        type: "message_start",
        message: expect.objectContaining({
          type: "message",
          role: "assistant",
          model: MODEL,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: expect.objectContaining({ input_tokens: 7, output_tokens: 1 }),
        }),
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "ping" },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hé " } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "🎉" } },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: { input_tokens: 7, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 },
      },
      { type: "message_stop" },
    ]);
    expect(eventNames(text)).toEqual(data.map((event) => (event as { type: string }).type));
    expect(headers).toMatchObject({ "content-type": "text/event-stream; charset=utf-8", "request-id": expect.stringMatching(/^req_/) });
    expect(complete).toBe(true);
  });

  test("is the same for the official SDK, streamed and whole", async () => {
    const server = await start();
    const reply: AnthropicReply = {
      type: "message",
      content: [
        { type: "thinking", thinking: "Let me look around." },
        { type: "redacted_thinking", thinking: "hidden" },
        { type: "text", text: "I look." },
        { type: "tool_use", name: "ls", input: { path: "a/ü", depth: 2 }, id: "toolu_fixed" },
        { type: "tool_use", name: "now", input: {}, id: "toolu_empty" },
      ],
    };
    server.script([reply, reply]);
    const client = clientOf(server);
    const whole = await client.messages.create(hello);
    const streamed = await client.messages.stream(hello).finalMessage();
    expect(streamed.content).toEqual(whole.content);
    expect(streamed.stop_reason).toBe("tool_use");
    expect(whole.stop_reason).toBe("tool_use");
    expect(streamed.usage).toMatchObject({ ...whole.usage });
    expect(whole.content.at(-2)).toEqual({ type: "tool_use", id: "toolu_fixed", name: "ls", input: { path: "a/ü", depth: 2 } });
  });

  test("can be sent back: ids, signatures and sealed thinking are valid in the next request", async () => {
    const server = await start();
    server.script([
      {
        type: "message",
        content: [
          { type: "thinking", thinking: "Hm." },
          { type: "redacted_thinking", thinking: "." },
          { type: "tool_use", name: "ls", input: {} },
        ],
      },
      textReply("Done."),
    ]);
    const client = clientOf(server);
    const tools = [{ name: "ls", input_schema: { type: "object" as const } }];
    const first = await client.messages.create({ ...hello, tools });
    const call = first.content.find((block) => block.type === "tool_use");
    const next = {
      ...hello,
      tools,
      messages: [
        ...hello.messages,
        { role: "assistant" as const, content: first.content },
        { role: "user" as const, content: [{ type: "tool_result" as const, tool_use_id: call?.id ?? "", content: "a" }] },
      ],
    };
    await client.messages.create(next);
    expect(server.violations).toEqual([]);
    const [before, after] = server.requests;
    expect(isPrefixOf(before?.body ?? {}, after?.body ?? {})).toBe(true);
  });

  test("plays the whole script conversation, for any chunk size", async () => {
    const server = await start();
    const { replies } = createScriptConversation;
    server.script(replies.map((reply) => (reply.type === "message" ? { ...reply, chunkBytes: 1 } : reply)));
    const client = clientOf(server);
    const texts: string[] = [];
    const inputs: unknown[] = [];
    for (const _reply of replies) {
      const { content } = await client.messages.stream(hello).finalMessage();
      for (const block of content) {
        if (block.type === "text") texts.push(block.text);
        if (block.type === "tool_use") inputs.push(block.input);
      }
    }
    expect(texts).toEqual([createScriptConversation.answer]);
    expect(inputs).toEqual([
      { path: createScriptConversation.skillPath },
      { path: "." },
      { path: "list_files.py", content: createScriptConversation.scriptSource },
    ]);
  });

  test("counts cache reads", async () => {
    const server = await start({ minCacheTokens: 0 });
    server.respond(() => textReply("Yes."));
    const client = clientOf(server);
    const system = [{ type: "text" as const, text: "Rules. ".repeat(500), cache_control: { type: "ephemeral" as const } }];
    const first = await client.messages.create({ ...hello, system });
    const second = await client.messages.create({ ...hello, system });
    expect(first.usage.cache_creation_input_tokens).toBeGreaterThan(800);
    expect(second.usage).toMatchObject({
      cache_read_input_tokens: first.usage.cache_creation_input_tokens,
      cache_creation_input_tokens: 0,
    });
    expect(second.usage.input_tokens).toBe(first.usage.input_tokens);
    expect(server.requests[1]?.usage).toMatchObject({ cache_read_input_tokens: second.usage.cache_read_input_tokens });
  });

  test("comes from the script first, then from the responder, and is otherwise an error", async () => {
    const server = await start();
    const client = clientOf(server);
    server.script([textReply("one"), toolReply({ name: "ls", input: {} })]);
    server.respond((request) => textReply(`request ${request.index}`));
    const replies = [await client.messages.create(hello), await client.messages.create(hello), await client.messages.create(hello)];
    expect(replies.map(({ content: [block] }) => (block?.type === "text" ? block.text : block?.type))).toEqual([
      "one",
      "tool_use",
      "request 2",
    ]);
    server.respond(() => {
      throw new Error("out of ideas");
    });
    await expect(client.messages.create(hello)).rejects.toThrow("The responder failed on request 3: out of ideas");
    const bare = await start();
    await expect(clientOf(bare).messages.create(hello)).rejects.toThrow("Request 0 has no scripted reply");
    await expect(bare.requests[0]?.ended).resolves.toBe("unscripted");
  });
});

describe("an error", () => {
  test.each([
    ["rate_limit_error", 429, Anthropic.RateLimitError],
    ["overloaded_error", 529, Anthropic.InternalServerError],
    ["api_error", 500, Anthropic.InternalServerError],
    ["permission_error", 403, Anthropic.PermissionDeniedError],
  ] as const)("%s has the vendor's shape and status %i", async (errorType, status, errorClass) => {
    const server = await start();
    server.script([{ type: "error", errorType, message: "Not now.", headers: { "retry-after": "2" } }]);
    const error: unknown = await clientOf(server)
      .messages.create(hello)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(errorClass);
    expect(error).toMatchObject({ status, error: { type: "error", error: { type: errorType, message: "Not now." } } });
    expect((error as InstanceType<typeof Anthropic.APIError>).headers?.get("retry-after")).toBe("2");
    expect((error as InstanceType<typeof Anthropic.APIError>).requestID).toMatch(/^req_/);
  });

  test("may be any other body of a proxy", async () => {
    const server = await start();
    server.script([{ type: "raw", status: 200, headers: { "content-type": "text/html" }, body: "<h1>Welcome</h1>" }]);
    expect(await call(server).answer).toMatchObject({ status: 200, text: "<h1>Welcome</h1>" });
  });
});

describe("a fault", () => {
  test("stall: no more data until the gate opens", async () => {
    const server = await start();
    const gate = createGate();
    server.script([withFault({ type: "stall", afterBytes: 40, until: gate }), textReply("next")]);
    const { answer, seen } = call(server);
    await seen("event: message_start");
    // Another request is answered meanwhile: by then the rest would have come, too.
    await call(server).answer;
    gate.open();
    const { text, chunks, complete } = await answer;
    expect(chunks[0]?.length).toBe(40);
    expect(eventNames(text).at(-1)).toBe("message_stop");
    expect(complete).toBe(true);
  });

  test("stall without a gate: the client's timeout ends it, and the server records it", async () => {
    const server = await start();
    server.script([withFault({ type: "stall", afterBytes: 40 })]);
    const { hangUp, seen } = call(server);
    await seen("event");
    hangUp();
    const aborted = await server.nextAborted();
    expect(aborted).toBe(server.requests[0]);
    await expect(aborted.ended).resolves.toBe("aborted");
  });

  test("trickle: keep-alives and nothing else", async () => {
    const server = await start();
    const gate = createGate();
    server.script([withFault({ type: "trickle", afterBytes: 0, everyMs: 1, until: gate })]);
    const { answer, seen } = call(server);
    const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
    await seen(ping.repeat(3));
    gate.open();
    const names = eventNames((await answer).text);
    expect(names.slice(0, 3)).toEqual(["ping", "ping", "ping"]);
    expect(names.at(-1)).toBe("message_stop");
  });

  test("cut: the socket is destroyed; end: the body ends too early, cleanly", async () => {
    const server = await start();
    server.script([withFault({ type: "cut", afterBytes: 50 }), withFault({ type: "end", afterBytes: 50 })]);
    const cut = await call(server).answer;
    expect(cut).toMatchObject({ status: 200, complete: false });
    expect(Buffer.byteLength(cut.text)).toBe(50);
    const end = await call(server).answer;
    expect(end).toMatchObject({ status: 200, complete: true });
    expect(end.text).toBe(cut.text.replace(/msg_\w+/, /msg_\w+/.exec(end.text)?.[0] ?? ""));
    for (const request of server.requests) await expect(request.ended).resolves.toBe("answered");
  });

  test("garbage and unknown events come between valid ones", async () => {
    const server = await start();
    server.script([withFault({ type: "garbage", afterEvents: 3 }), withFault({ type: "unknown-event", afterEvents: 3 })]);
    const garbage = await call(server).answer;
    const bad = [...garbage.text.matchAll(/^data: (.*)$/gm)].findIndex(([, json = ""]) => !json.endsWith("}"));
    expect(bad).toBe(3);
    expect(eventNames(garbage.text).at(-1)).toBe("message_stop");
    const unknown = await call(server).answer;
    expect(eventNames(unknown.text)[3]).toBe("content_block_weather");
  });

  test("error-event: the SDK reports the error inside the stream", async () => {
    const server = await start();
    server.script([withFault({ type: "error-event", afterEvents: 4, errorType: "overloaded_error", message: "Overloaded" })]);
    await expect(clientOf(server).messages.stream(hello).finalMessage()).rejects.toMatchObject({
      error: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    });
  });

  test("slow headers: not even a status before the gate opens", async () => {
    const server = await start();
    const gate = createGate();
    server.script([withFault({ type: "slow-headers", until: gate }), textReply("next")]);
    let answered = false;
    const slow = call(server).answer.then((wire) => ((answered = true), wire));
    await server.nextRequest();
    await call(server).answer;
    expect(answered).toBe(false);
    gate.open();
    expect((await slow).status).toBe(200);
  });

  test("one-byte chunks are sent individually and form the same body", async () => {
    const server = await start();
    server.script([{ type: "message", content: [{ type: "text", text: "ü" }], chunkBytes: 1 }]);
    const { chunks, text } = await call(server).answer;
    expect(chunks.length).toBeGreaterThan(100);
    expect(text).toContain('"text":"ü"');
  });
});

describe("the record", () => {
  test("has the body, its bytes and the headers, but not the key", async () => {
    const server = await start({ apiKey: "sk-secret", now: () => 1_700_000_000_000 });
    server.script([textReply("Hi.")]);
    const arriving = server.nextRequest();
    await clientOf(server).messages.create(hello);
    const request = await arriving;
    expect(request).toMatchObject({
      index: 0,
      method: "POST",
      path: "/v1/messages",
      body: hello,
      violations: [],
      receivedAtMs: 1_700_000_000_000,
    });
    expect(JSON.parse(request.bytes.toString())).toEqual(hello);
    expect(request.headers["anthropic-version"]).toBe("2026-10-21");
    expect(JSON.stringify([request.headers, request.bytes.toString()])).not.toContain("sk-secret");
    await expect(request.ended).resolves.toBe("answered");
  });

  test("waits for a future request, in order, and gives up with its signal", async () => {
    const server = await start();
    server.respond(() => textReply("Hi."));
    const giveUp = new AbortController();
    const abandoned = server.nextRequest({ signal: giveUp.signal });
    giveUp.abort(new Error("enough"));
    await expect(abandoned).rejects.toThrow("enough");
    const [first, second] = [server.nextRequest(), server.nextRequest()];
    await clientOf(server).messages.create(hello);
    await clientOf(server).messages.create(hello);
    expect([(await first).index, (await second).index]).toEqual([0, 1]);
  });

  test("hold keeps requests unanswered until it is opened", async () => {
    const server = await start();
    server.respond(() => textReply("Hi."));
    const gate = server.hold();
    let answers = 0;
    const calls = [1, 2].map(() =>
      clientOf(server)
        .messages.create(hello)
        .then(() => (answers += 1)),
    );
    await server.nextRequest();
    await server.nextRequest();
    expect(answers).toBe(0);
    gate.open();
    await Promise.all(calls);
    expect(answers).toBe(2);
  });

  test("a client that disconnects while it is held counts as aborted, too", async () => {
    const server = await start();
    server.hold();
    const { hangUp } = call(server);
    await server.nextRequest();
    hangUp();
    expect((await server.nextAborted()).index).toBe(0);
  });
});

describe("instantReply", () => {
  test("answers without checks, streamed and whole", async () => {
    const server = await start();
    server.instantReply("At once.");
    const client = clientOf(server);
    expect((await client.messages.create({ ...hello, max_tokens: -1 })).content).toEqual([{ type: "text", text: "At once." }]);
    expect(await client.messages.stream(hello).finalText()).toBe("At once.");
    expect(server.requests).toEqual([]);
  });

  test("may depend on the body: a call first, then the text", async () => {
    const server = await start();
    const ask = prepareReply({ type: "message", content: [{ type: "tool_use", name: "ls", input: { path: "." } }] });
    const done = prepareReply("Done.");
    server.instantReply((body) => (body.includes("tool_result") ? done : ask));
    const client = clientOf(server);
    expect((await client.messages.create(hello)).stop_reason).toBe("tool_use");
    const results = [{ role: "user" as const, content: [{ type: "tool_result" as const, tool_use_id: "x" }] }];
    expect(await client.messages.stream({ ...hello, messages: results }).finalText()).toBe("Done.");
  });
});

test("close ends open connections and frees the port", async () => {
  const server = await startAnthropicServer();
  server.script([withFault({ type: "stall", afterBytes: 10 })]);
  const { answer, seen } = call(server);
  await seen("event");
  await server.close();
  expect((await answer).complete).toBe(false);
  await server.close();
  expect((await call(server).answer).status).toBe(0);
});
