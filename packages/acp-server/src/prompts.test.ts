import { methods, type CreateElicitationResponse, type SessionUpdate } from "@agentclientprotocol/sdk";
import type { Approval, ChatEntry, ChatToolCall } from "@factotum/protocol";
import { expect, test } from "vitest";
import { connectClient, type Scene } from "../test/connect-client.ts";

const ASSISTANT: Extract<ChatEntry, { type: "assistant" }> = {
  type: "assistant",
  id: "a",
  timestampMs: 0,
  text: "",
  toolCalls: [],
  model: "m",
  stopReason: "stop",
};

const APPROVAL: Approval = {
  id: "ABC",
  agentId: "main",
  sessionKey: "",
  callId: "c1",
  toolName: "exec",
  text: "rm -r build",
  reason: "Rule exec.",
  requestedAtMs: 0,
  expiresAtMs: 1,
  isParked: false,
  decisions: ["allow-once", "allow-always", "deny"],
};

const runId = "r1";

function shown(updates: readonly SessionUpdate[]): string {
  return updates
    .map((update) => {
      switch (update.sessionUpdate) {
        case "agent_message_chunk":
        case "agent_thought_chunk":
        case "user_message_chunk":
          return `${update.sessionUpdate.split("_", 1)[0] ?? ""}${update.sessionUpdate.includes("thought") ? "?" : ""}: ${
            update.content.type === "text" ? update.content.text.trim() : ""
          }`;
        case "tool_call":
        case "tool_call_update":
          return `${update.toolCallId} ${update.status ?? "output"}`;
        case "available_commands_update":
        case "usage_update":
        case "session_info_update":
          return "";
        default:
          return update.sessionUpdate;
      }
    })
    .filter((line) => line !== "")
    .join("\n");
}

/** Plays what happens in a run, and returns what the client saw and how its prompt ended. */
async function play(
  scene: Scene,
  run: (key: string) => void,
  end: Parameters<Awaited<ReturnType<Scene["gateway"]["begin"]>>["end"]>[0] = {},
) {
  const sessionId = await scene.open();
  const asked = scene.prompt(sessionId).catch((error: unknown) => (error instanceof Error ? error.message : ""));
  const begun = await scene.gateway.begin();
  run(begun.key);
  begun.end(end);
  const stopReason = await asked;
  return { sessionId, stopReason, shown: shown(scene.updates) };
}

test("thoughts, text and calls come as they are made, and nothing twice", async () => {
  await using scene = await connectClient();
  const call: ChatToolCall = { id: "c1", name: "exec", argumentsText: '{"command":"npm test\\nmore"}' };
  const { stopReason } = await play(scene, (key) => {
    scene.gateway.emit(
      key,
      { type: "block-start", runId, block: "thinking" },
      { type: "block-delta", runId, text: "Hm." },
      { type: "block-start", runId, block: "text" },
      { type: "block-delta", runId, text: "I run " },
      { type: "block-delta", runId, text: "the tests." },
      { type: "entry", runId, entry: { ...ASSISTANT, text: "I run the tests.", thinking: "Hm.", toolCalls: [call] } },
      { type: "tool-start", runId, call },
      { type: "tool-delta", runId, callId: "c1", text: "1 passed" },
      {
        type: "entry",
        runId,
        entry: { type: "tool-result", id: "t", timestampMs: 0, callId: "c1", name: "exec", text: "1 passed", isError: false },
      },
      { type: "entry", runId, entry: { ...ASSISTANT, text: "All good." } },
    );
  });
  expect(stopReason).toBe("end_turn");
  // Updates of one message or call that wait together are joined.
  expect(shown(scene.updates)).toBe("agent?: Hm.\nagent: I run the tests.\nc1 pending\nc1 completed\nagent: All good.");
  const [pending] = scene.updates.filter((update) => update.sessionUpdate === "tool_call");
  expect(pending).toMatchObject({ title: "exec npm test", kind: "execute", name: "exec" });
  expect(scene.updates.at(-1)).toMatchObject({
    sessionUpdate: "usage_update",
    used: 10,
    size: 1_000,
    cost: { amount: 0.5, currency: "USD" },
  });
});

test.each<[string, Omit<ChatToolCall, "id">, object]>([
  [
    "a written file",
    { name: "write", argumentsText: '{"path":"src/a.ts","content":"x"}' },
    {
      kind: "edit",
      title: "write src/a.ts",
      locations: [{ path: "/project/src/a.ts" }],
      content: [{ type: "diff", path: "/project/src/a.ts", oldText: null, newText: "x" }],
    },
  ],
  [
    "an edit",
    {
      name: "edit",
      argumentsText: '{"path":"/b","edits":[{"oldText":"1","newText":"2"},{"oldText":"3","newText":"4","replaceAll":true}]}',
    },
    {
      kind: "edit",
      content: [
        { type: "diff", path: "/b", oldText: "1", newText: "2" },
        { type: "diff", path: "/b", oldText: "3", newText: "4" },
      ],
    },
  ],
  [
    "arguments that were cut",
    { name: "write", argumentsText: '{"path":"c \\"d\\".ts","content":"xxxx…' },
    { title: 'write c "d".ts', locations: [{ path: '/project/c "d".ts' }] },
  ],
  [
    "a patch",
    { name: "apply_patch", argumentsText: '{"patch":"*** Begin Patch\\n*** Update File: a.ts\\n*** Add File: b.ts\\n"}' },
    { locations: [{ path: "/project/a.ts" }, { path: "/project/b.ts" }] },
  ],
  [
    "a part of a file",
    { name: "read", argumentsText: '{"path":"a.ts","offset":7}' },
    { kind: "read", locations: [{ path: "/project/a.ts", line: 7 }] },
  ],
  [
    "a tool of a server",
    { name: "wiki__search", argumentsText: '{"query":"tea","path":"/etc"}' },
    { kind: "other", title: "wiki__search /etc", locations: [] },
  ],
  ["no arguments", { name: "exec", argumentsText: "null" }, { kind: "execute", title: "exec", locations: [] }],
])("a call shows %s", async (_name, call, expected) => {
  await using scene = await connectClient();
  await play(scene, (key) => scene.gateway.emit(key, { type: "tool-start", runId, call: { id: "c1", ...call } }));
  expect(scene.updates.find(({ sessionUpdate }) => sessionUpdate === "tool_call")).toMatchObject(expected);
});

test("a plan is a plan, and no call", async () => {
  await using scene = await connectClient();
  const steps = [
    { step: "Look", status: "completed" },
    { step: "Leap", status: "in_progress" },
  ];
  const call = { id: "p", name: "update_plan", argumentsText: JSON.stringify({ plan: steps }) };
  const { shown: lines } = await play(scene, (key) => {
    scene.gateway.emit(
      key,
      { type: "tool-start", runId, call },
      {
        type: "entry",
        runId,
        entry: { type: "tool-result", id: "t", timestampMs: 0, callId: "p", name: "update_plan", text: "ok", isError: false },
      },
    );
  });
  expect(lines).toBe("plan");
  expect(scene.updates.find(({ sessionUpdate }) => sessionUpdate === "plan")).toEqual({
    sessionUpdate: "plan",
    entries: [
      { content: "Look", priority: "medium", status: "completed" },
      { content: "Leap", priority: "medium", status: "in_progress" },
    ],
  });
});

test("what an external agent does itself is a call with its own title, kind, places and changes, which may come later", async () => {
  await using scene = await connectClient();
  const edits = [{ path: "/work/a.txt", oldText: "one", newText: "two" }];
  const begun = { title: "Edit", agent: "coder" };
  const described = { ...begun, title: "Edit a.txt", kind: "edit", locations: [{ path: "/work/a.txt", line: 3 }], edits };
  const event = (args: object) =>
    ({ type: "tool-start", runId, call: { id: "e", name: "agent_call", argumentsText: JSON.stringify(args) } }) as const;
  const result = { type: "tool-result", id: "t", timestampMs: 0, callId: "e", name: "agent_call", text: "Saved.", isError: false } as const;
  await play(scene, (key) => {
    scene.gateway.emit(key, event(begun), { type: "tool-delta", runId, callId: "e", text: "Opened." }, event(described), {
      type: "entry",
      runId,
      entry: result,
    });
  });
  const calls = scene.updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith("tool_call"));
  // Updates of a call that are not sent yet become one.
  expect(calls).toMatchObject([
    { sessionUpdate: "tool_call", title: "coder: Edit", kind: "other", status: "in_progress" },
    {
      title: "coder: Edit a.txt",
      kind: "edit",
      locations: [{ path: "/work/a.txt", line: 3 }],
      content: [{ type: "diff", ...edits[0] }],
      status: "completed",
    },
  ]);
});

test.each<[string, Parameters<typeof play>[2], string]>([
  ["is done", {}, "end_turn"],
  ["was stopped elsewhere", { outcome: { type: "aborted", message: "stopped" } }, "cancelled"],
  ["failed", { outcome: { type: "failed", message: "The model is down." } }, "The model is down."],
])("a run that %s ends the prompt", async (_name, end, stopReason) => {
  await using scene = await connectClient();
  expect((await play(scene, () => undefined, end)).stopReason).toBe(stopReason);
});

test("an answer that was cut says so", async () => {
  await using scene = await connectClient();
  const cut: ChatEntry = { ...ASSISTANT, text: "And so", stopReason: "length" };
  expect((await play(scene, (key) => scene.gateway.emit(key, { type: "entry", runId, entry: cut }))).stopReason).toBe("max_tokens");
});

test("remarks about an answer follow it, and text that does not count is marked", async () => {
  await using scene = await connectClient();
  const { shown: lines } = await play(
    scene,
    (key) => {
      scene.gateway.emit(
        key,
        { type: "block-start", runId, block: "text" },
        { type: "block-delta", runId, text: "Half" },
        { type: "answer-restart", runId },
        { type: "entry", runId, entry: { ...ASSISTANT, text: "Whole" } },
      );
    },
    { remarks: ["Another model answered."] },
  );
  expect(lines).toBe(
    "agent: Half\nagent: (The model is asked again; the text above does not count.)\nagent: Whole\nagent: Another model answered.",
  );
});

test("what others say in the conversation is shown, and their runs too", async () => {
  await using scene = await connectClient();
  const sessionId = await scene.open();
  scene.gateway.emit(
    sessionId,
    {
      type: "entry",
      runId: "r0",
      entry: { type: "user", id: "u", timestampMs: 0, text: "From the phone", channel: "webchat", idempotencyKey: "k" },
    },
    { type: "entry", runId: "r0", entry: { ...ASSISTANT, text: "Yes?" } },
  );
  await expect.poll(() => shown(scene.updates)).toBe("user: From the phone\nagent: Yes?");
  scene.gateway.emit("agent:main:other", { type: "entry", entry: { ...ASSISTANT, text: "Not here." } });
  const asked = scene.prompt(sessionId);
  (await scene.gateway.begin()).end();
  await asked;
  expect(shown(scene.updates)).toBe("user: From the phone\nagent: Yes?");
});

test("a conversation that begins again says so, and the client hears its name once", async () => {
  await using scene = await connectClient();
  const { sessionId, shown: lines } = await play(scene, (key) => scene.gateway.emit(key, { type: "reset" }));
  expect(lines).toContain("A new conversation begins here");
  const asked = scene.prompt(sessionId);
  (await scene.gateway.begin()).end();
  await asked;
  expect(scene.updates.filter(({ sessionUpdate }) => sessionUpdate === "session_info_update")).toEqual([
    { sessionUpdate: "session_info_update", title: "A conversation" },
  ]);
});

test("one prompt at a time", async () => {
  await using scene = await connectClient();
  const sessionId = await scene.open();
  const first = scene.prompt(sessionId);
  const run = await scene.gateway.begin();
  await expect(scene.prompt(sessionId)).rejects.toMatchObject({ code: -32_600 });
  const again = { sessionId, cwd: "/project", mcpServers: [] };
  await expect(scene.agent.request(methods.agent.session.load, again)).rejects.toMatchObject({ code: -32_600 });
  run.end();
  expect(await first).toBe("end_turn");
});

test("a session is closed in the middle of a prompt, which is cancelled", async () => {
  await using scene = await connectClient();
  const sessionId = await scene.open();
  const asked = scene.prompt(sessionId);
  const run = await scene.gateway.begin();
  const closed = scene.agent.request(methods.agent.session.close, { sessionId });
  await expect.poll(() => scene.gateway.requests("chat.unsubscribe").length).toBe(1);
  run.end({ outcome: { type: "aborted" } });
  expect(await asked).toBe("cancelled");
  await closed;
  expect(scene.gateway.requests("chat.abort")).toHaveLength(1);
});

test.each([
  ["before its run", false],
  ["in its run", true],
])("a prompt is cancelled %s", async (_name, begins) => {
  await using scene = await connectClient();
  const sessionId = await scene.open();
  const asked = scene.prompt(sessionId);
  if (!begins) {
    await expect.poll(() => scene.gateway.requests("agent").length).toBe(1);
    await scene.agent.notify(methods.agent.session.cancel, { sessionId });
    await expect.poll(() => scene.gateway.requests("chat.abort").length).toBe(1);
  }
  const run = await scene.gateway.begin();
  if (begins) await scene.agent.notify(methods.agent.session.cancel, { sessionId });
  // A message that had not reached the queue when it was cancelled is stopped when its run begins.
  await expect.poll(() => scene.gateway.requests("chat.abort").length).toBe(begins ? 1 : 2);
  run.end({ outcome: { type: "aborted" } });
  expect(await asked).toBe("cancelled");
});

test.each([
  ["allow_once", "allow-once"],
  ["allow_always", "allow-always"],
  ["reject_once", "deny"],
])("a call that waits for a decision asks the client: %s", async (kind, decision) => {
  await using scene = await connectClient({
    decide: ({ options }) => ({ outcome: { outcome: "selected", optionId: options.find((one) => one.kind === kind)?.optionId ?? "" } }),
  });
  const sessionId = await scene.open();
  const asked = scene.prompt(sessionId);
  const run = await scene.gateway.begin();
  const other = { ...APPROVAL, id: "XYZ", sessionKey: "agent:main:other" };
  scene.gateway.setWaiting([
    { ...APPROVAL, sessionKey: sessionId },
    other,
    { ...APPROVAL, id: "OLD", sessionKey: sessionId, isParked: true },
  ]);
  await expect.poll(() => scene.gateway.requests("approvals.decide")).toEqual([{ id: "ABC", decision }]);
  run.end();
  await asked;
  expect(scene.questions).toHaveLength(1);
  expect(scene.questions[0]?.request.toolCall).toMatchObject({ toolCallId: "c1", title: "exec rm -r build" });
  // The call is known before it is asked about.
  expect(shown(scene.updates)).toContain("c1 pending");
});

test("a call that was decided elsewhere is asked about no longer", async () => {
  const answer = Promise.withResolvers<never>();
  await using scene = await connectClient({ decide: async () => answer.promise });
  const sessionId = await scene.open();
  const asked = scene.prompt(sessionId);
  const run = await scene.gateway.begin();
  scene.gateway.setWaiting([{ ...APPROVAL, sessionKey: sessionId }]);
  await expect.poll(() => scene.questions.length).toBe(1);
  scene.gateway.setWaiting([]);
  await expect.poll(() => scene.questions[0]?.signal.aborted).toBe(true);
  run.end();
  expect(await asked).toBe("end_turn");
  expect(scene.errors).toEqual([]);
});

test.each([
  ["fails", undefined],
  ["chooses what was not offered", "allow-all"],
])("a client that %s decides nothing, and its call waits on", async (_name, optionId) => {
  await using scene = await connectClient(optionId === undefined ? {} : { decide: () => ({ outcome: { outcome: "selected", optionId } }) });
  const sessionId = await scene.open();
  const asked = scene.prompt(sessionId);
  const run = await scene.gateway.begin();
  scene.gateway.setWaiting([{ ...APPROVAL, sessionKey: sessionId }]);
  await expect.poll(() => scene.errors).toEqual([expect.stringContaining(optionId ?? "Internal error")]);
  expect(scene.gateway.requests("approvals.decide")).toEqual([]);
  // The person at the editor learns where to decide.
  await expect.poll(() => shown(scene.updates)).toContain("factotum approvals decide ABC");
  run.end();
  await asked;
});

test("a client stops a run that another one has caused, unless it closes the session", async () => {
  await using scene = await connectClient();
  const [watched, closed] = [await scene.open(), await scene.open()];
  for (const key of [watched, closed]) scene.gateway.emit(key, { type: "run-start", runId: `of ${key}`, startedAtMs: 0 });
  await scene.agent.request(methods.agent.session.close, { sessionId: closed });
  await scene.agent.notify(methods.agent.session.cancel, { sessionId: watched });
  await expect.poll(() => scene.gateway.requests("chat.abort")).toMatchObject([{ sessionKey: watched }]);
});

const QUESTION: ChatEntry = {
  type: "notice",
  id: "n",
  timestampMs: 0,
  level: "info",
  text: "Which?",
  request: { type: "answer", id: "Q" },
};

/** A prompt whose run has asked a question. */
async function askedBack(scene: Scene): Promise<{
  readonly sessionId: string;
  readonly asked: ReturnType<Scene["prompt"]>;
  readonly run: Awaited<ReturnType<Scene["gateway"]["begin"]>>;
}> {
  const sessionId = await scene.open();
  const asked = scene.prompt(sessionId);
  const run = await scene.gateway.begin();
  scene.gateway.emit(run.key, { type: "entry", entry: QUESTION });
  return { sessionId, asked, run };
}

test("a question ends the prompt, and the next one answers it in the same run", async () => {
  await using scene = await connectClient();
  const { sessionId, asked: first, run } = await askedBack(scene);
  expect(await first).toBe("end_turn");
  const second = scene.prompt(sessionId, "the red one");
  (await scene.gateway.begin("")).end({ text: "Answered: the red one" });
  scene.gateway.emit(run.key, { type: "entry", runId, entry: { ...ASSISTANT, text: "Red it is." } });
  run.end();
  expect(await second).toBe("end_turn");
  expect(shown(scene.updates)).toContain("agent: Red it is.");
});

test("a client with forms answers a question in a form, and its prompt continues", async () => {
  await using scene = await connectClient({
    fillForm: (message) => ({ action: "accept", content: { answer: ` the red one, as asked: ${message}` } }),
  });
  const { sessionId, asked, run } = await askedBack(scene);
  const answer = await scene.gateway.begin("");
  answer.end({ text: "Answered." });
  expect(scene.gateway.requests("agent")).toMatchObject([
    {},
    { message: "/answer Q the red one, as asked: Which?", sessionKey: sessionId },
  ]);
  run.end();
  expect(await asked).toBe("end_turn");
});

test.each<[string, () => CreateElicitationResponse]>([
  ["is left", () => ({ action: "decline" })],
  ["is empty", () => ({ action: "accept", content: { answer: " " } })],
  [
    "cannot be shown",
    () => {
      throw new Error("no forms");
    },
  ],
])("a form that %s ends the prompt, and the next one answers", async (_name, fillForm) => {
  await using scene = await connectClient({ fillForm });
  const { asked } = await askedBack(scene);
  expect(await asked).toBe("end_turn");
  expect(scene.gateway.requests("agent")).toHaveLength(1);
});

test("a question that was answered elsewhere is asked no longer", async () => {
  let form: AbortSignal | undefined;
  await using scene = await connectClient({
    fillForm: async (_message, signal) => {
      form = signal;
      return new Promise(() => undefined);
    },
  });
  const { asked, run } = await askedBack(scene);
  await expect.poll(() => form?.aborted).toBe(false);
  const result: ChatEntry = { type: "tool-result", id: "t", timestampMs: 0, callId: "q", name: "ask_user", text: "red", isError: false };
  scene.gateway.emit(run.key, { type: "entry", runId, entry: result });
  await expect.poll(() => form?.aborted).toBe(true);
  run.end();
  expect(await asked).toBe("end_turn");
});

test("an answer that comes too late ends its prompt", async () => {
  await using scene = await connectClient();
  const { sessionId, asked: first, run } = await askedBack(scene);
  expect(await first).toBe("end_turn");
  run.end();
  const second = scene.prompt(sessionId, "the red one");
  (await scene.gateway.begin("")).end({ text: "That question is no longer open." });
  expect(await second).toBe("end_turn");
});

test("a question outlives the connection to the gateway", async () => {
  await using scene = await connectClient();
  const { sessionId, asked: first, run } = await askedBack(scene);
  expect(await first).toBe("end_turn");
  scene.gateway.drop();
  scene.gateway.live = { runId, startedAtMs: 0, blocks: [], tools: [] };
  const second = scene.prompt(sessionId, "the red one");
  (await scene.gateway.begin("")).end({ text: "Answered." });
  scene.gateway.emit(run.key, { type: "run-end", runId, outcome: { type: "done" } });
  expect(await second).toBe("end_turn");
});

test("a broken connection to the gateway ends the prompt, and the next prompt makes a new one", async () => {
  await using scene = await connectClient();
  const sessionId = await scene.open();
  const first = scene.prompt(sessionId);
  await scene.gateway.begin();
  scene.gateway.drop();
  await expect(first).rejects.toMatchObject({ code: -32_603, message: expect.stringContaining("in the conversation") });
  const second = scene.prompt(sessionId);
  const run = await scene.gateway.begin();
  scene.gateway.emit(run.key, { type: "entry", runId, entry: { ...ASSISTANT, text: "Back." } });
  run.end();
  expect(await second).toBe("end_turn");
  expect(shown(scene.updates)).toBe("agent: Back.");
  expect(scene.gateway.connections).toBe(2);
});
