import type { ServerResponse } from "node:http";
import type { ModelEvent } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { byteByByte, clientFor, collect, failureOf, messageOf, requestOf } from "./client.ts";
import { FakeClock } from "./fake-clock.ts";
import { sendAndCut, sendAndStall, sendJson, sendStream, startWireServer, type WireServer } from "./wire-server.ts";
import { WIRES } from "./wires/all-wires.ts";
import { anthropic } from "./wires/anthropic.ts";
import { answerOf, type Counts, type Said, type Wire } from "./wires/wire.ts";

const COUNTS: Counts = { input: 120, cacheRead: 900, output: 33 };
const HELLO: Said[] = [{ type: "text", pieces: ["Hel", "lo, ", "世界 👋"] }];
const CALL: Said = { type: "call", id: "callAbc12", name: "ls", pieces: ['{"pa', 'th":"', '."}'] };
const CALLING: Said[] = [{ type: "text", pieces: ["Let me look."] }, CALL];

let server: WireServer;
beforeEach(async () => {
  server = await startWireServer();
});
afterEach(() => server[Symbol.asyncDispose]());

function textOf(events: readonly ModelEvent[]): string {
  return events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("");
}

/** Settles when a call is over and Node's client has returned the connection to its pool. */
async function released(clock: FakeClock): Promise<void> {
  await clock.whenIdle();
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe.each(WIRES)("$name", (wire: Wire) => {
  test("streams text, and ends with the whole message and its usage", async () => {
    server.answer(sendStream(answerOf(wire, HELLO, "stop", COUNTS)));
    const events = await collect(clientFor(wire, server.url, { info: { cost: { input: 3, output: 15, cacheRead: 0.3 } } }));
    expect(events[0]?.type).toBe("message-start");
    expect(textOf(events)).toBe("Hello, 世界 👋");
    expect(events.filter((event) => event.type === "text-delta").length).toBe(3);
    const message = messageOf(events);
    expect(message).toMatchObject({
      content: [{ type: "text", text: "Hello, 世界 👋" }],
      stopReason: "stop",
      api: wire.api,
      provider: wire.info.provider,
      model: wire.info.id,
      usage: { input: 120, output: 33, cacheRead: 900, cacheWrite: 0, total: 1_053 },
    });
    expect(message.usage.costUsd).toBeCloseTo((120 * 3 + 33 * 15 + 900 * 0.3) / 1e6, 12);
    expect(server.requests[0]?.path).toBe(wire.path);
  });

  test("uses its own estimate for implausible counts", async () => {
    server.answer(sendStream(answerOf(wire, HELLO, "stop", { input: 1e300, cacheRead: 1e299, output: 1e300 })));
    const events = await collect(clientFor(wire, server.url, { info: { cost: { input: 3, output: 15, cacheRead: 0.3 } } }));
    const usages = events.flatMap((event) => {
      if (event.type === "message-start") return event.usage ?? [];
      return event.type === "message-end" ? event.message.usage : [];
    });
    expect(usages.length).toBeGreaterThan(0);
    for (const { input, cacheRead, total, costUsd } of usages) {
      expect(input).toBeGreaterThan(0);
      expect(cacheRead).toBe(0);
      expect(total).toBeLessThan(1_000);
      expect(costUsd).toBeLessThan(0.01);
    }
  });

  test("gives the same result byte by byte", async () => {
    const said: Said[] = [...HELLO, CALL];
    server.answer(sendStream(answerOf(wire, said, "tools", COUNTS)));
    const whole = messageOf(await collect(clientFor(wire, server.url)));
    const split = messageOf(await collect(clientFor(wire, server.url, { fetch: byteByByte })));
    const strip = (message: typeof whole): unknown =>
      JSON.parse(JSON.stringify({ ...message, timestamp: 0 }).replaceAll(/call_[0-9a-f]{24}/g, "id"));
    expect(strip(split)).toEqual(strip(whole));
  });

  test("reports a tool call while it streams, and returns it with parsed arguments", async () => {
    server.answer(sendStream(answerOf(wire, CALLING, "tools", COUNTS)));
    const events = await collect(clientFor(wire, server.url));
    const message = messageOf(events);
    expect(message.stopReason).toBe("toolUse");
    expect(message.content).toMatchObject([
      { type: "text", text: "Let me look." },
      { type: "toolCall", name: "ls", arguments: { path: "." } },
    ]);
    const start = events.find((event) => event.type === "tool-call-start");
    const end = events.find((event) => event.type === "tool-call-end");
    expect(start).toMatchObject({ index: 1, name: "ls" });
    expect(end).toEqual({ ...start, type: "tool-call-end" });
    const deltas = events.flatMap((event) => (event.type === "tool-call-delta" ? [event.argumentsText] : []));
    expect(JSON.parse(deltas.join(""))).toEqual({ path: "." });
  });

  test("separates thinking from the answer, and returns it only to the model that thought", async () => {
    const thinking: Said = { type: "thinking", pieces: ["I should ", "look."], proof: "proof-1" };
    server.answer(sendStream(answerOf(wire, [thinking, ...CALLING], "tools", COUNTS)));
    const client = clientFor(wire, server.url, { info: { reasoning: true } });
    const events = await collect(client);
    if (!events.some((event) => event.type === "thinking-start")) {
      // OpenAI's own chat endpoint shows no thinking.
      expect(wire.name).toBe("openai-chat (OpenAI)");
      return;
    }
    const message = messageOf(events);
    expect(message.content[0]).toMatchObject({ type: "thinking", text: "I should look." });
    const call = message.content.find((part) => part.type === "toolCall");
    const history = requestOf().messages;
    const next = requestOf({
      messages: [
        ...history,
        message,
        {
          role: "toolResult",
          toolCallId: call?.type === "toolCall" ? call.id : "",
          toolName: "ls",
          content: [{ type: "text", text: "a.txt" }],
          isError: false,
          timestamp: 3,
        },
      ],
    });
    await collect(client, next);
    expect(server.requests[1]?.text.includes("I should look.")).toBe(wire.signsThinking || wire.info.provider === "deepseek");
    expect(server.requests[1]?.text.includes("proof-1")).toBe(wire.signsThinking);
    await collect(clientFor(wire, server.url, { info: { id: "another-model", reasoning: true } }), next);
    expect(server.requests[2]?.text).not.toContain("I should look.");
    expect(server.requests[2]?.text).not.toContain("proof-1");
  });

  test("an answer cut at its length ends with length and keeps its calls", async () => {
    server.answer(sendStream(answerOf(wire, CALLING, "length", COUNTS)));
    const message = messageOf(await collect(clientFor(wire, server.url)));
    expect(message.stopReason).toBe("length");
    expect(message.content).toMatchObject([
      { type: "text", text: "Let me look." },
      { type: "toolCall", name: "ls" },
    ]);
  });

  test.runIf(wire.api !== "google-generative-ai")("a call cut at the answer's length stays, marked and without arguments", async () => {
    const cut: Said = { type: "call", id: "callAbc12", name: "write", pieces: ['{"path":"a.txt","con', 'tent":"Once upon'] };
    server.answer(sendStream(answerOf(wire, [cut], "length", COUNTS)));
    const message = messageOf(await collect(clientFor(wire, server.url)));
    expect(message.stopReason).toBe("length");
    expect(message.content).toMatchObject([
      { type: "toolCall", id: "callAbc12", name: "write", arguments: {}, unreadable: expect.stringMatching(/output limit.*Once upon$/s) },
    ]);
  });

  test.runIf(wire.finishes.includes("filter"))("an answer stopped by the vendor's content policy is not retried", async () => {
    server.answer(sendStream(answerOf(wire, HELLO, "filter", COUNTS)));
    // Anthropic says that the model declined, the others that a filter stopped it.
    const code = wire.api === "anthropic-messages" ? "refused" : "filtered";
    expect(failureOf(await collect(clientFor(wire, server.url))).error).toMatchObject({ code, retry: { type: "never" } });
  });

  test("row 1: a stream that ends inside a tool call fails, and no call survives", async () => {
    server.answer(sendStream([...wire.begin(COUNTS), ...wire.say(HELLO), ...wire.halfCall]));
    const failure = failureOf(await collect(clientFor(wire, server.url)));
    expect(failure.error).toMatchObject({ code: "truncated", retry: { type: "backoff" } });
    expect(failure.partial?.content).toEqual([{ type: "text", text: "Hello, 世界 👋" }]);
    expect(failure.partial?.stopReason).toBe("error");
  });

  test("row 1: a call whose arguments are not a JSON object stays, marked and without arguments, if the answer is complete", async () => {
    const broken: Said = { type: "call", id: "callAbc12", name: "ls", pieces: ["[1,2]"] };
    server.answer(sendStream(answerOf(wire, [broken], "tools", COUNTS)));
    const message = messageOf(await collect(clientFor(wire, server.url)));
    expect(message.stopReason).toBe("toolUse");
    expect(message.content).toMatchObject([
      {
        type: "toolCall",
        name: "ls",
        arguments: {},
        unreadable: expect.stringContaining("not a valid JSON object. They ended with: [1,2]"),
      },
    ]);
  });

  test.each([
    ["a page", "text/html", "<html>Welcome</html>"],
    ["JSON", "application/json", '{"hello":"world"}'],
    ["nothing", "text/event-stream", ""],
  ])("row 2: a success that is %s fails", async (_name, type, body) => {
    server.answer((response) => void response.writeHead(200, { "content-type": type }).end(body));
    const failure = failureOf(await collect(clientFor(wire, server.url)));
    expect(failure.error).toMatchObject({ code: "truncated", retry: { type: "backoff" } });
    expect(failure.partial).toBeUndefined();
  });

  test("row 2: an error with a success status is read as an error", async () => {
    server.answer(sendJson(200, { error: { type: "rate_limit_error", message: "Too many requests" } }));
    expect(failureOf(await collect(clientFor(wire, server.url))).error.code).toBe("rate-limited");
  });

  test("row 3: a clean end without a finish is truncated and may be retried", async () => {
    server.answer(sendStream([...wire.begin(COUNTS), ...wire.say(HELLO)]));
    const failure = failureOf(await collect(clientFor(wire, server.url)));
    expect(failure.error).toMatchObject({ code: "truncated", retry: { type: "backoff" } });
    expect(failure.partial?.content).toEqual([{ type: "text", text: "Hello, 世界 👋" }]);
  });

  test.each<[string, (begin: string[]) => string[]]>([
    ["without any frame", () => []],
    ["before the answer", (begin) => begin],
    ["within a text", (begin) => [...begin, ...wire.say(HELLO)]],
    ["within a call", (begin) => [...begin, ...wire.halfCall]],
    ["within a frame", (begin) => [...begin, ...wire.say(HELLO), 'data: {"id":']],
    ["with only the end marker of Chat Completions", (begin) => [...begin, ...wire.say(HELLO), "data: [DONE]\n\n"]],
  ])("row 3: a stream that ends %s is reported as an early end, not as unreadable", async (_name, frames) => {
    server.answer(sendStream(frames(wire.begin(COUNTS))));
    const { error } = failureOf(await collect(clientFor(wire, server.url)));
    expect(error).toMatchObject({ code: "truncated", retry: { type: "backoff" } });
    expect(error.message).toContain("broke off: the stream ended before the answer was complete.");
  });

  test("row 4: a frame that is not JSON fails the message, even if valid ones follow", async () => {
    server.answer(sendStream([...wire.begin(COUNTS), ...wire.say(HELLO), "data: {oops\n\n", ...wire.end("stop", COUNTS, HELLO)]));
    const { error } = failureOf(await collect(clientFor(wire, server.url)));
    expect(error.code).toBe("truncated");
    expect(error.message).toContain("it sent a frame that cannot be read");
  });

  test.each(["before", "inside", "after"])("row 5: an event of an unknown kind %s the answer is ignored", async (place) => {
    const frames = [
      ...wire.begin(COUNTS),
      ...(place === "before" ? [wire.unknown] : []),
      ...wire.say(HELLO),
      ...(place === "inside" ? [wire.unknown] : []),
      ...wire.end("stop", COUNTS, HELLO).filter((frame) => !frame.includes("[DONE]")),
      ...(place === "after" ? [wire.unknown] : []),
    ];
    server.answer(sendStream(frames));
    expect(messageOf(await collect(clientFor(wire, server.url)))).toMatchObject({
      stopReason: "stop",
      content: [{ text: "Hello, 世界 👋" }],
    });
  });

  test.each(["before", "inside"])("row 6: a failure %s the answer is classified by its shape", async (place) => {
    server.answer(sendStream([...wire.begin(COUNTS), ...(place === "inside" ? wire.say(HELLO) : []), wire.failure.frame]));
    const failure = failureOf(await collect(clientFor(wire, server.url)));
    expect(failure.error.code).toBe(wire.failure.code);
    expect(failure.error.retry.type).not.toBe("never");
    expect(failure.partial === undefined).toBe(place === "before");
  });

  test("row 7: a cut connection is unreachable before the answer and truncated within it", async () => {
    server.answer((response) => void response.socket?.destroy());
    expect(failureOf(await collect(clientFor(wire, server.url))).error).toMatchObject({ code: "unreachable", retry: { type: "backoff" } });
    server.answer(sendAndCut([...wire.begin(COUNTS), ...wire.say(HELLO)]));
    const failure = failureOf(await collect(clientFor(wire, server.url)));
    expect(failure.error).toMatchObject({ code: "truncated", retry: { type: "backoff" } });
    expect(failure.error.status).toBeUndefined();
  });

  test("no server: unreachable, and the text names the address", async () => {
    const { url } = server;
    await server[Symbol.asyncDispose]();
    const failure = failureOf(await collect(clientFor(wire, url)));
    expect(failure.error.code).toBe("unreachable");
    expect(failure.error.message).toContain(url);
    expect(failure.error.message).toContain("ECONNREFUSED");
  });

  test("row 8: an abort in the middle ends with aborted, keeps what was shown, and closes the connection", async () => {
    server.answer(sendAndStall([...wire.begin(COUNTS), ...wire.say(HELLO)]));
    const controller = new AbortController();
    const events: ModelEvent[] = [];
    for await (const event of clientFor(wire, server.url).stream(requestOf(), { signal: controller.signal })) {
      events.push(event);
      if (textOf(events).endsWith("👋") && !controller.signal.aborted) controller.abort(new Error("the user pressed stop"));
    }
    const failure = failureOf(events);
    expect(failure.error).toMatchObject({ code: "aborted", retry: { type: "never" } });
    expect(failure.partial).toMatchObject({ stopReason: "aborted", content: [{ text: "Hello, 世界 👋" }] });
    await server.requests[0]?.closed;
  });

  test("row 8: an abort before the first byte ends at once and closes the connection", async () => {
    server.answer(() => {});
    const controller = new AbortController();
    const running = collect(clientFor(wire, server.url), requestOf(), controller.signal);
    const request = await server.nextRequest();
    controller.abort();
    expect(failureOf(await running)).toMatchObject({ error: { code: "aborted" } });
    await request.closed;
  });

  test("a signal that has fired already sends nothing", async () => {
    const failure = failureOf(await collect(clientFor(wire, server.url), requestOf(), AbortSignal.abort()));
    expect(failure.error.code).toBe("aborted");
    expect(server.requests).toHaveLength(0);
  });

  test("leaving the loop early closes the connection", async () => {
    server.answer(sendAndStall([...wire.begin(COUNTS), ...wire.say(HELLO)]));
    for await (const event of clientFor(wire, server.url).stream(requestOf(), { signal: new AbortController().signal })) {
      if (event.type === "text-delta") break;
    }
    await server.requests[0]?.closed;
  });

  test("sequential calls share one connection", async () => {
    const ports = new Set<number | undefined>();
    server.answer((response, request) => {
      ports.add(response.socket?.remotePort);
      return sendStream(answerOf(wire, HELLO, "stop", COUNTS))(response, request);
    });
    const clock = new FakeClock();
    const client = clientFor(wire, server.url, { clock });
    for (let turn = 0; turn < 3; turn += 1) {
      messageOf(await collect(client));
      await released(clock);
    }
    expect(ports.size).toBe(1);
  });

  test("a conversation that does not fit is context-overflow", async () => {
    server.answer(sendJson(wire.overflow.status, wire.overflow.body));
    expect(failureOf(await collect(clientFor(wire, server.url))).error).toMatchObject({
      code: "context-overflow",
      retry: { type: "never" },
    });
  });

  test("a call id that the conversation already has is replaced", async () => {
    const request = requestOf({
      messages: [
        ...requestOf().messages,
        {
          role: "assistant",
          content: [{ type: "toolCall", id: CALL.id, name: "ls", arguments: { path: "." } }],
          api: wire.api,
          provider: wire.info.provider,
          model: wire.info.id,
          usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 },
          stopReason: "toolUse",
          timestamp: 2,
        },
        {
          role: "toolResult",
          toolCallId: CALL.id,
          toolName: "ls",
          content: [{ type: "text", text: "a.txt" }],
          isError: false,
          timestamp: 3,
        },
      ],
    });
    server.answer(sendStream(answerOf(wire, [CALL], "tools", COUNTS)));
    const part = messageOf(await collect(clientFor(wire, server.url), request)).content[0];
    expect(part?.type === "toolCall" && part.id).not.toBe(CALL.id);
  });
});

describe("a server that ends its connection late", () => {
  const answer = answerOf(anthropic, HELLO, "stop", COUNTS);

  test("does not delay the answer, and its connection is reused", async () => {
    const ports = new Set<number | undefined>();
    const open: ServerResponse[] = [];
    server.answer((response, request) => {
      ports.add(response.socket?.remotePort);
      open.push(response);
      return sendAndStall(answer)(response, request);
    });
    const clock = new FakeClock();
    const client = clientFor(anthropic, server.url, { clock });
    for (let turn = 0; turn < 2; turn += 1) {
      messageOf(await collect(client));
      expect(clock.pending).toBe(1);
      open.pop()?.end();
      await released(clock);
    }
    expect(ports.size).toBe(1);
  });

  test("is disconnected after a second", async () => {
    const clock = new FakeClock();
    server.answer(sendAndStall(answer));
    messageOf(await collect(clientFor(anthropic, server.url, { clock })));
    expect(clock.pending).toBe(1);
    clock.advance(1_000);
    await server.requests[0]?.closed;
    expect(clock.pending).toBe(0);
  });
});
