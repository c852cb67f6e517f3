import { methods, RequestError, type ClientApp, type McpServer } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { connectClient, type Scene, type SceneOptions } from "../test/connect-client.ts";

const { fs, terminal } = methods.client;
const EVERYTHING = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
const KEY = "agent:main:acp:id-1";

/** What the client was asked, in order. */
function recorder(answer: (method: string, params: unknown) => unknown = () => ({})): {
  readonly asked: unknown[];
  readonly serve: (app: ClientApp) => void;
} {
  const asked: unknown[] = [];
  const serve = (app: ClientApp): void => {
    const note = (method: string, params: unknown): never => {
      asked.push([method, params]);
      return answer(method, params) as never;
    };
    app
      .onRequest(fs.readTextFile, ({ params }) => note(fs.readTextFile, params))
      .onRequest(fs.writeTextFile, ({ params }) => note(fs.writeTextFile, params))
      .onRequest(terminal.create, ({ params }) => note(terminal.create, params))
      .onRequest(terminal.output, ({ params }) => note(terminal.output, params))
      .onRequest(terminal.waitForExit, ({ params }) => note(terminal.waitForExit, params))
      .onRequest(terminal.kill, ({ params }) => note(terminal.kill, params))
      .onRequest(terminal.release, ({ params }) => note(terminal.release, params));
  };
  return { asked, serve };
}

async function open(options: SceneOptions): Promise<Scene> {
  const scene = await connectClient({ capabilities: EVERYTHING, ...options });
  await scene.open();
  return scene;
}

test("what the client offers is offered for each of its sessions, and withdrawn when it closes one", async () => {
  await using scene = await connectClient({ capabilities: { fs: { readTextFile: true } } });
  const sse: McpServer = {
    type: "sse",
    name: "Far",
    url: "https://far.example/sse",
    headers: [{ name: "authorization", value: "Bearer x" }],
  };
  const near: McpServer = { name: "Near", command: "/bin/near", args: ["-v"], env: [{ name: "KEY", value: "k" }] };
  const { sessionId } = await scene.agent.request(methods.agent.session.new, { cwd: "/project", mcpServers: [near, sse] });
  expect(scene.gateway.offers.get(sessionId)).toEqual({
    sessionKey: sessionId,
    readsFiles: true,
    writesFiles: false,
    hasTerminals: false,
    servers: [
      { type: "stdio", name: "Near", command: "/bin/near", args: ["-v"], env: { KEY: "k" } },
      { type: "sse", name: "Far", url: "https://far.example/sse", headers: { authorization: "Bearer x" } },
    ],
  });
  await scene.agent.request(methods.agent.session.close, { sessionId });
  expect(scene.gateway.offers.size).toBe(0);
});

test("a client that offers nothing makes no offer", async () => {
  await using scene = await connectClient();
  await scene.open();
  expect(scene.gateway.requests("editor.attach")).toEqual([]);
});

test("files and terminals are asked for in the client's own words", async () => {
  const answers: Readonly<Record<string, unknown>> = {
    [fs.readTextFile]: { content: "unsaved" },
    [terminal.create]: { terminalId: "t1" },
    [terminal.output]: { output: "so far", truncated: true },
    [terminal.waitForExit]: { exitCode: 3, signal: null },
  };
  const { asked, serve } = recorder((method) => answers[method] ?? {});
  await using scene = await open({ serve });
  const ask = async (request: Parameters<typeof scene.gateway.ask>[1]): Promise<unknown> => scene.gateway.ask(KEY, request);
  expect(await ask({ type: "read-file", path: "/project/a.ts" })).toEqual({ type: "text", text: "unsaved" });
  expect(await ask({ type: "write-file", path: "/project/a.ts", text: "new" })).toEqual({ type: "done" });
  const command = { file: "/bin/sh", args: ["-c", "ls"], cwd: "/project", env: { A: "1" }, maxOutputBytes: 10 };
  expect(await ask({ type: "create-terminal", ...command })).toEqual({ type: "terminal", terminalId: "t1" });
  expect(await ask({ type: "read-terminal", terminalId: "t1" })).toEqual({ type: "output", text: "so far", isCut: true });
  expect(await ask({ type: "await-terminal", terminalId: "t1" })).toEqual({ type: "exit", exitCode: 3 });
  expect(await ask({ type: "kill-terminal", terminalId: "t1" })).toEqual({ type: "done" });
  expect(await ask({ type: "release-terminal", terminalId: "t1" })).toEqual({ type: "done" });
  const sessionId = KEY;
  expect(asked).toEqual([
    [fs.readTextFile, { sessionId, path: "/project/a.ts" }],
    [fs.writeTextFile, { sessionId, path: "/project/a.ts", content: "new" }],
    [
      terminal.create,
      { sessionId, command: "/bin/sh", args: ["-c", "ls"], cwd: "/project", env: [{ name: "A", value: "1" }], outputByteLimit: 10 },
    ],
    [terminal.output, { sessionId, terminalId: "t1" }],
    [terminal.waitForExit, { sessionId, terminalId: "t1" }],
    [terminal.kill, { sessionId, terminalId: "t1" }],
    [terminal.release, { sessionId, terminalId: "t1" }],
  ]);
});

test("a folder that the client knows by a link is named as the client knows it", async () => {
  const { asked, serve } = recorder(() => ({ content: "" }));
  await using scene = await connectClient({ capabilities: EVERYTHING, serve });
  scene.gateway.realFolder = "/real";
  const sessionId = await scene.open();
  for (const path of ["/real/a.ts", "/elsewhere/b.ts"]) await scene.gateway.ask(sessionId, { type: "read-file", path });
  expect(asked).toMatchObject([
    [fs.readTextFile, { path: "/project/a.ts" }],
    [fs.readTextFile, { path: "/elsewhere/b.ts" }],
  ]);
});

test("an error of the client is the answer, and a text that is too long is one, too", async () => {
  const contents = [undefined, "x".repeat(200_001), "\u0001".repeat(200_000)];
  const { serve } = recorder(() => {
    const content = contents.shift();
    if (content === undefined) throw RequestError.invalidParams({}, "There is no such file.");
    return { content };
  });
  await using scene = await open({ serve });
  const read = async (): Promise<unknown> => scene.gateway.ask(KEY, { type: "read-file", path: "/project/a.ts" });
  expect(await read()).toMatchObject({ type: "failed", message: expect.stringContaining("There is no such file.") });
  expect(await read()).toMatchObject({ type: "failed", message: "the text is too long" });
  expect(await read()).toMatchObject({ type: "failed", message: "the answer is too large" });
});

test.each([
  ["a text", { content: 7 }, { type: "read-file", path: "/project/a.ts" }],
  ["a terminal", {}, { type: "create-terminal", file: "/bin/sh", args: [], cwd: "/project", env: {}, maxOutputBytes: 10 }],
  ["a terminal", { terminalId: 7 }, { type: "create-terminal", file: "/bin/sh", args: [], cwd: "/project", env: {}, maxOutputBytes: 10 }],
  ["an output", {}, { type: "read-terminal", terminalId: "t1" }],
] as const)("a client that answers with something other than %s: %j", async (_what, answer, request) => {
  const { serve } = recorder(() => answer);
  await using scene = await open({ serve });
  expect(await scene.gateway.ask(KEY, request)).toMatchObject({ type: "failed" });
});

test("an output of control characters is cut to a message", async () => {
  const { serve } = recorder(() => ({ output: "\u0001".repeat(200_000), truncated: false }));
  await using scene = await open({ serve });
  const answer = await scene.gateway.ask(KEY, { type: "read-terminal", terminalId: "t1" });
  expect(answer).toEqual({ type: "output", text: "\u0001".repeat(100_000), isCut: true });
});

test("a terminal that the gateway has given up on, or that is left when the session is closed, is released", async () => {
  let ids = 0;
  const { asked, serve } = recorder((method) => (method === terminal.create ? { terminalId: `t${(ids += 1)}` } : {}));
  await using scene = await open({ serve });
  const create = { type: "create-terminal", file: "/bin/sh", args: [], cwd: "/project", env: {}, maxOutputBytes: 10 } as const;
  const released = (): readonly unknown[] => asked.filter((one) => JSON.stringify(one).includes("release"));
  scene.gateway.givesUp = true;
  await scene.gateway.ask(KEY, create);
  await expect.poll(released).toEqual([[terminal.release, { sessionId: KEY, terminalId: "t1" }]]);
  scene.gateway.givesUp = false;
  await scene.gateway.ask(KEY, create);
  await scene.agent.request(methods.agent.session.close, { sessionId: KEY });
  expect(released()).toHaveLength(2);
});

test("when the gateway ends, its terminals are released", async () => {
  const { asked, serve } = recorder((method) => (method === terminal.create ? { terminalId: "t1" } : {}));
  await using scene = await open({ serve });
  await scene.gateway.ask(KEY, { type: "create-terminal", file: "/bin/sh", args: [], cwd: "/project", env: {}, maxOutputBytes: 10 });
  scene.gateway.drop();
  await expect.poll(() => asked.at(-1)).toEqual([terminal.release, { sessionId: KEY, terminalId: "t1" }]);
});

test("a command in a terminal is shown there, and its output is not repeated", async () => {
  const { serve } = recorder((method) => (method === terminal.create ? { terminalId: "t9" } : {}));
  await using scene = await open({ serve });
  const prompted = scene.prompt(KEY);
  const { key, end } = await scene.gateway.begin();
  const call = { id: "c1", name: "exec", argumentsText: '{"command":"make"}' };
  scene.gateway.emit(key, { type: "tool-start", runId: "r1", call });
  await scene.gateway.ask(KEY, { type: "create-terminal", file: "/bin/sh", args: [], cwd: "/project", env: {}, maxOutputBytes: 10 });
  scene.gateway.emit(key, { type: "tool-delta", runId: "r1", callId: "c1", text: "built" });
  end();
  await prompted;
  expect(scene.updates.flatMap((update) => (update.sessionUpdate === "tool_call_update" ? [update.content] : []))).toEqual([
    [{ type: "terminal", terminalId: "t9" }],
  ]);
});

test("an offer that is not taken is made again with the next prompt, and the person is told once", async () => {
  await using scene = await connectClient({ capabilities: EVERYTHING });
  scene.gateway.isTaken = true;
  const sessionId = await scene.open();
  const ask = async (): Promise<void> => {
    const prompted = scene.prompt(sessionId);
    (await scene.gateway.begin()).end();
    await prompted;
  };
  await ask();
  scene.gateway.refusal = new Error("Only an editor on the gateway's own machine is used for runs.");
  await ask();
  scene.gateway.refusal = undefined;
  scene.gateway.isTaken = false;
  await ask();
  await ask();
  expect(scene.gateway.requests("editor.attach")).toHaveLength(4);
  expect(scene.errors).toEqual([expect.stringContaining("Another editor"), expect.stringContaining("own machine")]);
  scene.gateway.note(sessionId, "The editor's MCP server x cannot be used: it has ended.");
  scene.gateway.note("another", "not for this one");
  await ask();
  const shown = JSON.stringify(scene.updates);
  expect(shown.split("MCP server x cannot be used")).toHaveLength(2);
  expect(shown).not.toContain("not for this one");
});

test("after the gateway was restarted, the offer is made again", async () => {
  await using scene = await open({});
  scene.gateway.drop();
  const prompted = scene.prompt(KEY);
  (await scene.gateway.begin()).end();
  await prompted;
  expect(scene.gateway.requests("editor.attach")).toHaveLength(2);
});
