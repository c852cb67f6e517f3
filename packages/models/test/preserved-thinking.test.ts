import type { AgentMessage, AssistantMessage, ModelClient, ModelRequest } from "@factotum/agent-contract";
import { resolveModelInfo } from "../src/index.ts";
import { isPrefixOf, startAnthropicServer, type AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clientFor, collect, LS_TOOL, messageOf, requestOf } from "./client.ts";
import { text } from "./history.ts";
import { anthropic } from "./wires/anthropic.ts";

let server: AnthropicServer;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(({ body }) => ({
    type: "message",
    content: [
      { type: "thinking", thinking: `Thought ${server.requests.length}.` },
      { type: "redacted_thinking", thinking: `Hidden ${server.requests.length}.` },
      JSON.stringify(body?.["messages"]).endsWith('"list it"}]}]')
        ? { type: "tool_use", name: "ls", input: { path: "." } }
        : { type: "text", text: "Yes." },
    ],
  }));
});
afterEach(() => server.close());

function modelClient(id = "claude-sonnet-5-5"): ModelClient {
  return clientFor(anthropic, server.baseUrl, { info: { ...resolveModelInfo("anthropic", id), api: "anthropic-messages" } });
}

/** A conversation with one model, whose prefix a test may change between two requests. */
class Conversation {
  messages: readonly AgentMessage[] = [];
  request: Partial<ModelRequest> = { thinking: "high", cacheRetention: "none" };
  readonly #client: ModelClient;

  constructor(client = modelClient()) {
    this.#client = client;
  }

  async say(words: string): Promise<AssistantMessage> {
    return this.add({ role: "user", content: [text(words)], timestamp: 1 });
  }

  async add(message: AgentMessage): Promise<AssistantMessage> {
    this.messages = [...this.messages, message];
    const answer = messageOf(await collect(this.#client, requestOf({ ...this.request, messages: this.messages })));
    this.messages = [...this.messages, answer];
    return answer;
  }
}

/** Numbers of the requests whose thoughts the last request returned. */
function thoughtsSent(): readonly number[] {
  const texts = JSON.stringify(server.requests.at(-1)?.body?.["messages"]);
  return [...texts.matchAll(/"thinking":"Thought (\d+)\."/g)].map(([, number]) => Number(number));
}

test("returns thoughts after an unchanged prefix, also inside a turn with tools", async () => {
  const conversation = new Conversation();
  const { content } = await conversation.say("list it");
  const call = content.find(({ type }) => type === "toolCall");
  if (call?.type !== "toolCall") throw new Error("no call");
  const result = {
    role: "toolResult",
    toolCallId: call.id,
    toolName: "ls",
    content: [text("a.txt")],
    isError: false,
    timestamp: 1,
  } as const;
  await conversation.add(result);
  await conversation.say("and now?");
  expect(thoughtsSent()).toEqual([1, 2]);
  expect(JSON.stringify(server.requests.at(-1)?.body).match(/redacted_thinking/g)).toHaveLength(2);
  expect(server.violations).toEqual([]);
  const bodies = server.requests.map(({ body }) => body ?? {});
  for (const [index, body] of bodies.entries()) if (index > 0) expect(isPrefixOf(bodies[index - 1] ?? {}, body)).toBe(true);
});

test.each<[string, (conversation: Conversation) => void]>([
  ["system prompt", ({ request }) => Object.assign(request, { system: { stable: "Be long.", session: "Runtime: test" } })],
  ["tool", ({ request }) => Object.assign(request, { tools: [{ ...LS_TOOL, description: "Lists another folder." }] })],
  [
    "message",
    (conversation) => (conversation.messages = conversation.messages.with(0, { role: "user", content: [text("no")], timestamp: 1 })),
  ],
])("drops earlier thoughts once the %s before them has changed, and keeps later ones", async (_, change) => {
  const conversation = new Conversation();
  await conversation.say("one");
  await conversation.say("two");
  expect(thoughtsSent()).toEqual([1]);
  change(conversation);
  await conversation.say("three");
  expect(thoughtsSent()).toEqual([]);
  await conversation.say("four");
  expect(thoughtsSent()).toEqual([3]);
  expect(server.violations).toEqual([]);
  const [before, after] = server.requests.slice(-2).map(({ body }) => body ?? {});
  expect(isPrefixOf(before ?? {}, after ?? {})).toBe(true);
});

test("drops only the thoughts after a changed message", async () => {
  const conversation = new Conversation();
  await conversation.say("one");
  await conversation.say("two");
  await conversation.say("three");
  conversation.messages = conversation.messages.with(2, { role: "user", content: [text("2")], timestamp: 1 });
  await conversation.say("four");
  expect(thoughtsSent()).toEqual([1]);
  expect(server.violations).toEqual([]);
});

test("drops thoughts whose prefix is unknown", async () => {
  const conversation = new Conversation();
  await conversation.say("one");
  conversation.messages = conversation.messages.map((message) =>
    message.role === "assistant"
      ? {
          ...message,
          content: message.content.map((block) => {
            if (block.type !== "thinking") return block;
            const { factotum: _binding, ...signature } = block.signature ?? {};
            return { ...block, signature };
          }),
        }
      : message,
  );
  await conversation.say("two");
  expect(thoughtsSent()).toEqual([]);
  expect(server.violations).toEqual([]);
});

test("keeps the thoughts of a model with a thinking budget, which binds none and requires one before its calls", async () => {
  const conversation = new Conversation(modelClient("claude-sonnet-4-5"));
  const { content } = await conversation.say("list it");
  const call = content.find(({ type }) => type === "toolCall");
  if (call?.type !== "toolCall") throw new Error("no call");
  Object.assign(conversation.request, { system: { stable: "Be long.", session: "Runtime: test" } });
  await conversation.add({ role: "toolResult", toolCallId: call.id, toolName: "ls", content: [text("a")], isError: false, timestamp: 1 });
  expect(thoughtsSent()).toEqual([1]);
  expect(server.violations).toEqual([]);
});

test.each([
  ["claude-sonnet-5-5", { type: "between_tools" }],
  ["claude-haiku-5-5", { type: "disabled" }],
  ["claude-opus-5", { type: "disabled" }],
  ["claude-opus-5-5", { type: "adaptive", display: "summarized" }],
  ["claude-fable-5-2", undefined],
])("%s: thinking that is off is sent as %j, and accepted", async (id, thinking) => {
  const conversation = new Conversation(modelClient(id));
  Object.assign(conversation.request, { thinking: "off" });
  await conversation.say("list it");
  expect(server.requests.at(-1)?.body?.["thinking"]).toEqual(thinking);
  expect(server.violations).toEqual([]);
});
