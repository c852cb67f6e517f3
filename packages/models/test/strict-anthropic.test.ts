import type { AgentMessage } from "@factotum/agent-contract";
import { isPrefixOf, startAnthropicServer, textReply, toolReply, type AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clientFor, collect, failureOf, messageOf, requestOf } from "./client.ts";
import { text } from "./history.ts";
import { anthropic } from "./wires/anthropic.ts";

let server: AnthropicServer;
beforeEach(async () => {
  server = await startAnthropicServer({ minCacheTokens: 0 });
});
afterEach(() => server.close());

test("a turn with tools and thinking: four requests, no rule broken, each extends the previous one, read from the cache", async () => {
  const client = clientFor(anthropic, server.baseUrl);
  server.script([
    {
      type: "message",
      content: [
        { type: "thinking", thinking: "I look first." },
        { type: "tool_use", name: "ls", input: { path: "." } },
      ],
    },
    {
      type: "message",
      content: [
        { type: "redacted_thinking", thinking: "hidden" },
        { type: "tool_use", name: "ls", input: { path: "src" } },
      ],
      chunkBytes: 1,
    },
    toolReply({ name: "ls", input: { path: "a" } }, { name: "ls", input: { path: "b" } }),
    textReply("Two files."),
  ]);
  const messages: AgentMessage[] = [...requestOf().messages];
  for (let turn = 0; turn < 4; turn += 1) {
    const message = messageOf(await collect(client, requestOf({ messages, thinking: "high" })));
    messages.push(message);
    if (turn > 0) expect(message.usage.cacheRead).toBeGreaterThan(0);
    for (const part of message.content) {
      if (part.type !== "toolCall") continue;
      messages.push({
        role: "toolResult",
        toolCallId: part.id,
        toolName: part.name,
        content: [text("a.txt")],
        isError: false,
        timestamp: 1,
      });
    }
  }
  expect(server.violations).toEqual([]);
  const bodies = server.requests.map(({ body }) => body ?? {});
  expect(bodies).toHaveLength(4);
  for (const [index, body] of bodies.entries()) if (index > 0) expect(isPrefixOf(bodies[index - 1] ?? {}, body)).toBe(true);
  expect(messages.at(-1)).toMatchObject({ content: [{ type: "text", text: "Two files." }], stopReason: "stop" });
});

test("a refusal is an invalid request, with the server's text", async () => {
  const { error } = failureOf(await collect(clientFor(anthropic, server.baseUrl), requestOf({ messages: [] })));
  expect(error).toMatchObject({ code: "invalid-request", status: 400, retry: { type: "never" } });
  expect(error.message).toContain("messages");
});

test("early usage comes with the start of the message", async () => {
  server.script([textReply("Hi.")]);
  const events = await collect(clientFor(anthropic, server.baseUrl));
  const start = events[0];
  expect(start).toMatchObject({ type: "message-start", usage: { output: 0 } });
  const usage = messageOf(events).usage;
  expect(start?.type === "message-start" && start.usage).toMatchObject({
    input: usage.input,
    cacheRead: usage.cacheRead,
    cacheWrite: usage.cacheWrite,
  });
});
