import { existsSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { methods, type McpServer } from "@agentclientprotocol/sdk";
import type { StrictServer } from "@factotum/testing-providers";
import { runCommand, startProduct, type Product } from "@factotum/testing-product";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openEditor } from "./acp-scene.ts";
import { FakeEditor } from "./fake-editor.ts";
import { serverProgram } from "./mcp-scene.ts";
import { order, startObedientModel, type Order } from "./obedient-model.ts";

const { session } = methods.agent;
const TIMEOUT = { timeout: 120_000 };

let model: StrictServer;
let product: Product;
let project: string;

beforeAll(async () => {
  model = await startObedientModel();
  product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
      tools: { exec: { mode: "full" } },
    },
  });
  project = await realpath(await mkdtemp(path.join(tmpdir(), "factotum-editor-")));
}, 60_000);
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await rm(project, { recursive: true, force: true });
});

/** The texts of the newest turn's results. */
function results(): readonly string[] {
  const messages = (model.requests.at(-1)?.body?.["messages"] ?? []) as readonly { readonly content: unknown }[];
  const blocks = messages.findLast(({ content }) => JSON.stringify(content).includes('"tool_result"'))?.content;
  return (blocks as readonly { readonly type: string; readonly content?: unknown }[]).flatMap(({ type, content }) =>
    type === "tool_result" ? [typeof content === "string" ? content : ((content as { text?: string }[])[0]?.text ?? "")] : [],
  );
}

const please = (...calls: readonly Order[]): string => `Please ${order(...calls)}`;
const exec = (command: string): string => please({ name: "exec", arguments: { command } });

test("files are those of the editor, unsaved changes included, and commands run in its terminals", TIMEOUT, async () => {
  const fake = new FakeEditor();
  const file = path.join(project, "a.txt");
  await writeFile(file, "one\ntwo\n");
  fake.buffers.set(file, "one\nunsaved\n");
  await using editor = await openEditor({ home: product.home, capabilities: fake.capabilities, serve: fake.serve });
  const { sessionId } = await editor.create(project);
  await editor.prompt(
    sessionId,
    please(
      { name: "read", arguments: { path: "a.txt" } },
      { name: "edit", arguments: { path: "a.txt", edits: [{ oldText: "unsaved", newText: "edited" }] } },
      { name: "write", arguments: { path: "new/b.txt", content: "b" } },
    ),
  );
  expect(fake.asked).toContain(`write ${file}`);
  expect(await readFile(file, "utf8")).toBe("one\nedited\n");
  expect(await readFile(path.join(project, "new/b.txt"), "utf8")).toBe("b");
  await editor.prompt(sessionId, exec("echo $IN_EDITOR; pwd; exit 3"));
  expect(results()[0]).toMatch(new RegExp(`yes\n${project}\n[^]*3`));
  expect(fake.commands).toEqual([expect.stringContaining("echo $IN_EDITOR")]);
  expect(fake.open).toEqual([]);
  expect(editor.updates(sessionId)).toContainEqual(
    expect.objectContaining({ sessionUpdate: "tool_call_update", content: [{ type: "terminal", terminalId: "t1" }] }),
  );
  // A prompt that is cancelled ends its command.
  const prompted = editor.prompt(sessionId, exec("touch begun; sleep 600"));
  await expect.poll(() => existsSync(path.join(project, "begun"))).toBe(true);
  await editor.agent.notify(session.cancel, { sessionId });
  expect(await prompted).toBe("cancelled");
  await expect.poll(() => fake.open).toEqual([]);
});

test("a second editor changes nothing; when the first one has left, the gateway itself reads, writes and runs", TIMEOUT, async () => {
  const [fake, other] = [new FakeEditor(), new FakeEditor()];
  const first = await openEditor({ home: product.home, capabilities: fake.capabilities, serve: fake.serve });
  const { sessionId } = await first.create(project);
  await using second = await openEditor({ home: product.home, capabilities: {}, serve: () => undefined });
  await second.agent.request(session.resume, { sessionId, cwd: project, mcpServers: [] });
  await using third = await openEditor({ home: product.home, capabilities: other.capabilities, serve: other.serve });
  await third.agent.request(session.resume, { sessionId, cwd: project, mcpServers: [] });
  expect(third.errors()).toContain("Another editor has this conversation open");
  await third.prompt(sessionId, exec("echo $IN_EDITOR"));
  expect([fake.commands.length, other.commands.length]).toEqual([1, 0]);
  await third.agent.request(session.close, { sessionId });
  await first[Symbol.asyncDispose]();
  await second.prompt(sessionId, exec("echo here: $IN_EDITOR."));
  expect(results()).toEqual([expect.stringContaining("here: .")]);
  expect([fake.commands.length, other.commands.length]).toEqual([1, 0]);
});

test("the editor's MCP servers are there in its conversation, and one that fails does no harm", TIMEOUT, async () => {
  const servers: McpServer[] = [
    {
      name: "Notes",
      command: process.execPath,
      args: [serverProgram("everything")],
      env: [{ name: "NOTES_TOKEN", value: "s3cret-of-notes" }],
    },
    { name: "Broken", command: process.execPath, args: ["-e", "process.exit(1)"], env: [] },
  ];
  await using editor = await openEditor({ home: product.home });
  const { sessionId } = await editor.agent.request(session.new, { cwd: project, mcpServers: servers });
  const echo = please({ name: "mcp__notes_echo", arguments: { message: "through the editor" } });
  expect(await editor.prompt(sessionId, echo)).toBe("end_turn");
  expect(results()).toEqual([expect.stringContaining("through the editor")]);
  expect(editor.text(sessionId)).toContain("MCP server broken cannot be used");
  const bare = await editor.create(project);
  await editor.prompt(bare.sessionId, echo);
  expect(results()[0]).not.toContain("Echo: through the editor");
  expect(JSON.stringify(model.requests.at(-1)?.body?.["tools"])).not.toContain("mcp__notes_echo");
  // With the editor the server ends; its conversation is used from elsewhere.
  await editor.agent.request(session.close, { sessionId });
  await using later = await openEditor({ home: product.home });
  await later.agent.request(session.resume, { sessionId, cwd: project, mcpServers: [] });
  await later.prompt(sessionId, echo);
  expect(results()).toEqual([expect.stringContaining("no longer available")]);
});

test("an editor that dies in the middle of a command leaves a run that ends, and nothing runs a second time", TIMEOUT, async () => {
  const fake = new FakeEditor();
  const editor = await openEditor({ home: product.home, capabilities: fake.capabilities, serve: fake.serve });
  const { sessionId } = await editor.create(project);
  const prompted = editor.prompt(sessionId, exec("echo once >> runs; sleep 600"));
  prompted.catch(() => undefined);
  await expect.poll(() => existsSync(path.join(project, "runs"))).toBe(true);
  editor.process.kill("SIGKILL");
  await expect.poll(() => results()[0]).toContain("What became of the command is unknown");
  await using later = await openEditor({ home: product.home });
  await later.agent.request(session.load, { sessionId, cwd: project, mcpServers: [] });
  await expect.poll(() => later.text(sessionId)).toContain("Done.");
  expect(await readFile(path.join(project, "runs"), "utf8")).toBe("once\n");
  fake.close();
});

test("a gateway that dies in the middle of a command ends the prompt, and the next one uses the editor again", TIMEOUT, async () => {
  const fake = new FakeEditor();
  await using editor = await openEditor({ home: product.home, capabilities: fake.capabilities, serve: fake.serve });
  const { sessionId } = await editor.create(project);
  const prompted = editor.prompt(sessionId, exec("touch dying; sleep 600"));
  prompted.catch(() => undefined);
  await expect.poll(() => existsSync(path.join(project, "dying"))).toBe(true);
  await product.end("SIGKILL");
  try {
    await expect(prompted).rejects.toMatchObject({ code: -32_603 });
    await expect.poll(() => fake.open).toEqual([]);
    const before = fake.commands.length;
    await editor.prompt(sessionId, exec("echo again"));
    await expect.poll(() => fake.commands.length).toBeGreaterThan(before);
  } finally {
    await runCommand(["gateway", "stop"], { home: product.home });
  }
});
