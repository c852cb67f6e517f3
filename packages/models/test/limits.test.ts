import { createServer, type Server } from "node:net";
import type { AddressInfo } from "node:net";
import type { ModelEvent } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { clientFor, collect, failureOf, messageOf, requestOf } from "./client.ts";
import { FakeClock } from "./fake-clock.ts";
import { type Answer, sendAndStall, sendStream, startWireServer, type WireServer } from "./wire-server.ts";
import { WIRES } from "./wires/all-wires.ts";
import type { ModelTimeouts } from "../src/index.ts";
import { anthropic } from "./wires/anthropic.ts";
import { answerOf, event, type Wire } from "./wires/wire.ts";

const COUNTS = { input: 1, cacheRead: 0, output: 1 };
const TIMEOUTS = { connectMs: 10_000, firstEventMs: 120_000, idleMs: 60_000 };

let server: WireServer;
let clock: FakeClock;
beforeEach(async () => {
  server = await startWireServer();
  clock = new FakeClock();
});
afterEach(() => server[Symbol.asyncDispose]());

/** Reads up to this text or thought, then returns the next event, unread. */
async function readUntil(
  wire: Wire,
  text: string,
  options: { readonly fetch?: typeof fetch; readonly timeouts?: ModelTimeouts } = {},
): Promise<{ readonly next: Promise<IteratorResult<ModelEvent>> }> {
  const stream = clientFor(wire, server.url, { clock, timeouts: TIMEOUTS, ...options }).stream(requestOf(), {
    signal: new AbortController().signal,
  });
  const iterator = stream[Symbol.asyncIterator]();
  let seen = "";
  while (!seen.endsWith(text)) {
    const { value, done } = await iterator.next();
    if (done === true) throw new Error("it ended early");
    if (value.type === "message-failed") throw value.error;
    if (value.type === "text-delta" || value.type === "thinking-delta") seen += value.text;
  }
  return { next: iterator.next() };
}

/** A fetch that reports when a frame has passed through the body and its consumers have run. */
function watchFor(frame: string): { readonly fetch: typeof fetch; readonly passed: Promise<void> } {
  const seen = Promise.withResolvers<void>();
  let text = "";
  const watched: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk);
        text += Buffer.from(chunk).toString("utf8");
        if (text.endsWith(frame)) seen.resolve();
      },
    });
    return new Response(response.body?.pipeThrough(watch) ?? null, { status: response.status, headers: response.headers });
  };
  const passed = seen.promise.then(async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  });
  return { fetch: watched, passed };
}

describe.each(WIRES)("row 9, $name", (wire: Wire) => {
  test("no headers: the limit for the first event, from the call on", async () => {
    server.answer(() => {});
    const running = collect(clientFor(wire, server.url, { clock, timeouts: TIMEOUTS }));
    const request = await server.nextRequest();
    clock.advance(119_999);
    clock.advance(1);
    const { error } = failureOf(await running);
    expect(error).toMatchObject({ code: "timeout", retry: { type: "backoff" } });
    expect(error.message).toContain("nothing came within 120 s");
    await request.closed;
    expect(clock.pending).toBe(0);
  });

  test("a stall within the text: the limit between two events, and keep-alives do not count", async () => {
    let write = (_frame: string): void => {};
    server.answer((response, request) => {
      write = (frame) => void response.write(frame);
      return sendAndStall([
        ...wire.begin(COUNTS),
        ...wire.say([{ type: "text", pieces: ["Hello"] }]).slice(0, wire.api === "openai-responses" ? 3 : 2),
      ])(response, request);
    });
    const keepAlive = watchFor(wire.keepAlive);
    const { next } = await readUntil(wire, "Hello", { fetch: keepAlive.fetch });
    await clock.whenSet(60_000);
    clock.advance(59_000);
    write(wire.keepAlive);
    await keepAlive.passed;
    clock.advance(1_000);
    const { value } = await next;
    expect(value).toMatchObject({
      type: "message-failed",
      error: { code: "timeout" },
      partial: { content: [{ type: "text", text: "Hello" }] },
    });
    expect(clock.pending).toBe(0);
  });
});

/** Sends a chunk repeatedly until the caller closes the connection; returns the number of bytes sent. */
function flood(first: readonly string[], piece: string): { readonly answer: Answer; readonly sent: Promise<number> } {
  const sent = Promise.withResolvers<number>();
  const answer: Answer = (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.once("close", () => sent.resolve(response.socket?.bytesWritten ?? bytes));
    for (const frame of first) response.write(frame);
    let bytes = 0;
    const pump = (): void => {
      if (response.destroyed) return;
      bytes += piece.length;
      response.write(piece, pump);
    };
    pump();
  };
  return { answer, sent: sent.promise };
}

const KIB = 1024;
const MIB = 1024 * KIB;

describe.each(WIRES)("floods, $name", (wire: Wire) => {
  test.each([
    ["a line that never ends", "data: ", "x".repeat(64 * KIB)],
    ["an event that never ends", "", `data: ${"x".repeat(KIB)}\n`],
  ])("ends the call at 4 MiB of %s", async (_name, head, piece) => {
    const { answer, sent } = flood([...wire.begin(COUNTS), head], piece);
    server.answer(answer);
    const { error } = failureOf(await collect(clientFor(wire, server.url)));
    expect(error).toMatchObject({ code: "server", retry: { type: "never" } });
    expect(error.message).toContain("it sent an event of more than 4 MiB, so the call was ended");
    // The data in the buffers of both sockets was in transit already.
    expect(await sent).toBeLessThan(16 * MIB);
  });

  test("ends the call at more text than the output limit allows", async () => {
    const said = wire.say([{ type: "text", pieces: ["x".repeat(16 * KIB)] }]);
    const delta = said.findIndex((frame) => frame.includes("xxxx"));
    const { answer, sent } = flood([...wire.begin(COUNTS), ...said.slice(0, delta)], said[delta] ?? "");
    server.answer(answer);
    const { error, partial } = failureOf(await collect(clientFor(wire, server.url)));
    expect(error).toMatchObject({ code: "output-limit", retry: { type: "never" } });
    expect(error.message).toMatch(
      /^The answer of \S+ grew too long: it was stopped at 1,048,576 characters, the most that is taken of one answer\.$/,
    );
    expect(partial?.content).toEqual([{ type: "text", text: "x".repeat(MIB) }]);
    expect(await sent).toBeLessThan(16 * MIB);
  });

  test("ends the call at 64 MiB of invisible data", async () => {
    const { answer } = flood(wire.begin(COUNTS), `: ${"x".repeat(MIB)}\n\n`);
    server.answer(answer);
    const { error } = failureOf(await collect(clientFor(wire, server.url)));
    expect(error.message).toContain("it sent an answer of more than 64 MiB");
  });

  test("accepts an event of nearly 4 MiB", async () => {
    const text = "x".repeat(4 * MIB - 2 * KIB);
    server.answer(sendStream(answerOf(wire, [{ type: "text", pieces: [text] }], "stop", COUNTS)));
    expect(messageOf(await collect(clientFor(wire, server.url, { info: { maxOutput: 200_000 } }))).content).toEqual([
      { type: "text", text },
    ]);
  });

  test("does not count empty deltas as progress", async () => {
    let write = (_frame: string): void => {};
    const said = wire.say([{ type: "text", pieces: ["Hello", ""] }]);
    const empty = said.findIndex((frame) => frame.includes("Hello")) + 1;
    server.answer((response, request) => {
      write = (frame) => void response.write(frame);
      return sendAndStall([...wire.begin(COUNTS), ...said.slice(0, empty)])(response, request);
    });
    const passed = watchFor(said[empty] ?? "");
    const { next } = await readUntil(wire, "Hello", { fetch: passed.fetch });
    await clock.whenSet(60_000);
    clock.advance(59_000);
    write(said[empty] ?? "");
    await passed.passed;
    clock.advance(1_000);
    expect((await next).value).toMatchObject({ type: "message-failed", error: { code: "timeout" } });
  });
});

test("a slow consumer uses up no limit", async () => {
  server.answer(sendStream(answerOf(anthropic, [{ type: "text", pieces: ["a", "b", "c"] }], "stop", COUNTS)));
  const events: ModelEvent[] = [];
  for await (const one of clientFor(anthropic, server.url, { clock, timeouts: TIMEOUTS }).stream(requestOf(), {
    signal: new AbortController().signal,
  })) {
    events.push(one);
    clock.advance(1_000_000);
  }
  expect(messageOf(events).content).toEqual([{ type: "text", text: "abc" }]);
});

describe("a model that thinks in silence", () => {
  const thinking = [
    event("content_block_start", { index: 0, content_block: { type: "thinking", thinking: "", signature: "" } }),
    event("content_block_delta", { index: 0, delta: { type: "thinking_delta", thinking: "Hm" } }),
  ];

  test.each([
    ["as long as for a first event", TIMEOUTS, 120_000],
    ["but never less than between two events", { connectMs: 1_000, firstEventMs: 2_000, idleMs: 5_000 }, 5_000],
  ])("has %s", async (_name, timeouts, limitMs) => {
    server.answer(sendAndStall([...anthropic.begin(COUNTS), ...thinking]));
    const { next } = await readUntil(anthropic, "Hm", { timeouts });
    await clock.whenSet(limitMs);
    clock.advance(limitMs - 1);
    expect(clock.pending).toBe(1);
    clock.advance(1);
    const { value } = await next;
    expect(value).toMatchObject({ type: "message-failed", error: { code: "timeout" } });
  });

  test("and so has one that writes a long argument, if the server holds it back", async () => {
    server.answer(
      sendAndStall([...anthropic.begin(COUNTS), ...anthropic.say([{ type: "text", pieces: ["Writing."] }]), ...anthropic.halfCall]),
    );
    const stream = clientFor(anthropic, server.url, { clock, timeouts: TIMEOUTS }).stream(requestOf(), {
      signal: new AbortController().signal,
    });
    const iterator = stream[Symbol.asyncIterator]();
    for (;;) if ((await iterator.next()).value.type === "tool-call-delta") break;
    const next = iterator.next();
    await clock.whenSet(120_000);
    clock.advance(120_000);
    expect((await next).value).toMatchObject({
      type: "message-failed",
      error: { code: "timeout" },
      partial: { content: [{ text: "Writing." }] },
    });
  });
});

describe("connecting", () => {
  let silent: Server;
  let url: string;
  beforeEach(async () => {
    // Accepts the connection and never answers the TLS greeting.
    silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  });
  afterEach(() => void silent.close());

  test("a server that does not finish the greeting runs into the limit for connecting", async () => {
    const connected = new Promise((resolve) => silent.once("connection", resolve));
    const running = collect(clientFor(anthropic, url, { clock, timeouts: { ...TIMEOUTS, connectMs: 3_000 } }));
    await connected;
    clock.advance(3_000);
    const { error } = failureOf(await running);
    expect(error.code).toBe("timeout");
    expect(error.message).toContain("no connection within 3 s");
  });

  test("the connection of another call does not count as its own", async () => {
    const connected = new Promise((resolve) => silent.once("connection", resolve));
    const running = collect(clientFor(anthropic, url, { clock, timeouts: { ...TIMEOUTS, connectMs: 3_000 } }));
    await connected;
    server.answer(sendStream(answerOf(anthropic, [{ type: "text", pieces: ["hi"] }], "stop", COUNTS)));
    messageOf(await collect(clientFor(anthropic, server.url)));
    clock.advance(3_000);
    expect(failureOf(await running).error.message).toContain("no connection within 3 s");
  });

  test("a connected server that sends no headers does not", async () => {
    server.answer(() => {});
    const controller = new AbortController();
    const running = collect(clientFor(anthropic, server.url, { clock, timeouts: TIMEOUTS }), requestOf(), controller.signal);
    await server.nextRequest();
    clock.advance(100_000);
    controller.abort();
    expect(failureOf(await running).error.code).toBe("aborted");
  });

  test("another fetch implementation, which is not observable, is not cut off", async () => {
    const slow: typeof fetch = async () => {
      clock.advance(100_000);
      return new Response(answerOf(anthropic, [{ type: "text", pieces: ["late"] }], "stop", COUNTS).join(""), {
        headers: { "content-type": "text/event-stream" },
      });
    };
    expect(messageOf(await collect(clientFor(anthropic, url, { clock, timeouts: TIMEOUTS, fetch: slow }))).content).toEqual([
      { type: "text", text: "late" },
    ]);
  });
});
