import { request as httpRequest } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { askOfficial } from "../../test/ask-official.ts";
import { CHAT_SAMPLE, GOOGLE_PATH, GOOGLE_SAMPLE, MISTRAL_SAMPLE, RESPONSES_SAMPLE } from "../../test/samples.ts";
import { sampleRequest, toJson } from "../anthropic/sample-request.ts";
import {
  callTools,
  canonicalRequest,
  createGate,
  createScriptConversation,
  type ErrorKind,
  isPrefixOf,
  type JsonObject,
  type MessageReply,
  prefixReport,
  sayText,
  startOpenAiChatServer,
  startStrictServer,
  type StrictServer,
  type StrictServerOptions,
  WIRE_FORMATS,
  type WireFormatName,
} from "../index.ts";

interface Target {
  readonly path: string;
  readonly body: JsonObject;
  /** The list that grows from turn to turn. */
  readonly list: string;
}

const TARGETS: Readonly<Record<WireFormatName, Target>> = {
  "anthropic-messages": { path: "/v1/messages", body: toJson(sampleRequest()), list: "messages" },
  "openai-responses": { path: "/v1/responses", body: RESPONSES_SAMPLE, list: "input" },
  "openai-chat": { path: "/v1/chat/completions", body: CHAT_SAMPLE, list: "messages" },
  "google-generative-ai": { path: GOOGLE_PATH, body: GOOGLE_SAMPLE, list: "contents" },
  mistral: { path: "/v1/chat/completions", body: MISTRAL_SAMPLE, list: "messages" },
};
const KEYS = { authorization: "Bearer key", "x-api-key": "key", "x-goog-api-key": "key", "anthropic-version": "2023-06-01" };

interface Wire {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly chunks: readonly Buffer[];
  readonly text: string;
  readonly complete: boolean;
}

interface Call {
  readonly answer: Promise<Wire>;
  /** Resolves when so many bytes have come. */
  readonly came: (bytes: number) => Promise<void>;
  readonly hangUp: () => void;
}

/** A minimal client: it sees exactly what the server writes. */
function call(server: StrictServer, body: JsonObject = TARGETS[server.format].body): Call {
  const chunks: Buffer[] = [];
  const size = (): number => chunks.reduce((sum, { length }) => sum + length, 0);
  const waiting: { bytes: number; resolve: () => void }[] = [];
  const answer = Promise.withResolvers<Wire>();
  const text = (): string => Buffer.concat(chunks).toString();
  const headers = { "content-type": "application/json", ...KEYS };
  const request = httpRequest(server.baseUrl + TARGETS[server.format].path, { method: "POST", headers }, (response) => {
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      for (const { bytes, resolve } of waiting) if (size() >= bytes) resolve();
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
    came: (bytes) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ bytes, resolve });
      if (size() >= bytes) resolve();
      return promise;
    },
    hangUp: () => request.destroy(),
  };
}

async function start(format: WireFormatName, options?: StrictServerOptions): Promise<StrictServer> {
  const server = await startStrictServer(format, options);
  onTestFinished(() => server.close());
  return server;
}

/** The text does not matter here: a body has the same length for the same reply. */
function said(fault: NonNullable<MessageReply["fault"]>): MessageReply {
  return { ...sayText("Hello, you."), fault };
}

const THINKING: Readonly<Record<WireFormatName, string>> = {
  "anthropic-messages": "I look first.",
  "openai-responses": "I look first.",
  "openai-chat": "",
  "google-generative-ai": "I look first.",
  mistral: "I look first.",
};
const STOPS: Readonly<Record<WireFormatName, readonly [stop: string, tools: string, length: string]>> = {
  "anthropic-messages": ["end_turn", "tool_use", "max_tokens"],
  "openai-responses": ["completed", "completed", "max_output_tokens"],
  "openai-chat": ["stop", "tool_calls", "length"],
  "google-generative-ai": ["STOP", "STOP", "MAX_TOKENS"],
  mistral: ["stop", "tool_calls", "length"],
};

describe.each(WIRE_FORMATS)("%s", (format) => {
  test("the official SDK reads what was scripted, for any chunk size", async () => {
    const server = await start(format);
    const reply: MessageReply = {
      type: "message",
      content: [
        { type: "thinking", text: "I look first." },
        { type: "text", text: "Ich schaue: 图 🎉" },
        { type: "toolCall", name: "ls", arguments: { path: "a/ü" } },
        { type: "toolCall", name: "ls", arguments: {} },
      ],
      usage: { input: 30, cacheRead: 12, output: 9, reasoning: 4 },
      deltaCharacters: 3,
    };
    server.script([reply, { ...reply, chunkBytes: 1 }]);
    const [once, again] = [await askOfficial(format, server.baseUrl), await askOfficial(format, server.baseUrl)];
    expect(again).toEqual(once);
    const usage = format === "mistral" ? { input: 42, cacheRead: 0, output: 9 } : { input: 30, cacheRead: 12, output: 9 };
    expect(once).toEqual({
      text: "Ich schaue: 图 🎉",
      thinking: THINKING[format],
      calls: [
        { name: "ls", arguments: { path: "a/ü" } },
        { name: "ls", arguments: {} },
      ],
      stop: STOPS[format][1],
      usage,
    });
    expect(server.violations).toEqual([]);
  });

  test("an unwritable reply is reported to the requester, and the next one is used", async () => {
    const server = await start(format);
    server.script([callTools({ name: "ls", arguments: { no: 1n as unknown as string } }), sayText("Hi.")]);
    await expect(askOfficial(format, server.baseUrl)).rejects.toThrow("cannot be written");
    expect(await server.requests[0]?.ended).toBe("unscripted");
    expect((await askOfficial(format, server.baseUrl)).text).toBe("Hi.");
  });

  test("returns the vendor's reason for which the model stopped", async () => {
    const server = await start(format);
    server.script([sayText("Hi."), { ...sayText("Hi"), stop: "length" }]);
    const stops = [(await askOfficial(format, server.baseUrl)).stop, (await askOfficial(format, server.baseUrl)).stop];
    expect(stops).toEqual([STOPS[format][0], STOPS[format][2]]);
  });

  test("plays the whole script conversation", async () => {
    const server = await start(format);
    server.script(createScriptConversation.neutralReplies);
    const answers = [];
    for (const _reply of createScriptConversation.neutralReplies) answers.push(await askOfficial(format, server.baseUrl));
    expect(answers.flatMap(({ calls }) => calls).map(({ name }) => name)).toEqual(["read", "ls", "write"]);
    expect(answers[2]?.calls[0]?.arguments).toEqual({ path: "list_files.py", content: createScriptConversation.scriptSource });
    expect(answers.at(-1)?.text).toBe(createScriptConversation.answer);
  });

  const ERRORS: readonly ErrorKind[] = ["rate-limit", "quota", "overloaded", "server", "permission", "timeout"];
  test("errors have the vendor's shape, and the headers that were asked for", async () => {
    const server = await start(format);
    server.script(ERRORS.map((errorType) => ({ type: "error", errorType, message: "Not now.", headers: { "retry-after": "2" } })));
    for (const errorType of ERRORS) {
      const { status, text, headers } = await call(server).answer;
      expect(status, errorType).toBeGreaterThanOrEqual(400);
      expect(text).toContain("Not now.");
      expect(headers["retry-after"]).toBe("2");
    }
  });

  test("stall: no more data until the gate opens", async () => {
    const server = await start(format);
    const gate = createGate();
    server.script([said({ type: "stall", afterBytes: 40, until: gate }), sayText("next")]);
    const { answer, came } = call(server);
    await came(40);
    await call(server).answer; // by then the rest would have come, too
    gate.open();
    const { chunks, complete } = await answer;
    expect(chunks[0]?.length).toBe(40);
    expect(complete).toBe(true);
  });

  test("a client that disconnects counts as aborted, in a stall and while it is held", async () => {
    const server = await start(format);
    server.script([said({ type: "stall", afterBytes: 10 })]);
    const stalled = call(server);
    await stalled.came(10);
    stalled.hangUp();
    await expect((await server.nextAborted()).ended).resolves.toBe("aborted");
    server.hold();
    const held = call(server);
    await server.nextRequest();
    await server.nextRequest();
    held.hangUp();
    expect((await server.nextAborted()).index).toBe(1);
  });

  test("trickle: keep-alives until the gate opens, and the answer is whole", async () => {
    const server = await start(format);
    const gate = createGate();
    const whole = sayText("Hello, you.");
    server.script([{ ...whole, fault: { type: "trickle", afterBytes: 0, everyMs: 1, until: gate } }]);
    const { answer, came } = call(server);
    await came(60);
    gate.open();
    expect((await answer).text).toMatch(/^(?:: [\w-]+\n\n|event: ping\ndata: \{"type":"ping"\}\n\n){2,}/);
  });

  test("cut kills the socket, end ends too early", async () => {
    const server = await start(format);
    server.script([said({ type: "cut", afterBytes: 50 }), said({ type: "end", afterBytes: 50 })]);
    expect(await call(server).answer).toMatchObject({ status: 200, complete: false });
    const end = await call(server).answer;
    expect(end.complete).toBe(true);
    expect(Buffer.byteLength(end.text)).toBe(50);
  });

  test("garbage, unknown events and errors are inside the stream", async () => {
    const server = await start(format);
    server.script([
      said({ type: "garbage", afterEvents: 1 }),
      said({ type: "unknown-event", afterEvents: 1 }),
      said({ type: "error-event", afterEvents: 1, errorType: "overloaded", message: "Too many" }),
    ]);
    const dataOf = (text: string): string[] => [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => data);
    const garbage = dataOf((await call(server).answer).text);
    expect(() => JSON.parse(garbage[1] ?? "") as unknown).toThrow(SyntaxError);
    expect(garbage.length).toBeGreaterThan(2);
    expect((await call(server).answer).text).toMatch(/weather/);
    const failed = dataOf((await call(server).answer).text);
    expect(failed).toHaveLength(2);
    expect(failed[1]).toContain("Too many");
  });

  test("slow headers: not even a status before the gate opens", async () => {
    const server = await start(format);
    const gate = createGate();
    server.script([said({ type: "slow-headers", until: gate }), sayText("next")]);
    let answered = false;
    const slow = call(server).answer.then((wire) => ((answered = true), wire));
    await server.nextRequest();
    await call(server).answer;
    expect(answered).toBe(false);
    gate.open();
    expect((await slow).status).toBe(200);
  });

  test("records the request without its key, from the script first, then from the responder", async () => {
    const server = await start(format, { now: () => 1_700_000_000_000 });
    server.script([sayText("one")]);
    server.respond(({ index }) => sayText(`request ${index}`));
    const answers = [(await call(server).answer).text, (await call(server).answer).text];
    expect(answers[0]).toContain("one");
    expect(answers[1]).toContain("request 1");
    const [first] = server.requests;
    expect(first).toMatchObject({ index: 0, method: "POST", body: TARGETS[format].body, receivedAtMs: 1_700_000_000_000, violations: [] });
    expect(JSON.stringify([first?.headers, first?.path])).not.toMatch(/"key"|Bearer/);
    server.respond(() => {
      throw new Error("out of ideas");
    });
    const failed = await call(server).answer;
    expect(failed.status).toBe(500);
    expect(failed.text).toContain("The responder failed on request 2: out of ideas");
    await expect(server.requests[2]?.ended).resolves.toBe("unscripted");
  });

  test("counts what an earlier request has cached", async () => {
    const server = await start(format, { minCacheTokens: 0 });
    server.respond(() => sayText("Yes."));
    for (const _turn of [1, 2]) await call(server).answer;
    const text = (await call(server).answer).text;
    const cached = /"(?:cache_read_input_tokens|cached_tokens|cachedContentTokenCount|num_cached_tokens)":(\d+)/.exec(text)?.[1];
    expect(Number(cached)).toBeGreaterThan(20);
  });

  test("answers at once without checks on request", async () => {
    const server = await start(format);
    server.instantReply("At once.");
    expect((await call(server, { stream: true, broken: 1 }).answer).text).toContain("At once.");
    expect(server.requests).toEqual([]);
  });

  test("a request is its own prefix and that of itself plus messages; a changed message breaks it", () => {
    const { body, list } = TARGETS[format];
    const messages = body[list] as JsonObject[];
    const longer = { ...body, [list]: [...messages, { role: "user", parts: [] }] };
    expect(prefixReport(body, longer, format)).toEqual({ type: "prefix", appendedMessages: 1 });
    expect(isPrefixOf(longer, body, format)).toBe(false);
    const changed = { ...body, [list]: [...messages.slice(0, -1), { role: "user", content: "Other" }] };
    expect(prefixReport(body, changed, format)).toMatchObject({ type: "broken", part: "messages" });
    expect(prefixReport(body, { ...body, tools: [] }, format)).toMatchObject({ type: "broken", part: "tools", index: 0, next: undefined });
    const { tools, system, messages: entries } = canonicalRequest(body, format);
    expect([tools.length, system.length, entries.length].every((length) => length > 0)).toBe(true);
  });
});

test("an upstream answers unscripted requests, once no rule is broken", async () => {
  await using upstream = await startOpenAiChatServer();
  await using server = await startOpenAiChatServer({ upstream: upstream.baseUrl });
  upstream.respond(() => callTools({ name: "ls", arguments: { path: "." } }));
  expect((await call(server).answer).text).toContain("tool_calls");
  server.script([sayText("mine")]);
  expect((await call(server).answer).text).toContain("mine");
  const refused = await call(server, { ...CHAT_SAMPLE, messages: [] }).answer;
  expect(refused.status).toBe(400);
  expect(upstream.requests).toHaveLength(1);
  expect(upstream.requests[0]?.bytes).toEqual(server.requests[0]?.bytes);
  await upstream.close();
  const lost = await call(server).answer;
  expect(lost).toMatchObject({ status: 502, text: expect.stringContaining("did not answer") as string });
});

test("a compatible server shows its thoughts", async () => {
  await using server = await startOpenAiChatServer({ compatible: true });
  server.script([
    {
      type: "message",
      content: [
        { type: "thinking", text: "hm" },
        { type: "text", text: "Hi." },
      ],
    },
  ]);
  expect((await call(server).answer).text).toContain('"reasoning_content":"hm"');
});
