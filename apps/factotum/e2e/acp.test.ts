import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { methods } from "@agentclientprotocol/sdk";
import { callTools, createGate, sayText, type MessageReply, type StrictServer } from "@factotum/testing-providers";
import { productEntry, runCommand, startProduct, type Product } from "@factotum/testing-product";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { choose, openEditor, type Editor } from "./acp-scene.ts";
import { png } from "./png.ts";
import { newestResults, obey, order, startObedientModel } from "./obedient-model.ts";

const { session } = methods.agent;
const TIMEOUT = { timeout: 120_000 };

let model: StrictServer;
let product: Product;
let editor: Editor;
let project: string;

beforeAll(async () => {
  model = await startObedientModel();
  product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
    },
  });
  project = await realpath(await mkdtemp(path.join(tmpdir(), "factotum-acp-")));
  editor = await openEditor({ home: product.home });
}, 60_000);
beforeEach(() => {
  model.respond(obey);
});
afterAll(async () => {
  await editor[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await rm(project, { recursive: true, force: true });
});

const exec = (command: string): string => `Please ${order({ name: "exec", arguments: { command } })}`;

async function connect(): Promise<RpcClient> {
  return RpcClient.connect({ url: product.url, token: product.token, version: "0" });
}

/** The model gives these answers in turn. */
function answer(...replies: readonly MessageReply[]): void {
  const left = [...replies];
  model.respond(() => left.shift() ?? sayText("Done."));
}

test("a prompt is answered with thoughts, calls and text, and its tools work in the project", TIMEOUT, async () => {
  await writeFile(path.join(project, "a.txt"), "one\n");
  const { sessionId } = await editor.create(project);
  expect(sessionId).toMatch(/^agent:main:acp:/);
  answer(
    callTools(
      { name: "read", arguments: { path: "a.txt" } },
      { name: "edit", arguments: { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] } },
    ),
    {
      type: "message",
      content: [
        { type: "thinking", text: "That was all." },
        { type: "text", text: "I have changed the file." },
      ],
    },
  );
  expect(await editor.prompt(sessionId, "Change it")).toBe("end_turn");
  expect(await readFile(path.join(project, "a.txt"), "utf8")).toBe("two\n");
  const updates = editor.updates(sessionId);
  const diff = { type: "diff", path: path.join(project, "a.txt"), oldText: "one", newText: "two" };
  expect(updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call")).toMatchObject([
    { kind: "read", title: "read a.txt", locations: [{ path: path.join(project, "a.txt") }] },
    { kind: "edit", content: [diff] },
  ]);
  expect(updates.filter((update) => update.sessionUpdate === "tool_call_update" && update.status === "completed")).toHaveLength(2);
  expect(updates.some(({ sessionUpdate }) => sessionUpdate === "agent_thought_chunk")).toBe(true);
  expect(editor.text(sessionId)).toBe("I have changed the file.");
  expect(updates.at(-1)).toMatchObject({ sessionUpdate: "usage_update", size: 1_000_000 });
  expect(updates.find(({ sessionUpdate }) => sessionUpdate === "available_commands_update")).toBeDefined();
  // The persona is the agent's, and the folder the project's.
  const request = JSON.stringify(model.requests.at(-1)?.body?.["system"]);
  expect(request).toContain(project);
  expect(request).toContain("IDENTITY.md");
  expect(editor.errors()).toBe("");
});

test("files beyond the project are not opened, and a folder that is too large is refused", TIMEOUT, async () => {
  const { sessionId } = await editor.create(project);
  answer(
    callTools(
      { name: "read", arguments: { path: "/etc/hostname" } },
      { name: "write", arguments: { path: "../outside.txt", content: "x" } },
    ),
  );
  await editor.prompt(sessionId, "Look elsewhere");
  expect(newestResults(model).every((result) => result !== "ok")).toBe(true);
  expect(existsSync(path.join(project, "../outside.txt"))).toBe(false);
  await expect(editor.create("/")).rejects.toMatchObject({
    code: -32_602,
    message: expect.stringContaining("Name the folder of one project"),
  });
  await expect(editor.create(product.home)).rejects.toMatchObject({ code: -32_602 });
});

test(
  "a command line asks in the editor: allowed once it runs in the project, always it is not asked about again, denied it does not run",
  TIMEOUT,
  async () => {
    const kinds = ["allow_once", "reject_once", "allow_always"];
    const asked: string[] = [];
    await using other = await openEditor({
      home: product.home,
      decide: (request) => {
        asked.push(request.toolCall.title ?? "");
        return choose(kinds.shift() ?? "none")(request);
      },
    });
    const { sessionId } = await other.create(project);
    await other.prompt(sessionId, exec("pwd > once"));
    expect(await readFile(path.join(project, "once"), "utf8")).toBe(`${project}\n`);
    await other.prompt(sessionId, exec("touch denied"));
    expect(newestResults(model)).toEqual([expect.stringContaining("the owner denied it")]);
    await other.prompt(sessionId, exec("touch always"));
    await rm(path.join(project, "always"));
    await other.prompt(sessionId, exec("touch always"));
    expect(["always", "denied"].map((name) => existsSync(path.join(project, name)))).toEqual([true, false]);
    expect(asked).toEqual(["exec pwd > once", "exec touch denied", "exec touch always"]);
  },
);

test("the conversation is in the Control UI, which decides and speaks in it as well, and in a second editor", TIMEOUT, async () => {
  await using first = await openEditor({ home: product.home, decide: async () => new Promise(() => undefined) });
  const { sessionId } = await first.create(project);
  await using second = await openEditor({ home: product.home });
  await second.agent.request(session.resume, { sessionId, cwd: project, mcpServers: [] });
  const prompted = first.prompt(sessionId, exec("touch from-the-page"));
  using page = await connect();
  await expect.poll(async () => (await page.request("approvals.list", {})).waiting.length).toBe(1);
  const { waiting } = await page.request("approvals.list", {});
  expect(waiting).toMatchObject([{ sessionKey: sessionId, text: "touch from-the-page" }]);
  await page.request("approvals.decide", { id: waiting[0]?.id ?? "", decision: "allow-once" });
  expect(await prompted).toBe("end_turn");
  expect(existsSync(path.join(project, "from-the-page"))).toBe(true);
  await second.shown(sessionId, (update) => update.sessionUpdate === "user_message_chunk");
  expect(second.text(sessionId)).toContain("Done.");
  // A message of the page, answered in both editors.
  answer(sayText("Hello, page."));
  await page.request("chat.send", { sessionKey: sessionId, text: "Hello from the page", idempotencyKey: randomUUID() });
  for (const one of [first, second]) await expect.poll(() => one.text(sessionId)).toContain("Hello, page.");
  const { entries } = await page.request("chat.history", { sessionKey: sessionId });
  expect(entries.filter(({ type }) => type === "user")).toHaveLength(2);
  const { session: listed } = await page.request("sessions.resolve", { key: sessionId });
  expect(listed).toMatchObject({ workspace: project });
});

test("an image of a prompt reaches the model", TIMEOUT, async () => {
  const { sessionId } = await editor.create(project);
  answer(sayText("A red dot."));
  const image = { type: "image" as const, mimeType: "image/png", data: png(20, 20, [255, 0, 0]).toString("base64") };
  const prompt = [{ type: "text" as const, text: "What is it?" }, image];
  expect(await editor.agent.request(session.prompt, { sessionId, prompt })).toEqual({ stopReason: "end_turn" });
  expect(editor.text(sessionId)).toBe("A red dot.");
  expect(JSON.stringify(model.requests.at(-1)?.body?.["messages"])).toContain('"type":"image"');
  const broken = [{ ...image, data: "bm8=" }];
  await expect(editor.agent.request(session.prompt, { sessionId, prompt: broken })).rejects.toMatchObject({ code: -32_602 });
});

test("a prompt is cancelled, and the next one is answered", TIMEOUT, async () => {
  const gate = createGate();
  const { sessionId } = await editor.create(project);
  model.respond(() => ({ ...sayText("A long story. ".repeat(100)), fault: { type: "stall", afterBytes: 4_000, until: gate } }));
  const prompted = editor.prompt(sessionId, "Tell me");
  await editor.shown(sessionId, ({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
  await editor.agent.notify(session.cancel, { sessionId });
  expect(await prompted).toBe("cancelled");
  gate.open();
  answer(sayText("Here I am."));
  expect(await editor.prompt(sessionId, "Again")).toBe("end_turn");
  expect(editor.text(sessionId)).toContain("Here I am.");
});

test("a plan is shown, a question ends the prompt and the next one answers it, and commands are answered", TIMEOUT, async () => {
  const { sessionId } = await editor.create(project);
  answer(
    callTools({ name: "update_plan", arguments: { plan: [{ step: "Ask", status: "in_progress" }] } }),
    callTools({ name: "ask_user", arguments: { questions: [{ question: "Which colour?", options: ["red", "blue"] }] } }),
    sayText("As you like."),
  );
  expect(await editor.prompt(sessionId, "Paint it")).toBe("end_turn");
  expect(editor.updates(sessionId).find(({ sessionUpdate }) => sessionUpdate === "plan")).toMatchObject({
    entries: [{ content: "Ask", status: "in_progress" }],
  });
  expect(editor.text(sessionId)).toContain("Which colour?");
  expect(await editor.prompt(sessionId, "blue")).toBe("end_turn");
  expect(editor.text(sessionId)).toContain("As you like.");
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("blue");
  expect(await editor.prompt(sessionId, "/mode read-only")).toBe("end_turn");
  expect(editor.text(sessionId)).toContain("only tool calls that change nothing run");
  expect(editor.updates(sessionId)).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "read-only" });
  answer(callTools({ name: "write", arguments: { path: "new.txt", content: "x" } }));
  await editor.prompt(sessionId, "Write");
  expect(existsSync(path.join(project, "new.txt"))).toBe(false);
});

test("the run of an editor that exits continues, and its answer is there later", TIMEOUT, async () => {
  const gate = createGate();
  const long = `${"And so on. ".repeat(100)}The end.`;
  await using first = await openEditor({ home: product.home });
  const { sessionId } = await first.create(project);
  model.respond(() => ({ ...sayText(long), fault: { type: "stall", afterBytes: 4_000, until: gate } }));
  void first.prompt(sessionId, "Work").catch(() => undefined);
  await first.shown(sessionId, ({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
  first.process.kill("SIGKILL");
  gate.open();
  using page = await connect();
  await expect
    .poll(async () => JSON.stringify((await page.request("chat.history", { sessionKey: sessionId })).entries))
    .toContain("The end.");
  await using second = await openEditor({ home: product.home });
  const { sessions } = await second.agent.request(session.list, { cwd: project });
  expect(sessions.map((one) => one.sessionId)).toContain(sessionId);
  await second.agent.request(session.load, { sessionId, cwd: project, mcpServers: [] });
  expect(second.text(sessionId)).toBe(long);
  expect(second.updates(sessionId)[0]).toMatchObject({ sessionUpdate: "user_message_chunk", content: { text: "Work" } });
});

test("acpx talks with it: an answer, a command that it approves, and one that it denies", TIMEOUT, async () => {
  const program = fileURLToPath(new URL("cli.js", import.meta.resolve("acpx")));
  const acpx = async (...words: readonly string[]): Promise<string> => {
    const agent = `${process.execPath} ${productEntry} acp`;
    const child = spawn(process.execPath, [program, "--agent", agent, "--cwd", project, ...words], {
      env: { PATH: process.env["PATH"] ?? "", HOME: product.home, FACTOTUM_HOME: product.home },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stderr.resume();
    return text(child.stdout);
  };
  expect(await acpx("--approve-all", "exec", exec("touch by-acpx"))).toContain("Done.");
  expect(await acpx("--deny-all", "exec", exec("touch never-by-acpx"))).toContain("Done.");
  expect(["by-acpx", "never-by-acpx"].map((name) => existsSync(path.join(project, name)))).toEqual([true, false]);
});

test("it starts a stopped gateway, and continues after a restart of the gateway", TIMEOUT, async () => {
  const { sessionId } = await editor.create(project);
  await product.end("SIGTERM");
  try {
    answer(sayText("Started again."));
    expect(await editor.prompt(sessionId, "Still there?")).toBe("end_turn");
    expect(editor.text(sessionId)).toBe("Started again.");
    expect((await runCommand(["gateway", "status"], { home: product.home })).code).toBe(0);
  } finally {
    await runCommand(["gateway", "stop"], { home: product.home });
  }
});
