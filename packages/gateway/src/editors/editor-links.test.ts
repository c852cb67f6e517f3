import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AgentTool, RunFacts, ToolSource } from "@factotum/agent-contract";
import type { EditorOffer, EditorRequest, RpcEvents } from "@factotum/protocol";
import { textReply, toolReply, startAnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import { createManualClock, type ManualClock } from "../../test/manual-clock.ts";
import { TestClient } from "../../test/test-client.ts";
import { EditorLinks } from "./editor-links.ts";

const KEY = "agent:main:acp:1";
const ALL: EditorOffer = { readsFiles: true, writesFiles: true, hasTerminals: true, servers: [] };

let folder: string;
let clock: ManualClock;
let editors: EditorLinks;
let ids = 0;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), "factotum-editor-links-")));
  clock = createManualClock();
  editors = new EditorLinks({ clock, random: { uuid: () => `id-${(ids += 1)}` } });
});
afterEach(async () => {
  await editors.close();
  await rm(folder, { recursive: true, force: true });
});

/** The connection of an editor that answers as the test says. */
class Editor {
  readonly closing = new AbortController();
  readonly requests: EditorRequest[] = [];
  readonly notes: string[] = [];
  answers: (request: EditorRequest) => Parameters<EditorLinks["answer"]>[1] | undefined = () => undefined;
  readonly signal = this.closing.signal;

  notify(event: string, payload: unknown): void {
    if (event === "editor-note") this.notes.push((payload as RpcEvents["editor-note"]).text);
    if (event !== "editor-request") return;
    const { id, request } = payload as RpcEvents["editor-request"];
    this.requests.push(request);
    const answer = this.answers(request);
    if (answer !== undefined) editors.answer(id, answer, this);
  }
}

const attach = (editor: Editor, offer: Partial<EditorOffer> = {}): ReturnType<EditorLinks["attach"]> =>
  editors.attach({ sessionKey: KEY, workspace: folder, ...ALL, ...offer }, editor);
const run = (facts: Partial<RunFacts> = {}): RunFacts =>
  ({ runId: "r", kind: "user", sessionKey: KEY, owner: true, workspace: folder, ...facts }) as RunFacts;
const file = (): string => path.join(folder, "a.txt");
const COMMAND = { file: "make", args: [], cwd: "/", env: {}, maxOutputBytes: 10 };

describe("who is asked", () => {
  test.each<[string, Partial<EditorOffer>, Partial<RunFacts>, string | undefined]>([
    ["the owner's own turn", {}, {}, undefined],
    ["another session", {}, { sessionKey: "agent:main:acp:2" }, undefined],
    ["another person", {}, { owner: false }, undefined],
    ["a job", {}, { kind: "cron" }, undefined],
    ["a sub-agent", {}, { kind: "subagent" }, undefined],
    ["a file beyond the folder", {}, {}, "/etc/hostname"],
    ["a folder with the same beginning", {}, {}, "-other/a.txt"],
    ["an editor that reads no files", { readsFiles: false, writesFiles: false }, {}, undefined],
  ])("%s", async (name, offer, facts, other) => {
    const editor = new Editor();
    editor.answers = ({ type }) => (type === "read-file" ? { type: "text", text: "unsaved" } : { type: "done" });
    attach(editor, offer);
    const target = other === undefined ? file() : other.startsWith("/") ? other : `${folder}${other}`;
    const isAsked = name === "the owner's own turn";
    if (other === undefined) expect(editors.offersFiles(run(facts))).toBe(isAsked);
    expect(await editors.read(target, run(facts))).toBe(isAsked ? "unsaved" : undefined);
    expect(await editors.write(target, "new", run(facts))).toEqual({ type: isAsked ? "written" : "none" });
    expect(editor.requests).toHaveLength(isAsked ? 2 : 0);
  });

  test("a sandboxed run gets no terminal, one on the host does", async () => {
    attach(new Editor());
    const sandbox = { workspaceAccess: "rw", shared: false } as const;
    expect([editors.offers(run()), editors.offers(run({ sandbox })), editors.offers(run({ kind: "heartbeat" }))]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await editors.start(COMMAND, run({ sandbox }))).toEqual({ type: "none" });
  });

  test("the first editor counts until it leaves, and then the next that offers", async () => {
    const [first, second] = [new Editor(), new Editor()];
    second.answers = () => ({ type: "text", text: "second" });
    expect(attach(first)).toEqual({ attached: true, problems: [] });
    expect(attach(second)).toEqual({ attached: false, problems: [] });
    expect(editors.detach(KEY, second)).toBe(false);
    first.closing.abort();
    expect(await editors.read(file(), run())).toBeUndefined();
    expect(attach(second).attached).toBe(true);
    expect(await editors.read(file(), run())).toBe("second");
    expect(first.requests).toEqual([]);
  });
});

describe("what becomes of a request", () => {
  test("an editor that does not answer is not waited for: a file is that of the disk, and a write may have been done", async () => {
    attach(new Editor());
    const reading = editors.read(file(), run());
    await clock.scheduled(5_000);
    clock.run(5_000);
    expect(await reading).toBeUndefined();
    const writing = editors.write(file(), "new", run());
    await clock.scheduled(15_000);
    clock.run(15_000);
    await expect(writing).rejects.toThrow("may not have written it: the editor does not answer");
  });

  test("an editor that leaves meanwhile ends what waits for it", async () => {
    const editor = new Editor();
    editor.answers = ({ type }) => (type === "create-terminal" ? { type: "terminal", terminalId: "t1" } : undefined);
    attach(editor);
    const started = await editors.start(COMMAND, run());
    const terminal = started.type === "started" ? started.terminal : undefined;
    editor.answers = () => undefined;
    const starting = editors.start(COMMAND, run());
    const writing = editors.write(file(), "new", run());
    editor.closing.abort();
    await expect(writing).rejects.toThrow("the editor has left");
    await expect(terminal?.ended).rejects.toThrow("the editor has left");
    await expect(starting).rejects.toThrow("may have started it: the editor has left");
    await terminal?.release();
    expect(await editors.start(COMMAND, run())).toEqual({ type: "none" });
  });

  test("only the editor that was asked answers, once, and with what was asked for", async () => {
    const [editor, other] = [new Editor(), new Editor()];
    attach(editor);
    editors.attach({ sessionKey: "agent:main:acp:2", workspace: folder, ...ALL }, other);
    const writing = editors.write(file(), "new", run());
    const id = `id-${ids}`;
    expect(editors.answer(id, { type: "done" }, other)).toBe(false);
    expect(editors.answer("id-0", { type: "done" }, editor)).toBe(false);
    expect(editors.answer(id, { type: "text", text: "no" }, editor)).toBe(true);
    await expect(writing).rejects.toThrow("of another kind");
    expect(editors.answer(id, { type: "done" }, editor)).toBe(false);
  });

  test("a refusal is told apart from a write that may have been done", async () => {
    const editor = new Editor();
    editor.answers = () => ({ type: "failed", message: "locked" });
    attach(editor);
    expect(await editors.write(file(), "new", run())).toEqual({ type: "refused", reason: "locked" });
    expect(await editors.start(COMMAND, run())).toEqual({ type: "refused", reason: "locked" });
    expect(await editors.write(file(), "x".repeat(200_001), run())).toEqual({ type: "none" });
  });

  test("requests that wait are bounded", async () => {
    attach(new Editor());
    for (let count = 0; count < 64; count += 1) void editors.read(file(), run());
    expect(await editors.write(file(), "new", run())).toEqual({ type: "refused", reason: expect.stringContaining("too many requests") });
  });
});

const tool = (name: string): AgentTool => ({
  name,
  summary: "Says so.",
  description: "Says so.",
  parameters: { type: "object", properties: {} },
  traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
  execute: async () => ({ content: [{ type: "text", text: `${name} ran` }] }),
});

test("the tools of an editor are those of its conversation alone, under the same policy, until it leaves", async () => {
  await using server = await startAnthropicServer();
  const platform = new TestPlatform();
  let closed = 0;
  const source: ToolSource = {
    id: "mcp:notes",
    namePrefix: "mcp__notes_",
    tools: [tool("mcp__notes_find"), tool("mcp__notes_drop"), tool("read")],
  };
  const broken: ToolSource = { id: "mcp:broken", tools: [], problem: "it has ended" };
  await using running = await startTestGateway({
    platform,
    accountConfig: { allowFrom: ["owner-1"] },
    openEditorTools: () => ({
      sources: [source, broken],
      fingerprint: "f",
      problems: ["One is left out."],
      close: async () => void (closed += 1),
    }),
    patch: (config) => {
      const base = withModel(server.baseUrl)(config);
      return { ...base, tools: { ...base.tools, deny: ["mcp__notes_drop"] } };
    },
  });
  using editor = await TestClient.connect(running.gateway.url, running.token);
  await editor.call("sessions.create", { key: "agent:main:acp:1", workspace: folder });
  const offer = { ...ALL, servers: [{ type: "stdio" as const, name: "notes", command: "/x", args: [], env: {} }] };
  expect(await editor.call("editor.attach", { sessionKey: KEY, ...offer })).toEqual({ attached: true, problems: ["One is left out."] });
  const ask = async (sessionKey: string): Promise<string> => {
    server.respond(({ body }) =>
      JSON.stringify(body?.["messages"]).includes('"tool_result"') ? textReply("Done.") : toolReply({ name: "mcp__notes_find", input: {} }),
    );
    const at = server.requests.length;
    await editor.call("agent", { sessionKey, message: "Go.", idempotencyKey: `k${at}` });
    return JSON.stringify(server.requests.slice(at).map(({ body }) => [body?.["tools"], body?.["messages"]]));
  };
  const own = await ask(KEY);
  expect(own).toContain('"name":"mcp__notes_find"');
  expect(own).toContain("mcp__notes_find ran");
  expect(own).not.toContain("mcp__notes_drop");
  // The built-in tool keeps its name.
  expect(own.split('"name":"read"')).toHaveLength(3);
  await editor.until(() => editor.frames.find((frame) => frame.type === "event" && frame.event === "editor-note"));
  expect(await ask("agent:main:acp:2")).not.toContain('"name":"mcp__notes_find","description"');
  expect(await editor.call("editor.detach", { sessionKey: KEY })).toEqual({ detached: true });
  expect(closed).toBe(1);
  server.respond(({ body }) =>
    JSON.stringify(body?.["messages"]).includes("no longer available")
      ? textReply("Gone.")
      : toolReply({ name: "mcp__notes_find", input: {} }),
  );
  await editor.call("agent", { sessionKey: KEY, message: "Again.", idempotencyKey: "again" });
  expect(JSON.stringify(server.requests.at(-1)?.body?.["messages"])).toContain("mcp__notes_find is no longer available");
});

test("an offer is refused for a session that is missing, or that others write in, and from another machine", async () => {
  await using running = await startTestGateway();
  await running.store.createSession(
    { key: "agent:main:test:group:g1", sessionId: "s1", agentId: "main", displayName: "", isPrivate: false },
    { nowMs: 0 },
  );
  using editor = await TestClient.connect(running.gateway.url, running.token);
  await expect(editor.call("editor.attach", { sessionKey: "agent:main:acp:none", ...ALL })).rejects.toThrow("There is no session");
  await expect(editor.call("editor.attach", { sessionKey: "agent:main:test:group:g1", ...ALL })).rejects.toThrow("Others write");
  await editor.call("sessions.create", { key: KEY, workspace: folder });
  await rm(folder, { recursive: true });
  await expect(editor.call("editor.attach", { sessionKey: KEY, ...ALL })).rejects.toThrow("not-found: The folder");
  using far = await TestClient.open(running.gateway.url, { "x-forwarded-for": "192.0.2.1" });
  far.send({ type: "connect", minProtocol: 1, maxProtocol: 99, client: { name: "far", version: "0" }, auth: { token: running.token } });
  await far.until(() => far.frames.find((frame) => frame.type === "hello"));
  await expect(far.call("editor.attach", { sessionKey: "agent:main:main", ...ALL })).rejects.toThrow("own machine");
});

test("what an editor offers ends with the first turn of others in its session, and it is told so", async () => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Hello."));
  let closed = 0;
  const platform = new TestPlatform();
  await using running = await startTestGateway({
    platform,
    accountConfig: { allowFrom: ["owner-1", "guest-1"] },
    patch: withModel(server.baseUrl),
    openEditorTools: () => ({ sources: [], fingerprint: "f", problems: [], close: async () => void (closed += 1) }),
  });
  using editor = await TestClient.connect(running.gateway.url, running.token);
  await editor.call("sessions.create", { key: KEY, workspace: folder });
  const offer = { ...ALL, servers: [{ type: "stdio" as const, name: "notes", command: "/x", args: [], env: {} }] };
  await editor.call("editor.attach", { sessionKey: KEY, ...offer });
  const { engine } = running.gateway;
  const { editors: links } = engine.parts;
  const say = async (owner: boolean): Promise<readonly [files: boolean, tools: boolean]> => {
    const message = platform.message("Hi.", { sender: { id: owner ? "owner-1" : "guest-1", isBot: false } });
    await engine.submit(message, { owner, kind: "user", sessionKey: KEY });
    await engine.idle();
    return [links.offersFiles(run()), links.toolsOf(KEY) !== undefined];
  };
  expect(await say(true)).toEqual([true, true]);
  expect(await say(false)).toEqual([false, false]);
  expect(closed).toBe(1);
  const note = await editor.until(() => editor.frames.find((frame) => frame.type === "event" && frame.event === "editor-note"));
  expect(JSON.stringify(note)).toContain("Others write in this conversation now");
  await expect(editor.call("editor.attach", { sessionKey: KEY, ...ALL })).rejects.toThrow("Others write");
});
