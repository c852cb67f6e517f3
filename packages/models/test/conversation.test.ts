import type { AgentMessage, ToolSchema } from "@factotum/agent-contract";
import {
  createScriptConversation,
  isPrefixOf,
  type MessageReply,
  startStrictServer,
  type StrictServer,
  WIRE_FORMATS,
  type WireFormatName,
} from "@factotum/testing-providers";
import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { byteByByte, clientFor, collect, messageOf, requestOf } from "./client.ts";
import { conversationRequest, conversations, text, user } from "./history.ts";
import { STRICT_WIRES } from "./wires/all-wires.ts";

vi.setConfig({ testTimeout: 60_000 });

function tool(name: string, ...parameters: readonly string[]): ToolSchema {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: "string" }]));
  return { name, description: `Does ${name}.`, parameters: { type: "object", properties, required: [...parameters] } };
}

const TOOLS = [tool("ls", "path"), tool("read", "path"), tool("write", "path", "content")];
const THOUGHT = "The skill comes first.";
const REPLIES: readonly MessageReply[] = createScriptConversation.neutralReplies;

/** What a model without native calls and thinking writes in place of them. */
function inWriting(reply: MessageReply): MessageReply {
  const written = reply.content.map((block) => {
    if (block.type === "text") return block.text;
    if (block.type === "thinking") return `<think>\n${block.text}\n</think>\n`;
    return `<tool_call>\n${JSON.stringify({ name: block.name, arguments: block.arguments })}\n</tool_call>`;
  });
  return { ...reply, content: [{ type: "text", text: written.join("\n") }] };
}

interface Run {
  readonly format: WireFormatName;
  readonly tools: "native" | "prompt";
  readonly replies: readonly MessageReply[];
  readonly reasoning?: boolean;
  readonly singleBytes?: boolean;
}

let server: StrictServer | undefined;
afterEach(() => server?.close());

/** Plays the whole conversation with a strict server and gives back the transcript. */
async function converse({ format, tools, replies, reasoning = false, singleBytes = false }: Run): Promise<readonly AgentMessage[]> {
  server = await startStrictServer(format, { minCacheTokens: 0 });
  const sent = tools === "prompt" ? replies.map(inWriting) : replies;
  server.script(sent.map((reply) => (singleBytes ? { ...reply, deltaCharacters: 3 } : reply)));
  const transport = singleBytes ? { fetch: byteByByte } : {};
  const client = clientFor(STRICT_WIRES[format], server.baseUrl, { ...transport, info: { tools, reasoning } });
  const messages: AgentMessage[] = [user(text("帮我写一个 Python 脚本"))];
  for (const _reply of replies) {
    const message = messageOf(
      await collect(client, requestOf({ messages, tools: TOOLS, ...(reasoning ? { thinking: "high" as const } : {}) })),
    );
    messages.push(message);
    for (const part of message.content) {
      if (part.type !== "toolCall") continue;
      messages.push({
        role: "toolResult",
        toolCallId: part.id,
        toolName: part.name,
        content: [text(`${part.name}: done`)],
        isError: false,
        timestamp: 2,
      });
    }
  }
  expect(server.violations).toEqual([]);
  expect(server.requests).toHaveLength(replies.length);
  return messages;
}

/** The transcript without what differs between providers by nature. */
function stored(messages: readonly AgentMessage[]): unknown {
  const ids = new Map<string, string>();
  const neutral = (id: string): string => ids.get(id) ?? (ids.set(id, `call ${ids.size}`), `call ${ids.size}`);
  return messages.map((message) => {
    if (message.role === "user") return { role: message.role, content: message.content };
    if (message.role === "toolResult") return { ...message, toolCallId: neutral(message.toolCallId), timestamp: 0 };
    const content = message.content.map((part) => {
      if (part.type === "toolCall") return { type: part.type, id: neutral(part.id), name: part.name, arguments: part.arguments };
      return part.type === "thinking" ? { type: part.type, text: part.text } : part;
    });
    return { role: message.role, content, stopReason: message.stopReason };
  });
}

describe("a whole conversation with tools", () => {
  let expected: unknown;
  beforeAll(async () => {
    expected = stored(await converse({ format: "anthropic-messages", tools: "native", replies: REPLIES }));
    await server?.close();
  });

  const runs = WIRE_FORMATS.flatMap((format) => (["native", "prompt"] as const).map((tools) => [format, tools] as const));

  test.each(runs)("%s, tools %s: the same transcript, nothing refused, each request begins with the one before", async (format, tools) => {
    expect(stored(await converse({ format, tools, replies: REPLIES }))).toEqual(expected);
    const bodies = (server?.requests ?? []).map(({ body }) => body ?? {});
    for (const [index, body] of bodies.entries()) {
      if (index > 0) expect(isPrefixOf(bodies[index - 1] ?? {}, body, format)).toBe(true);
    }
  });

  test.each(runs)("%s, tools %s: the same when the stream comes in single bytes", async (format, tools) => {
    expect(stored(await converse({ format, tools, replies: REPLIES, singleBytes: true }))).toEqual(expected);
  });

  test("says what the script says", () => {
    expect(JSON.stringify(expected)).toContain(JSON.stringify(createScriptConversation.scriptSource));
    expect(expected).toHaveLength(8);
  });
});

test("thinking between tags is kept as thinking, as a provider's own is", async () => {
  const replies = REPLIES.map((reply) => ({ ...reply, content: [{ type: "thinking" as const, text: THOUGHT }, ...reply.content] }));
  const native = stored(await converse({ format: "anthropic-messages", tools: "native", replies, reasoning: true }));
  await server?.close();
  expect(stored(await converse({ format: "openai-chat", tools: "prompt", replies }))).toEqual(native);
  expect(JSON.stringify(native).split(THOUGHT)).toHaveLength(5);
});

test("a call that cannot be read runs nothing: it is one of a tool that does not exist", async () => {
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

test("an answer that is cut at its length runs none of the calls that it holds", async () => {
  server = await startStrictServer("openai-chat");
  server.script([
    inWriting({
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
    content: [{ type: "text", text: "So." }],
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
