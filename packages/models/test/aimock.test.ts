import type { ModelErrorCode } from "@factotum/agent-contract";
import { createScriptConversation, startAimock, startStrictServer, WIRE_FORMATS } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { clientFor, collect, failureOf, messageOf, requestOf } from "./client.ts";
import { converse, stored } from "./play-conversation.ts";
import { STRICT_WIRES } from "./wires/all-wires.ts";

const REPLIES = createScriptConversation.neutralReplies;

/** The expected failure kinds, independent of their texts. */
const FAILURES = [
  ["authentication", "unauthorized"],
  ["not-found", "not-found"],
  ["rate-limit", "rate-limited"],
  ["overloaded", "overloaded"],
  ["server", "server"],
  ["request-too-large", "context-overflow"],
] as const satisfies readonly (readonly [string, ModelErrorCode])[];

/** Answers written by a third party: our strict servers and our client might share a misunderstanding. */
describe.each(WIRE_FORMATS)("%s, answered by aimock", (format) => {
  // Its Mistral calls come in chunks that no client of Mistral reads.
  const kinds = format === "mistral" ? (["prompt"] as const) : (["native", "prompt"] as const);

  test.each(kinds)("the conversation with tools %s has the same transcript as with our own servers", async (tools) => {
    await using own = await startStrictServer(format);
    await using theirs = await startAimock(format);
    const expected = stored(await converse(own, { tools, replies: REPLIES }));
    expect(stored(await converse(theirs, { tools, replies: REPLIES }))).toEqual(expected);
    expect(expected).toHaveLength(2 * REPLIES.length);
    expect(theirs.violations).toEqual([]);
  });

  test("the same if the stream comes in single bytes", async () => {
    await using own = await startStrictServer(format);
    await using theirs = await startAimock(format);
    const run = { tools: "prompt", replies: REPLIES } as const;
    expect(stored(await converse(theirs, { ...run, singleBytes: true }))).toEqual(stored(await converse(own, run)));
    expect(theirs.violations).toEqual([]);
  });

  test.each(FAILURES)("a failure of the kind %s is %s", async (errorType, code) => {
    await using server = await startAimock(format);
    server.script([{ type: "error", errorType, message: "It did not work." }]);
    expect(failureOf(await collect(clientFor(STRICT_WIRES[format], server.baseUrl), requestOf())).error.code).toBe(code);
  });
});

// aimock marks every answer of the Responses endpoint as complete; the vendor marks an unfinished one in the event itself.
test.each(WIRE_FORMATS.filter((format) => format !== "openai-responses"))("%s: an answer cut at its length says so", async (format) => {
  await using server = await startAimock(format);
  server.script([{ type: "message", stop: "length", content: [{ type: "text", text: "Once upon a" }] }]);
  const message = messageOf(await collect(clientFor(STRICT_WIRES[format], server.baseUrl), requestOf()));
  expect(message).toMatchObject({ stopReason: "length", content: [{ type: "text", text: "Once upon a" }] });
});

test("visible thinking comes as thinking, with the proof that its vendor requires back", async () => {
  await using server = await startAimock("anthropic-messages");
  server.script([
    {
      type: "message",
      content: [
        { type: "thinking", text: "The skill comes first." },
        { type: "text", text: "Good." },
      ],
    },
  ]);
  const client = clientFor(STRICT_WIRES["anthropic-messages"], server.baseUrl, { info: { reasoning: true } });
  const { content } = messageOf(await collect(client, requestOf({ thinking: "high" })));
  expect(content).toMatchObject([
    { type: "thinking", text: "The skill comes first.", signature: { anthropic: { signature: expect.any(String) as string } } },
    { type: "text", text: "Good." },
  ]);
});
