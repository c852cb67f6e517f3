import { EXTERNAL_PROVIDER, externalModelInfo, NO_USAGE } from "@factotum/agent-contract";
import type { AssistantMessage, ExternalAgents, JsonObject, ModelEvent, ToolResultMessage } from "@factotum/agent-contract";
import type { ChatEvent } from "@factotum/protocol";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { NO_EXTERNAL_AGENTS } from "../agents/external-agent.ts";
import { toChatEntry } from "../delivery/chat-entries.ts";
import { readLog } from "../subagents/subagent-log.ts";

const SESSION = "agent:main:main";
const EDIT = { id: "e1", name: "agent_call", arguments: { title: "Edit a.txt", agent: "coder" } };
const PLAN = { id: "p1", name: "update_plan", arguments: { plan: [{ step: "Edit it", status: "in_progress" }] } };

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
/** What the external agent sends for each request, in order; the last of a request that has no end waits for the abort. */
let script: (readonly ModelEvent[])[];

const agents: ExternalAgents = {
  ...NO_EXTERNAL_AGENTS,
  problemOf: () => undefined,
  client: (id) => ({
    info: externalModelInfo(id),
    async *stream(_request, { signal }): AsyncGenerator<ModelEvent> {
      const events = script.shift() ?? [];
      yield* events;
      if (events.at(-1)?.type !== "message-end") await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  }),
};

function said(content: AssistantMessage["content"]): AssistantMessage {
  const stopReason = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
  const model = { api: "acp", provider: EXTERNAL_PROVIDER, model: "coder" };
  return { role: "assistant", content, ...model, usage: NO_USAGE, stopReason, timestamp: 0 };
}

function ended(call: { readonly id: string; readonly name: string; readonly arguments: JsonObject }, text: string): ModelEvent {
  const result: ToolResultMessage = {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text }],
    isError: false,
    external: true,
    timestamp: 0,
  };
  return { type: "message-end", message: said([{ type: "toolCall", ...call, external: true }]), results: [result] };
}

beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform("platform", { edit: true });
  script = [];
  const acp = { enabled: true, agents: { coder: { command: "coder", args: [], env: {}, mcpServers: [] } } };
  running = await startTestGateway({
    platform,
    externalAgents: agents,
    accountConfig: { allowFrom: ["owner-1"] },
    patch: (config) => ({ ...withModel(server.baseUrl)(config), acp }),
  });
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function say(text: string): Promise<void> {
  await platform.say(platform.message(text));
  await running.gateway.engine.idle();
}

async function entries() {
  const session = await running.store.readSession(SESSION);
  const { items } = await running.store.readTranscript(session?.sessionId ?? "", { limit: 50 });
  return items.flatMap((entry) => toChatEntry(entry) ?? []);
}

test("what an external agent does itself is shown like calls and plans, live and afterwards, and no model is told of it", async () => {
  await say("/acp spawn coder");
  await say("/verbose full");
  platform.sent.length = 0;
  const described = { ...EDIT, arguments: { ...EDIT.arguments, kind: "edit" } };
  script = [
    [
      { type: "external-call", call: EDIT },
      { type: "external-call-delta", id: "e1", text: "Opened." },
      { type: "external-call", call: described },
      ended(described, "Opened."),
    ],
    [{ type: "external-call", call: PLAN }, ended(PLAN, "The plan is shown.")],
    [{ type: "message-end", message: said([{ type: "text", text: "All edited." }]) }],
  ];
  const events: ChatEvent[] = [];
  using _watch = running.gateway.engine.parts.events.subscribe(SESSION, (event) => {
    events.push(event);
    if (event.type === "tool-delta")
      expect(running.gateway.engine.parts.events.live(SESSION)?.tools).toMatchObject([{ id: "e1", output: "Opened." }]);
  });
  await say("Edit it.");
  const calls = events.flatMap((event) => (event.type === "tool-start" ? [[event.call.id, event.call.argumentsText]] : []));
  expect(calls).toEqual([
    ["e1", JSON.stringify(EDIT.arguments)],
    ["e1", JSON.stringify(described.arguments)],
    ["p1", JSON.stringify(PLAN.arguments)],
  ]);
  const shown = await entries();
  expect(shown.flatMap((entry) => (entry.type === "assistant" ? entry.toolCalls.map(({ id }) => id) : []))).toEqual(["e1", "p1"]);
  expect(shown.flatMap((entry) => (entry.type === "tool-result" ? [[entry.callId, entry.text]] : []))).toEqual([
    ["e1", "Opened."],
    ["p1", "The plan is shown."],
  ]);
  const texts = platform.sent.map(({ outbound }) => ("text" in outbound ? outbound.text : ""));
  expect(texts.map((text) => text?.split("\n", 1)[0])).toEqual([
    '`agent_call` `{"title":"Edit a.txt","agent":"coder"}`',
    "`agent_call` is done:",
    expect.stringMatching(/^`update_plan` /),
    "**Plan**",
    "`update_plan` is done:",
    "All edited.",
  ]);
  const log = await readLog({ childKey: SESSION, createdAtMs: 0 }, running.store);
  expect([log.untrusted, log.text]).toEqual([true, expect.stringContaining("It has done itself: Edit a.txt.")]);

  await say("/acp close");
  server.script([textReply("Yes.")]);
  await say("Is it done?");
  const request = JSON.stringify(server.requests.at(-1)?.body);
  expect(request).toContain("All edited.");
  expect(request).not.toMatch(/agent_call|Opened|Edit a\.txt/);
});

test("what it does when its run is stopped stays in the conversation, as stopped", async () => {
  await say("/acp spawn coder");
  script = [[{ type: "external-call", call: EDIT }]];
  const begun = Promise.withResolvers<void>();
  using _watch = running.gateway.engine.parts.events.subscribe(SESSION, ({ type }) =>
    type === "tool-start" ? begun.resolve() : undefined,
  );
  await platform.say(platform.message("Edit it."));
  await begun.promise;
  await say("/stop");
  const shown = await entries();
  expect(shown.flatMap((entry) => (entry.type === "assistant" ? entry.toolCalls.map(({ id }) => id) : []))).toEqual(["e1"]);
  expect(shown.find(({ type }) => type === "tool-result")).toMatchObject({ callId: "e1", isError: true, isStopped: true });
});
