import { describe, expect, test } from "vitest";
import { PromptCache } from "./prompt-cache.ts";
import type { JsonObject, JsonValue } from "../json.ts";

const mark = { type: "ephemeral" };
const hour = { type: "ephemeral", ttl: "1h" };
/** 100 tokens: a text and its block. */
const long = (name: string): string => name.repeat(400 / name.length);

function text(value: string, cache_control?: JsonObject): JsonObject {
  return { type: "text", text: value, ...(cache_control && { cache_control }) };
}

function request(system: readonly JsonValue[], messages: readonly JsonValue[], rest: JsonObject = {}): JsonObject {
  return { model: "m", system, messages: messages.map((content) => ({ role: "user", content: [content] })), ...rest };
}

function charge(cache: PromptCache, body: JsonObject, nowMs = 0, minTokens = 0): { input: number; read: number; written: number } {
  const usage = cache.charge(body, { nowMs, minTokens });
  return { input: usage.input_tokens, read: usage.cache_read_input_tokens, written: usage.cache_creation_input_tokens };
}

describe("PromptCache", () => {
  test("writes up to the last mark, then reads it and charges the rest", () => {
    const cache = new PromptCache();
    const first = charge(cache, request([text(long("s"), mark)], [text(long("a"), mark)]));
    expect(first).toMatchObject({ input: 0, read: 0 });
    const second = charge(cache, request([text(long("s"), mark)], [text(long("a")), text(long("b"), mark), text(long("c"))]));
    expect(second.read).toBe(first.written);
    expect(second.written).toBe(first.written / 2);
    expect(second.input).toBe(first.written / 2);
  });

  test("one changed byte of the system prompt loses everything, one of the last message only that", () => {
    const cache = new PromptCache();
    const body = (system: string, last: string): JsonObject => request([text(system, mark)], [text(long("a"), mark), text(last, mark)]);
    const first = charge(cache, body(long("s"), long("b")));
    expect(charge(cache, body(`${long("s").slice(1)}x`, long("b")))).toEqual({ ...first, read: 0 });
    expect(charge(cache, body(long("s"), long("c"))).read).toBe((first.written / 3) * 2);
  });

  test("nothing is cached without a mark or below the minimum prefix", () => {
    const cache = new PromptCache();
    for (const _again of [1, 2]) expect(charge(cache, request([text(long("s"))], []))).toMatchObject({ read: 0, written: 0 });
    for (const _again of [1, 2])
      expect(charge(cache, request([text(long("s"), mark)], []), 0, 1_024)).toMatchObject({ read: 0, written: 0 });
  });

  test("an entry lives for five minutes from its last use, for an hour on request", () => {
    const cache = new PromptCache();
    const short = request([text(long("s"), mark)], []);
    const lasting = request([text(long("t"), hour)], []);
    charge(cache, short);
    charge(cache, lasting);
    expect(charge(cache, short, 299_999).read).toBeGreaterThan(0);
    expect(charge(cache, short, 599_998).read).toBeGreaterThan(0);
    expect(charge(cache, short, 599_998 + 300_000).read).toBe(0);
    expect(charge(cache, lasting, 3_599_999).read).toBeGreaterThan(0);
    expect(charge(cache, lasting, 3_599_999 + 3_600_000).read).toBe(0);
  });

  test("a read entry is renewed, even if the longer request ends elsewhere", () => {
    const cache = new PromptCache();
    const body = (...texts: readonly string[]): JsonObject =>
      request(
        [text(long("s"), hour)],
        texts.map((value, index) => text(long(value), index === texts.length - 1 ? hour : undefined)),
      );
    const first = charge(cache, body("a"));
    expect(charge(cache, body("a", "b"), 3_000_000).read).toBe(first.written);
    expect(charge(cache, body("a", "c"), 6_000_000).read).toBe(first.written);
  });

  test("written tokens are split by their mark's time to live", () => {
    const usage = new PromptCache().charge(request([text(long("s"), hour)], [text(long("a"), mark)]), { nowMs: 0, minTokens: 0 });
    const { ephemeral_1h_input_tokens: long1h, ephemeral_5m_input_tokens: short5m } = usage.cache_creation;
    expect(long1h).toBeGreaterThan(0);
    expect(long1h).toBe(short5m);
    expect(long1h + short5m).toBe(usage.cache_creation_input_tokens);
  });

  test("a mark searches 20 blocks backwards, not further", () => {
    const grown = (count: number): JsonObject => {
      const blocks = Array.from({ length: count }, (_, index) => text(long(String(index % 10))));
      return request([], [text(long("a"), mark), ...blocks.slice(0, -1), text(long("z"), mark)]);
    };
    const start = request([], [text(long("a"), mark)]);
    const unmarkedStart = (count: number): JsonObject => {
      const body = grown(count);
      const messages = Array.isArray(body["messages"]) ? body["messages"] : [];
      return { ...body, messages: [{ role: "user", content: [text(long("a"))] }, ...messages.slice(1)] };
    };
    const near = new PromptCache();
    charge(near, start);
    expect(charge(near, unmarkedStart(20)).read).toBeGreaterThan(0);
    const far = new PromptCache();
    charge(far, start);
    expect(charge(far, unmarkedStart(21)).read).toBe(0);
    // A mark at the old position finds it again.
    expect(charge(far, grown(21)).read).toBeGreaterThan(0);
  });

  test("another tool choice keeps tools and system and loses the messages; another model loses everything", () => {
    const cache = new PromptCache();
    const body = (rest: JsonObject): JsonObject => request([text(long("s"), mark)], [text(long("a"), mark)], rest);
    const first = charge(cache, body({}));
    expect(charge(cache, body({ tool_choice: { type: "none" } })).read).toBe(first.written / 2);
    expect(charge(cache, body({ model: "other" })).read).toBe(0);
  });

  test("an automatic mark is on the last block", () => {
    const cache = new PromptCache();
    const first = charge(cache, request([], [text(long("a"))], { cache_control: mark }));
    expect(first).toMatchObject({ input: 0, read: 0 });
    expect(charge(cache, request([], [text(long("a")), text(long("b"))], { cache_control: mark })).read).toBe(first.written);
  });
});
