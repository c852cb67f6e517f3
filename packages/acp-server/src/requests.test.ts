import { methods, type ContentBlock, type NewSessionRequest } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { connectClient } from "../test/connect-client.ts";
import { FakeRpcError } from "../test/fake-gateway.ts";

const { session } = methods.agent;
const NEW: NewSessionRequest = { cwd: "/project", mcpServers: [] };
const IMAGE: ContentBlock = { type: "image", data: "", mimeType: "image/png" };

test("it says what it is and can", async () => {
  await using scene = await connectClient({ initialize: false });
  const answer = await scene.agent.request(methods.agent.initialize, { protocolVersion: 99 });
  expect(answer).toMatchObject({
    protocolVersion: 1,
    agentInfo: { name: "factotum", version: "1.2.3" },
    agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} } },
  });
  // What it cannot do is not offered.
  expect(answer.agentCapabilities?.promptCapabilities).toEqual({ embeddedContext: true, image: true });
  expect(answer.agentCapabilities?.mcpCapabilities).toEqual({ http: true, sse: true });
});

test.each<[string, string, unknown, number, string]>([
  ["an unknown method", "session/dream", {}, -32_601, "dream"],
  ["a login", methods.agent.authenticate, { methodId: "x" }, -32_602, "needs no login"],
  ["a folder that the gateway refuses", session.new, { ...NEW, cwd: "project" }, -32_602, "no absolute path"],
  ["more folders", session.new, { ...NEW, additionalDirectories: ["/a"] }, -32_602, "one folder"],
  ["no folder", session.new, { mcpServers: [] }, -32_602, "nvalid params"],
  ["an unknown session", session.load, { ...NEW, sessionId: "agent:main:acp:none" }, -32_002, "not found"],
  ["a session by another case", session.load, { ...NEW, sessionId: "AGENT:MAIN:MAIN" }, -32_002, "not found"],
  ["an unknown session", session.resume, { ...NEW, sessionId: "7" }, -32_002, "not found"],
  ["a session with another folder", session.load, { ...NEW, sessionId: "agent:main:main" }, -32_602, "works in /home/agent"],
  [
    "a session that is not open",
    session.prompt,
    { sessionId: "agent:main:main", prompt: [{ type: "text", text: "x" }] },
    -32_002,
    "not found",
  ],
  ["a session that is not open", session.setMode, { sessionId: "x", modeId: "ask" }, -32_002, "not found"],
  ["a session that is not open", session.setConfigOption, { sessionId: "x", configId: "mode", value: "ask" }, -32_002, "not found"],
  ["a conversation of others", session.delete, { sessionId: "agent:main:main" }, -32_602, "Control UI"],
  ["a prompt without a session", session.prompt, { prompt: [] }, -32_602, "nvalid params"],
])("%s is refused: %s", async (_name, method, params, code, message) => {
  await using scene = await connectClient();
  await expect(scene.agent.request(method, params)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
});

test.each<[string, string, Record<string, unknown>, number, string]>([
  ["an empty prompt", session.prompt, { prompt: [{ type: "text", text: " \n" }] }, -32_602, "empty"],
  ["what is no image", session.prompt, { prompt: [IMAGE] }, -32_602, "no image"],
  ["a command with an image", session.prompt, { prompt: [{ type: "text", text: "/status" }, IMAGE] }, -32_602, "takes no images"],
  ["too many images", session.prompt, { prompt: Array.from({ length: 21 }, () => IMAGE) }, -32_602, "at most 20"],
  ["sound", session.prompt, { prompt: [{ type: "audio", data: "", mimeType: "audio/wav" }] }, -32_602, "no audio"],
  ["bytes", session.prompt, { prompt: [{ type: "resource", resource: { uri: "file:///a", blob: "" } }] }, -32_602, "binary"],
  ["a prompt that is too long", session.prompt, { prompt: [{ type: "text", text: "x".repeat(500_001) }] }, -32_602, "500000"],
  ["an unknown mode", session.setMode, { modeId: "reckless" }, -32_602, "read-only, ask"],
  ["an unknown option", session.setConfigOption, { configId: "colour", value: "red" }, -32_602, "mode, model, thinking"],
  ["a model that cannot be used", session.setConfigOption, { configId: "model", value: "test/none" }, -32_602, "no model test/none"],
  ["an unknown level", session.setConfigOption, { configId: "thinking", value: "much" }, -32_602, "default, off, high"],
])("in a session %s is refused", async (_name, method, params, code, message) => {
  await using scene = await connectClient();
  const sessionId = await scene.open();
  await expect(scene.agent.request(method, { sessionId, ...params })).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
  expect(scene.gateway.requests("agent")).toEqual([]);
});

test("nothing is answered before the greeting", async () => {
  await using scene = await connectClient({ initialize: false });
  await expect(scene.open()).rejects.toMatchObject({ code: -32_600 });
  expect(scene.gateway.connections).toBe(0);
});

test("an unknown agent is refused with the known ones", async () => {
  await using scene = await connectClient({ agentId: "ghost" });
  await expect(scene.open()).rejects.toMatchObject({ code: -32_602, message: expect.stringContaining("Configured: main") });
});

test("without a gateway a request says what to do, and the next one tries again", async () => {
  await using scene = await connectClient();
  scene.gateway.problem = new FakeRpcError("notRunning", "The gateway did not start. Its log: /tmp/log");
  await expect(scene.open()).rejects.toMatchObject({ code: -32_603, message: expect.stringContaining("Its log") });
  scene.gateway.problem = undefined;
  expect(await scene.open()).toContain("agent:main:acp:");
});

test("mode, model and thinking are chosen, also by a command, and the client hears of it", async () => {
  await using scene = await connectClient();
  const { sessionId, modes, configOptions } = await scene.agent.request(session.new, NEW);
  expect(modes?.currentModeId).toBe("ask");
  expect(configOptions?.map(({ id, category }) => [id, category])).toEqual([
    ["mode", "mode"],
    ["model", "model"],
    ["thinking", "thought_level"],
  ]);
  await scene.agent.request(session.setMode, { sessionId, modeId: "read-only" });
  await scene.agent.request(session.setConfigOption, { sessionId, configId: "thinking", value: "high" });
  const chosen = await scene.agent.request(session.setConfigOption, { sessionId, configId: "model", value: "test/two" });
  expect(chosen.configOptions.map((option) => ("currentValue" in option ? option.currentValue : undefined))).toEqual([
    "read-only",
    "test/two",
    "high",
  ]);
  expect(scene.gateway.requests("sessions.choose")).toEqual([
    { key: sessionId, mode: "read-only" },
    { key: sessionId, thinking: "high" },
    { key: sessionId, model: "test/two" },
  ]);
  await expect.poll(() => scene.updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual(["available_commands_update"]);
  const asked = scene.prompt(sessionId, "/mode ask");
  const run = await scene.gateway.begin("");
  scene.gateway.settings = { ...scene.gateway.settings, mode: "ask" };
  run.end({ text: "mode ask" });
  await asked;
  expect(scene.updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
    "available_commands_update",
    "agent_message_chunk",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
  ]);
  // Another client's choice is told at once, and nothing that has stayed as it was.
  const count = scene.updates.length;
  scene.gateway.change("agent:main:main", { mode: "read-only" });
  scene.gateway.change(sessionId, { mode: "read-only" });
  await expect.poll(() => scene.updates.length).toBe(count + 2);
  expect(scene.updates.slice(count)).toMatchObject([
    { sessionUpdate: "current_mode_update", currentModeId: "read-only" },
    { sessionUpdate: "config_option_update" },
  ]);
});

test("conversations are listed by page and folder, closed, and deleted", async () => {
  await using scene = await connectClient();
  const sessionId = await scene.open();
  const all = await scene.agent.request(session.list, {});
  expect(all.sessions.map((one) => [one.sessionId, one.cwd])).toEqual([
    ["agent:main:main", "/home/agent"],
    [sessionId, "/project"],
  ]);
  expect((await scene.agent.request(session.list, { cwd: "/project" })).sessions).toHaveLength(1);
  expect(await scene.agent.request(session.list, { cursor: all.nextCursor ?? "" })).toEqual({ sessions: [] });
  await scene.agent.request(session.close, { sessionId });
  await expect(scene.prompt(sessionId)).rejects.toMatchObject({ code: -32_002 });
  await scene.agent.request(session.delete, { sessionId });
  expect(scene.gateway.sessions.has(sessionId)).toBe(false);
});

test("a conversation that is loaded is shown from its first entry on, and moves to the folder that it is opened in", async () => {
  await using scene = await connectClient();
  const sessionId = "agent:main:acp:old";
  scene.gateway.addSession(sessionId, "/old");
  const entries = Array.from({ length: 450 }, (_, index) => ({
    type: "user" as const,
    id: String(index),
    timestampMs: 0,
    text: `${index}`,
    channel: "cli",
  }));
  const calls = [{ id: "c1", name: "exec", argumentsText: '{"command":"ls"}' }];
  scene.gateway.history.set(sessionId, [
    ...entries,
    { type: "assistant", id: "a", timestampMs: 0, text: "Done.", thinking: "Well.", toolCalls: calls, model: "m", stopReason: "toolUse" },
    { type: "tool-result", id: "t", timestampMs: 0, callId: "c1", name: "exec", text: "a.txt", isError: false },
    { type: "notice", id: "n", timestampMs: 0, level: "info", text: "A note." },
  ]);
  await scene.agent.request(session.load, { sessionId, cwd: "/new", mcpServers: [] });
  const texts = scene.updates.flatMap((update) =>
    "content" in update && update.sessionUpdate === "user_message_chunk" ? [update.content] : [],
  );
  expect(texts).toEqual(entries.map(({ text }) => ({ type: "text", text })));
  expect(scene.updates.slice(450).map(({ sessionUpdate }) => sessionUpdate)).toEqual([
    "agent_thought_chunk",
    "agent_message_chunk",
    "tool_call",
    "tool_call_update",
    "agent_message_chunk",
  ]);
  expect(scene.gateway.requests("sessions.patch")).toEqual([{ key: sessionId, workspace: "/new" }]);
  const state = ["session_info_update", "usage_update"];
  await expect.poll(() => scene.updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual(expect.arrayContaining(state));
  await scene.agent.request(session.resume, { sessionId, cwd: "/new", mcpServers: [] });
  expect(scene.updates.filter(({ sessionUpdate }) => sessionUpdate === "user_message_chunk")).toHaveLength(450);
});

test("a conversation that is resumed in the middle of a run shows what the run has written, and its rest", async () => {
  await using scene = await connectClient();
  const sessionId = "agent:main:acp:old";
  scene.gateway.addSession(sessionId, "/project");
  const tools = [{ id: "c1", name: "exec", argumentsText: '{"command":"make"}', output: "half" }];
  scene.gateway.live = { runId: "r1", startedAtMs: 0, blocks: [{ type: "text", text: "I build" }], tools };
  await scene.agent.request(session.resume, { sessionId, cwd: "/project" });
  scene.gateway.emit(sessionId, { type: "block-delta", runId: "r1", text: " it." });
  const written = (): string[] =>
    scene.updates.flatMap((update) =>
      update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? [update.content.text] : [],
    );
  await expect.poll(() => written().join("")).toBe("I build it.");
  expect(scene.updates.find(({ sessionUpdate }) => sessionUpdate === "tool_call")).toMatchObject({
    toolCallId: "c1",
    status: "in_progress",
  });
  expect(scene.updates.find(({ sessionUpdate }) => sessionUpdate === "tool_call_update")).toMatchObject({
    content: [{ content: { text: "half" } }],
  });
});

test("linked files are named and embedded ones quoted", async () => {
  await using scene = await connectClient();
  const sessionId = await scene.open();
  const answered = scene.agent.request(session.prompt, {
    sessionId,
    prompt: [
      { type: "text", text: "Compare" },
      { type: "resource_link", uri: "file:///project/a%20b.ts#L3", name: "a b.ts" },
      { type: "text", text: "with" },
      { type: "resource", resource: { uri: "https://example.org/x", text: "a ``` b" } },
    ],
  });
  (await scene.gateway.begin()).end();
  await answered;
  expect(scene.gateway.requests("agent")).toMatchObject([
    { message: "Compare /project/a b.ts#L3 with\n\nhttps://example.org/x:\n````\na ``` b\n````" },
  ]);
});

test("images are kept, sent with the text, and the run that they get ends the prompt", async () => {
  await using scene = await connectClient();
  const sessionId = await scene.open();
  const image = (text: string): ContentBlock => ({ ...IMAGE, data: Buffer.from(text).toString("base64") });
  const asked = scene.agent.request(session.prompt, { sessionId, prompt: [image("one"), { type: "text", text: "Compare" }, image("two")] });
  (await scene.gateway.begin()).end({ outcome: { type: "done" } });
  expect((await asked).stopReason).toBe("end_turn");
  expect(scene.gateway.requests("chat.send")).toMatchObject([
    { sessionKey: sessionId, text: "Compare", attachments: [{ ref: "upload:one" }, { ref: "upload:two" }] },
  ]);
});

test("a prompt with an image is cancelled before its run", async () => {
  await using scene = await connectClient();
  const sessionId = await scene.open();
  const asked = scene.agent.request(session.prompt, { sessionId, prompt: [{ ...IMAGE, data: "b25l" }] });
  await expect.poll(() => scene.gateway.requests("chat.send").length).toBe(1);
  await scene.agent.notify(session.cancel, { sessionId });
  expect((await asked).stopReason).toBe("cancelled");
});
