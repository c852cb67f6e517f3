import {
  createScriptConversation,
  writtenReply,
  isPrefixOf,
  type MessageReply,
  startStrictServer,
  type StrictServer,
  WIRE_FORMATS,
  type WireFormatName,
} from "@factotum/testing-providers";
import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { clientFor, collect, messageOf, requestOf } from "./client.ts";
import { conversationRequest, conversations } from "./history.ts";
import { converse, type Run, stored, TOOLS } from "./play-conversation.ts";
import { STRICT_WIRES } from "./wires/all-wires.ts";

// Properties over many conversations may take minutes on a slow machine.
vi.setConfig({ testTimeout: 300_000 });

const THOUGHT = "The skill comes first.";
const REPLIES: readonly MessageReply[] = createScriptConversation.neutralReplies;

let server: StrictServer | undefined;
afterEach(() => server?.close());

/** Runs it against a strict server that refuses nothing. */
async function play(format: WireFormatName, run: Run): Promise<unknown> {
  server = await startStrictServer(format, { minCacheTokens: 0 });
  const messages = await converse(server, run);
  expect(server.violations).toEqual([]);
  expect(server.requests).toHaveLength(run.replies.length);
  return stored(messages);
}

describe("a whole conversation with tools", () => {
  let expected: unknown;
  beforeAll(async () => {
    expected = await play("anthropic-messages", { tools: "native", replies: REPLIES });
    await server?.close();
  });

  const runs = WIRE_FORMATS.flatMap((format) => (["native", "prompt"] as const).map((tools) => [format, tools] as const));

  test.each(runs)(
    "%s, tools %s: the same transcript, nothing refused, each request begins with the previous one",
    async (format, tools) => {
      expect(await play(format, { tools, replies: REPLIES })).toEqual(expected);
      const bodies = (server?.requests ?? []).map(({ body }) => body ?? {});
      for (const [index, body] of bodies.entries()) {
        if (index > 0) expect(isPrefixOf(bodies[index - 1] ?? {}, body, format)).toBe(true);
      }
    },
  );

  test.each(runs)("%s, tools %s: the same if the stream comes in single bytes", async (format, tools) => {
    expect(await play(format, { tools, replies: REPLIES, singleBytes: true })).toEqual(expected);
  });

  test("follows the script", () => {
    expect(JSON.stringify(expected)).toContain(JSON.stringify(createScriptConversation.scriptSource));
    expect(expected).toHaveLength(8);
  });
});

test("thinking between tags is kept like native thinking", async () => {
  const replies = REPLIES.map((reply) => ({ ...reply, content: [{ type: "thinking" as const, text: THOUGHT }, ...reply.content] }));
  const native = await play("anthropic-messages", { tools: "native", replies, reasoning: true });
  await server?.close();
  expect(await play("openai-chat", { tools: "prompt", replies })).toEqual(native);
  expect(JSON.stringify(native).split(THOUGHT)).toHaveLength(5);
});

test("an unreadable call runs nothing: its tool does not exist", async () => {
  const broken: MessageReply = { type: "message", content: [{ type: "text", text: "So.\n<tool_call>\nls the folder\n</tool_call>" }] };
  server = await startStrictServer("openai-chat");
  server.script([broken]);
  const client = clientFor(STRICT_WIRES["openai-chat"], server.baseUrl, { info: { tools: "prompt" } });
  const message = messageOf(await collect(client, requestOf({ tools: TOOLS })));
  expect(message).toMatchObject({
    stopReason: "toolUse",
    content: [
      { type: "text", text: "So." },
      { type: "toolCall", name: "invalid_tool_call", arguments: {} },
    ],
  });
});

test("an answer cut at its length keeps its calls, for the loop to refuse", async () => {
  server = await startStrictServer("openai-chat");
  server.script([
    writtenReply({
      type: "message",
      stop: "length",
      content: [
        { type: "text", text: "So." },
        { type: "toolCall", name: "ls", arguments: { path: "." } },
      ],
    }),
  ]);
  const client = clientFor(STRICT_WIRES["openai-chat"], server.baseUrl, { info: { tools: "prompt" } });
  expect(messageOf(await collect(client, requestOf({ tools: TOOLS })))).toMatchObject({
    stopReason: "length",
    content: [
      { type: "text", text: "So." },
      { type: "toolCall", name: "ls", arguments: { path: "." } },
    ],
  });
});

describe.each(WIRE_FORMATS)("%s takes every conversation that the core can send", (format) => {
  test.each(["native", "prompt"] as const)("tools %s", async (tools) => {
    const strict = await startStrictServer(format);
    server = strict;
    strict.respond(() => ({ type: "message", content: [{ type: "text", text: "ok" }] }));
    const client = clientFor(STRICT_WIRES[format], strict.baseUrl, { info: { tools } });
    await fc.assert(
      fc.asyncProperty(conversations, async ({ messages, cuts }) => {
        for (const cut of cuts) {
          const last = (await collect(client, conversationRequest(messages.slice(0, cut)))).at(-1);
          expect(strict.violations).toEqual([]);
          expect(last?.type).toBe("message-end");
        }
      }),
      { numRuns: 25 },
    );
  });
});
