import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@factotum/agent-contract";
import type { HookName, HookPayloads } from "@factotum/plugin";
import { expect, test } from "vitest";
import { startHost, TestClock, textOf, type TestHost } from "../test/host.ts";
import { memoryRows } from "../test/plugins.ts";
import type { InstalledPlugin } from "./index.ts";

const EXAMPLES = fileURLToPath(new URL("../../../examples/", import.meta.url));

/** A plugin of the folder `examples`, as its manifest declares it. */
async function exampleOf(id: string, config: JsonObject = {}): Promise<InstalledPlugin> {
  const folder = join(EXAMPLES, id);
  const { name, version, factotum } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly factotum: { readonly provides: readonly Partial<InstalledPlugin>[] };
  };
  const tools = factotum.provides.flatMap((part) => (part.tools ?? []).map((tool) => ({ ...tool, effect: tool.effect ?? "write" })));
  const hooks = factotum.provides.flatMap((part) => part.hooks ?? []);
  const routes = factotum.provides.flatMap((part) => (part.routes ?? []).map((route) => ({ ...route, public: false })));
  const commands = factotum.provides.flatMap((part) => part.commands ?? []);
  const facts = {
    packageName: name,
    version,
    folder,
    entry: join(folder, "index.mjs"),
    hosts: [],
    secrets: [],
    workspaces: {},
    mayRun: false,
  };
  return { id, ...facts, tools, hooks, commands, routes, roles: [], config, trusted: true };
}

/** A host of one example at this time, in this process. */
function startExample(plugin: InstalledPlugin, time = "2026-03-01T22:30:00Z"): TestHost {
  const rows = memoryRows();
  return startHost([plugin], { rowsOf: () => rows, clock: Object.assign(new TestClock(), { now: () => Date.parse(time) }) });
}

async function callHook<Name extends HookName>({ host }: TestHost, name: Name, payload: HookPayloads[Name]): Promise<unknown> {
  return host.hooks()[0]?.call(name, payload, { signal: new AbortController().signal });
}

const PLACE = { agentId: "main", sessionKey: "agent:main:main", owner: true };
const CALL = { ...PLACE, callId: "call-1", arguments: { path: "diary.md" }, tainted: false };

test("audit-log keeps the newest entries of handlers that run at the same time, and no text of any", async () => {
  await using running = startExample(await exampleOf("audit-log", { keep: 4 }));
  expect(textOf(await running.call("audit-log"))).toBe("Nothing is logged yet.");
  const secret = "the secret plan";
  const message = { channel: "webchat", accountId: "default", conversation: "dm:anna", senderId: "anna", text: secret };
  await Promise.all([
    ...["read", "write"].map(async (tool) => callHook(running, "after_tool_call", { ...CALL, tool, isError: false, text: "" })),
    callHook(running, "message_received", { ...PLACE, message }),
    callHook(running, "after_tool_call", { ...CALL, tool: secret, isError: true, text: secret }),
    callHook(running, "agent_end", { ...PLACE, runId: "run-1", outcome: "done", text: secret }),
    callHook(running, "message_sent", { sessionKey: "s", channel: "webchat", conversation: "dm:anna", outcome: "accepted" }),
  ]);
  const at = "2026-03-01T22:30:00.000Z";
  const lines = [
    `${at} message_received webchat: 15 characters`,
    `${at} after_tool_call the?secret?plan: failed, 15 characters`,
    `${at} agent_end main: done, 15 characters`,
    `${at} message_sent webchat: accepted`,
  ];
  expect(textOf(await running.call("audit-log", { limit: 50 }))).toBe(lines.join("\n"));
  expect(textOf(await running.call("audit-log", { limit: 1 }))).toBe(lines[3]);
  const refused = await running.call("audit-log", { limit: 0 });
  expect(refused).toMatchObject({ isError: true });
  expect(textOf(refused)).toBe("limit is a whole number from 1 to 200.");

  const [route] = running.host.routes("audit-log");
  const get = async (query: Readonly<Record<string, string>>): Promise<unknown> =>
    route?.answer({ method: "GET", path: "/entries", query, headers: {}, body: "" }, { signal: new AbortController().signal });
  const entry = { at: Date.parse(at), event: "message_sent", name: "webchat", outcome: "accepted" };
  const headers = { "content-type": "application/json" };
  expect(await get({ limit: "1" })).toEqual({ type: "answer", status: 200, headers, body: JSON.stringify([entry]) });
  expect(await get({})).toMatchObject({ body: expect.stringContaining("message_received") as string });
  for (const limit of ["0", "201", "x", "1.5"]) expect(await get({ limit })).toMatchObject({ status: 400 });
});

test("the log fits into its row with the most and the longest entries", async () => {
  const name = "n".repeat(16_000);
  await using running = startExample(await exampleOf("audit-log", { keep: 200 }));
  const note = async (): Promise<unknown> => callHook(running, "after_tool_call", { ...CALL, tool: name, isError: true, text: name });
  await Promise.all(Array.from({ length: 201 }, note));
  expect(textOf(await running.call("audit-log", { limit: 200 })).split("\n")).toHaveLength(200);
  expect(running.host.sources()[0]?.problem).toBeUndefined();
});

test.each([
  ["exec", "2026-03-01T12:00:00Z", { deny: "No commands." }],
  ["execute", "2026-03-01T12:00:00Z", null],
  ["read", "2026-03-01T11:30:00Z", { ask: "It is noon." }],
  ["read", "2026-03-01T12:00:00Z", null],
  // An hour ahead of UTC, in summer two.
  ["web_fetch", "2026-03-01T21:59:00Z", null],
  ["web_fetch", "2026-03-01T22:00:00Z", { ask: "There is a rule for web_fetch from 23:00-07:00." }],
  ["web_fetch", "2026-03-02T05:59:00Z", { ask: "There is a rule for web_fetch from 23:00-07:00." }],
  ["web_fetch", "2026-03-02T06:00:00Z", null],
  ["web_fetch", "2026-07-01T05:00:00Z", null],
  ["web_search", "2026-03-02T00:00:00Z", { deny: "No searches at night." }],
  ["web_search", "2026-03-02T01:00:00Z", { ask: "There is a rule for web_search from 23:00-07:00." }],
])("house-rule answers %s at %s with %j", async (tool, time, answer) => {
  const rules = [
    { tools: ["exec"], answer: "deny", reason: "No commands." },
    { tools: ["write", "web_*"], answer: "ask", between: "23:00-07:00" },
    { tools: ["web_search"], answer: "deny", between: "01:00-02:00", reason: "No searches at night." },
    { tools: ["read"], answer: "ask", between: "12:00-13:00", reason: "It is noon." },
  ];
  await using running = startExample(await exampleOf("house-rule", { timeZone: "Europe/Brussels", rules }), time);
  expect(await callHook(running, "before_tool_call", { ...CALL, tool })).toEqual(answer);
});

test("house-rule lets all calls pass without rules, and none with an unknown time zone", async () => {
  await using open = startExample(await exampleOf("house-rule"));
  expect(await callHook(open, "before_tool_call", { ...CALL, tool: "exec" })).toBeNull();
  await using wrong = startExample(await exampleOf("house-rule", { timeZone: "Mars/Base" }));
  await expect(callHook(wrong, "before_tool_call", { ...CALL, tool: "read" })).rejects.toThrow("Invalid time zone");
});

test("todo-list adds, lists and takes off, also for calls at the same time", async () => {
  await using running = startExample(await exampleOf("todo-list"));
  const use = async (tool: string, args: JsonObject = {}): Promise<string> => textOf(await running.call("todo-list", args, { tool }));
  expect(await use("list")).toBe("There is nothing to do.");
  expect(await use("done", { number: 1 })).toBe("The list is empty.");
  const added = await Promise.all(["buy milk", " call\n2: Anna ", "pay"].map(async (text) => use("add", { text })));
  expect(added).toEqual(["Added 1: buy milk", "Added 2: call 2: Anna", "Added 3: pay"]);
  expect(await use("done", { number: 3 })).toBe("Done: pay");
  expect(await use("done", { number: 3 })).toBe("There is no entry with this number. The list has: 1, 2.");
  expect(await use("add", { text: "sleep" })).toBe("Added 4: sleep");
  expect(await use("list")).toBe("1: buy milk\n2: call 2: Anna\n4: sleep");
  const [todo] = running.host.sources()[0]?.commands ?? [];
  const typed = async (words: string): Promise<string | undefined> =>
    todo?.run(words, { agentId: "main", sessionKey: "agent:main:main", signal: new AbortController().signal });
  expect(await typed("")).toBe("1: buy milk\n2: call 2: Anna\n4: sleep");
  expect(await typed("write to Bo")).toBe("Added 5: write to Bo");
  expect(await typed("x".repeat(201))).toBe("The entry has 201 characters, and 200 are allowed: make it shorter.");
});

test("todo-list says what is wrong with an entry, and when it is full", async () => {
  await using running = startExample(await exampleOf("todo-list"));
  const add = async (text: unknown): Promise<string> => {
    const result = await running.call("todo-list", { text } as JsonObject, { tool: "add" });
    expect(result.isError === true).toBe(!textOf(result).startsWith("Added"));
    return textOf(result);
  };
  expect(await add(7)).toBe("Give the entry as text.");
  expect(await add(" \n ")).toBe("The entry is empty: say in text what is to be done.");
  expect(await add("x".repeat(201))).toBe("The entry has 201 characters, and 200 are allowed: make it shorter.");
  // Each takes two characters of the row.
  for (let number = 1; number <= 100; number += 1) expect(await add('"'.repeat(200))).toMatch(`Added ${number}: `);
  expect(await add("one more")).toContain("The list is full: it has 100 entries.");
});
