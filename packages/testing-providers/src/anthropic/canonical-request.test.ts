import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalRequest, isPrefixOf, type JsonObject, type JsonValue, prefixReport } from "../index.ts";
import { sampleRequest, toJson } from "./sample-request.ts";

function withMessages(body: JsonObject, change: (messages: readonly JsonValue[]) => readonly JsonValue[]): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages)) throw new Error("The sample has no messages.");
  return { ...body, messages: change(messages) };
}

const sample = toJson(sampleRequest());
const more: JsonValue = { role: "assistant", content: [{ type: "text", text: "Two files." }] };

describe("canonicalRequest", () => {
  test("keeps the order of keys and removes the marks of tools, blocks and blocks in results", () => {
    const mark = { type: "ephemeral" };
    const result = {
      type: "tool_result",
      tool_use_id: "a",
      content: [{ type: "text", text: "x", cache_control: mark }],
      cache_control: mark,
    };
    const body = {
      tools: [{ name: "b", cache_control: mark, a: 1 }],
      system: [{ text: "s", type: "text" }],
      messages: [{ role: "user", content: [result] }],
    };
    expect(canonicalRequest(body)).toEqual({
      tools: ['{"name":"b","a":1}'],
      system: ['{"text":"s","type":"text"}'],
      messages: ['{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"x"}]}]}'],
    });
  });

  test("does not touch data named cache_control", () => {
    const call = { type: "tool_use", id: "a", name: "b", input: { cache_control: 1 } };
    const body = {
      tools: [{ name: "b", input_schema: { properties: { cache_control: {} } } }],
      messages: [{ role: "assistant", content: [call] }],
    };
    const canonical = canonicalRequest(body);
    expect(canonical.tools[0]).toContain('"cache_control":{}');
    expect(canonical.messages[0]).toContain('"input":{"cache_control":1}');
  });

  test("treats a string as its single text block", () => {
    const asString = { system: "s", messages: [{ role: "user", content: "hi" }] };
    const asBlocks = { system: [{ type: "text", text: "s" }], messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] };
    expect(canonicalRequest(asString)).toEqual(canonicalRequest(asBlocks));
  });
});

describe("prefixReport", () => {
  test("a request is its own prefix, and that of itself plus messages with the marks moved", () => {
    expect(prefixReport(sample, sample)).toEqual({ type: "prefix", appendedMessages: 0 });
    const moved = toJson(sampleRequest());
    const unmarked: JsonObject = JSON.parse(
      JSON.stringify(moved, (key, value: JsonValue) => (key === "cache_control" ? undefined : value)),
    );
    const next = withMessages(unmarked, (messages) => [...messages, more]);
    expect(prefixReport(sample, next)).toEqual({ type: "prefix", appendedMessages: 1 });
    expect(isPrefixOf(next, sample)).toBe(false);
  });

  test("reports the first difference", () => {
    const next = withMessages(sample, (messages) => [{ role: "user", content: "What lay here?" }, ...messages.slice(1), more]);
    expect(prefixReport(sample, next)).toMatchObject({
      type: "broken",
      part: "messages",
      index: 0,
      commonCharacters: '{"role":"user","content":[{"type":"'.length,
    });
  });

  test("an additional tool or system block breaks it: only messages may be appended", () => {
    const tools = Array.isArray(sample["tools"]) ? sample["tools"] : [];
    expect(prefixReport(sample, { ...sample, tools: [...tools, { name: "late" }] })).toMatchObject({
      part: "tools",
      index: 2,
      previous: undefined,
    });
    expect(prefixReport(sample, { ...sample, system: "The workspace is /srv." })).toMatchObject({ part: "system", index: 0 });
  });

  test("text appended inside the last message breaks it", () => {
    const next = withMessages(sample, (messages) => [
      ...messages.slice(0, -1),
      { role: "user", content: [{ type: "text", text: "And? Really?" }] },
    ]);
    expect(isPrefixOf(sample, next)).toBe(false);
  });

  const message = fc.record({
    role: fc.constantFrom("user", "assistant"),
    content: fc.array(fc.record({ type: fc.constant("text"), text: fc.string() })),
  });
  const request = fc.record({ system: fc.string(), messages: fc.array(message, { minLength: 1 }) });

  test("holds for any appended messages, and never after a change of one old message", () => {
    fc.assert(
      fc.property(request, fc.array(message), fc.nat(), (before, appended, pick) => {
        const after = { ...before, messages: [...before.messages, ...appended] };
        expect(prefixReport(before, after)).toEqual({ type: "prefix", appendedMessages: appended.length });
        const index = pick % before.messages.length;
        const changed = after.messages.with(index, {
          role: "user",
          content: [{ type: "text", text: "never drawn: \u{1F9ED}\u{1F9ED}\u{1F9ED}\u{1F9ED}\u{1F9ED}\u{1F9ED}" }],
        });
        expect(prefixReport(before, { ...after, messages: changed })).toMatchObject({ type: "broken", part: "messages", index });
      }),
    );
  });
});
