import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand, type CommandOutcome } from "@factotum/testing-product";
import OpenAI from "openai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { newestTexts } from "./browser-scene.ts";
import { startMcpScene } from "./mcp-scene.ts";
import { order, type Order } from "./obedient-model.ts";

const EXAMPLES = fileURLToPath(new URL("../../../examples/", import.meta.url));
const NAMES = ["audit-log", "house-rule", "todo-list"];

let [folder, home] = ["", ""];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "factotum-examples-"));
  home = join(folder, "home");
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

const run = async (...args: readonly string[]): Promise<CommandOutcome> => runCommand(args, { home, env: { npm_config_offline: "true" } });

test("the examples are installed from their folders, and work in one gateway", { timeout: 300_000 }, async () => {
  const rules = [
    { tools: ["todo-list_done"], answer: "ask", reason: "Is it really done?" },
    { tools: ["wri*"], answer: "deny", between: "00:00-00:00", reason: "Nothing is written here." },
  ];
  const settings = { plugins: { entries: { "house-rule": { config: { timeZone: "Europe/Brussels", rules } } } } };
  await using scene = await startMcpScene({}, { home, settings });
  for (const name of NAMES)
    expect(await run("plugins", "add", join(EXAMPLES, name), "--yes")).toMatchObject({ code: 0, stdout: `${name} 1.0.0 is installed.\n` });

  // What an isolated plugin says taints its conversation, so each call has a conversation of its own.
  let conversations = 0;
  const use = async (name: string, args: Order["arguments"] = {}): Promise<string> => {
    conversations += 1;
    const { url, token } = scene.product;
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0, timeout: 120_000 });
    const content = order({ name, arguments: args });
    await client.chat.completions.create({ model: "factotum", user: `user-${conversations}`, messages: [{ role: "user", content }] });
    return newestTexts(scene.model).join("\n");
  };

  expect(await use("todo-list_add", { text: "water the plants" })).toContain("Added 1: water the plants");
  expect(await use("todo-list_add", { text: "" })).toContain("The entry is empty");
  expect(await use("todo-list_list")).toContain("1: water the plants");
  expect(await use("write", { path: "a.txt", content: "x" })).toContain(
    "write was not run. Rule of the plugin house-rule: Nothing is written here.",
  );
  const type = async (text: string): Promise<unknown> => {
    using client = await RpcClient.connect({ url: scene.product.url, token: scene.product.token, version: "0" });
    return await client.request("agent", { message: text, idempotencyKey: randomUUID() });
  };
  const asksBefore = scene.model.requests.length;
  expect(JSON.stringify(await type("/todo"))).toContain("1: water the plants");
  expect(JSON.stringify(await type("/todo feed the cat"))).toContain("Added 2: feed the cat");
  expect(JSON.stringify(await type("/help"))).toContain("/todo [entry]: Lists what is to be done, or adds an entry.");
  expect(scene.model.requests).toHaveLength(asksBefore);
  const asked = use("todo-list_done", { number: 1 });
  const waiting = async (): Promise<string> => (await run("approvals", "list")).stdout;
  await expect.poll(waiting).toContain("Rule of the plugin house-rule: Is it really done?");
  const id = /^(\w+) {2}todo-list_done$/m.exec(await waiting())?.[1] ?? "";
  expect(await run("approvals", "decide", id, "allow-once")).toMatchObject({ code: 0 });
  expect(await asked).toContain("Done: water the plants");

  const log = await use("audit-log_recent");
  expect(log).toMatch(/^.*\dZ message_received \w+: \d+ characters$/m);
  expect(log).toMatch(/^.*\dZ after_tool_call todo-list_add: done, 25 characters$/m);
  expect(log).toMatch(/^.*\dZ after_tool_call todo-list_add: failed, \d+ characters$/m);
  expect(log).toMatch(/^.*\dZ after_tool_call todo-list_done: done, \d+ characters$/m);
  expect(log).toMatch(/^.*\dZ agent_end main: done, 5 characters$/m);
  expect(log).not.toContain("plants");
  const entries = `${scene.product.url}/plugins/audit-log/entries?limit=200`;
  const answer = await fetch(entries, { headers: { authorization: `Bearer ${scene.product.token}` } });
  expect(await answer.json()).toContainEqual(expect.objectContaining({ event: "after_tool_call", name: "todo-list_add", outcome: "done" }));
  expect((await fetch(entries)).status).toBe(401);
  const { stdout } = await run("status");
  for (const name of NAMES) expect(stdout).not.toContain(name);

  expect(await run("config", "set", "plugins.entries.house-rule.config.ruels", "[]")).toMatchObject({ code: 0 });
  expect(await use("find", { pattern: "*" })).toContain("find was not run. The plugin house-rule, which decides on calls, has failed.");
  expect((await run("status")).stdout).toContain('the plugin house-rule is not used: Unrecognized key: "ruels". Until this is mended');
});

/** A provider whose process ends in the middle of each answer. */
async function writeBroken(): Promise<string> {
  const path = join(folder, "broken");
  await mkdir(path, { recursive: true });
  const provides = [{ type: "models", id: "broken", entry: "./index.mjs", models: [{ id: "one", contextWindow: 128_000 }] }];
  await writeFile(join(path, "package.json"), JSON.stringify({ name: "broken", version: "1.0.0", factotum: { api: 1, provides } }));
  const code = `export const plugin = { id: "broken", setup(api) { api.models(async function* () { yield { choices: [] }; process.exit(3); }); } };`;
  await writeFile(join(path, "index.mjs"), code);
  return path;
}

test("the model provider answers as a stream, and takes over from another one whose process ends", { timeout: 300_000 }, async () => {
  const agents = { defaults: { model: { primary: "rules/plain" } } };
  const rules = [{ contains: "opening hours", answer: "We open at nine." }];
  const settings = { agents, plugins: { entries: { rules: { config: { rules } } } } };
  await using scene = await startMcpScene({}, { home, settings });
  for (const path of [join(EXAMPLES, "model-provider"), await writeBroken()])
    expect(await run("plugins", "add", path, "--yes")).toMatchObject({ code: 0 });
  const { url, token } = scene.product;
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0, timeout: 120_000 });
  const ask = async (): Promise<readonly string[]> => {
    const messages = [{ role: "user" as const, content: "What are your opening hours?" }];
    const stream = await client.chat.completions.create({ model: "factotum", stream: true, messages });
    const pieces: string[] = [];
    for await (const { choices } of stream) pieces.push(choices[0]?.delta.content ?? "");
    return pieces.filter((piece) => piece !== "");
  };
  const pieces = await ask();
  expect(pieces.join("")).toBe("We open at nine.");
  expect(pieces.length).toBeGreaterThan(1);
  expect((await run("doctor")).stdout).toContain("rules/plain: the plugin rules answers for it");
  expect((await run("plugins", "list")).stdout).toContain("models of rules (plain)");
  expect((await run("models", "list", "rules")).stdout).toContain("rules/plain");
  expect((await run("models", "set", "rules/other")).stderr).toContain("The plugin rules has no model other. It has: plain.");
  expect(await run("models", "set", "rules/plain")).toMatchObject({ code: 0, stdout: "The model is now rules/plain.\n" });

  const model = JSON.stringify({ primary: "broken/one", fallbacks: ["rules/plain"] });
  expect(await run("config", "set", "agents.defaults.model", model)).toMatchObject({ code: 0 });
  await expect.poll(async () => (await run("status")).stdout).toContain("broken/one");
  expect((await ask()).join("")).toBe("We open at nine.");
  await expect.poll(async () => readFile(join(home, "logs/gateway.log"), "utf8")).toContain("its process ended with the code 3");

  expect(await run("plugins", "remove", "model-provider")).toMatchObject({ code: 0 });
  expect(await run("plugins", "remove", "broken")).toMatchObject({ code: 0 });
  await expect(ask()).rejects.toThrow('there is no provider "broken"');
});

test("the memory takes the place of the search over notes, and is missed when it is off", { timeout: 300_000 }, async () => {
  const facts = ["The key is under the third stone.", "Bins are emptied on Tuesdays."];
  const settings = { memory: { provider: "facts" }, plugins: { entries: { facts: { config: { facts } } } } };
  await using scene = await startMcpScene({}, { home, settings });
  expect(await run("plugins", "add", join(EXAMPLES, "memory-provider"), "--yes")).toMatchObject({ code: 0 });
  expect((await run("plugins", "list")).stdout).toContain("memory facts");
  const use = async (name: string, args: Order["arguments"]): Promise<string> => {
    using client = await RpcClient.connect({ url: scene.product.url, token: scene.product.token, version: "0" });
    await client.request("agent", { message: order({ name, arguments: args }), idempotencyKey: randomUUID() });
    return newestTexts(scene.model).join("\n");
  };
  const found = await use("memory_search", { query: "where is the key" });
  expect(found).toContain("facts#L1-L1");
  expect(found).toContain("may hold text of others");
  expect(found).toContain("under the third stone");
  expect(await use("memory_get", { path: "facts", from: 2, lines: 1 })).toContain("facts#L2-L2\nBins are emptied on Tuesdays.");
  expect(await run("config", "set", "plugins.deny", '["facts"]')).toMatchObject({ code: 0 });
  await expect.poll(async () => (await run("status")).stdout).toContain("memory.provider");
  expect(await use("memory_search", { query: "where is the key" })).toContain(
    "the plugin facts, which memory.provider names, is not there or not used",
  );
});
