import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandHook } from "@factotum/config";
import type { HookName, HookPayloads } from "@factotum/plugin";
import { createHostRunner } from "@factotum/sandbox";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { systemClock, systemRandom } from "../runtime/system-clock.ts";
import { commandHookSources } from "./command-hooks.ts";

let folder: string;
let warnings: object[] = [];
const logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_message: string, fields: object = {}) => void warnings.push(fields),
  error: () => undefined,
  child: () => logger,
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "factotum-hooks-"));
});
beforeEach(() => {
  warnings = [];
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

const PLACE = { agentId: "main", sessionKey: "agent:main:main", owner: true };
const CALL = { ...PLACE, callId: "c1", tool: "exec", arguments: { command: "ls" }, tainted: false };

/** Runs a script as the command of a hook, and resolves with the answer. */
async function answerOf<Name extends HookName>(
  script: string,
  name: Name,
  payload: HookPayloads[Name],
  more: Partial<Pick<CommandHook, "match" | "command" | "timeoutSeconds">> = {},
): Promise<unknown> {
  const file = join(folder, "hook.sh");
  await writeFile(file, script);
  const runner = createHostRunner({
    clock: systemClock,
    random: systemRandom,
    logger,
    recordFolder: join(folder, "records"),
    baseEnv: { PATH: process.env["PATH"] ?? "" },
    limits: () => ({ maxProcesses: 64, maxMemoryBytes: 1024 ** 3 }),
  });
  try {
    const hook = { event: name, match: {}, command: ["sh", file, "an argument"], timeoutSeconds: 30, ...more };
    const [source] = commandHookSources([hook], { runner, folder, logger });
    return await source?.call(name, payload, { signal: new AbortController().signal });
  } finally {
    await runner.close();
  }
}

test("gets its arguments and the occasion as a line of JSON, in the given folder", async () => {
  expect(await answerOf('cat > said.json; echo "$1" > argument; pwd > place', "before_tool_call", CALL)).toBeUndefined();
  const said = await readFile(join(folder, "said.json"), "utf8");
  expect(said.endsWith("\n")).toBe(true);
  expect(JSON.parse(said)).toEqual({ event: "before_tool_call", ...CALL });
  expect(await readFile(join(folder, "argument"), "utf8")).toBe("an argument\n");
  expect(await readFile(join(folder, "place"), "utf8")).toBe(`${folder}\n`);
  expect(warnings).toEqual([]);
});

const MODEL_CALL = { ...PLACE, kind: "user", provider: "demo", model: "m1", messages: 1, inputTokens: 1 };
const SENDING = { sessionKey: "agent:main:main", channel: "chatter", conversation: "c", text: "Hi" };

test.each<[HookName, HookPayloads[HookName], object]>([
  ["before_tool_call", CALL, { deny: "Not on a Sunday." }],
  ["before_dispatch", { ...PLACE, texts: ["hello"] }, { deny: "Not on a Sunday." }],
  ["before_model_call", MODEL_CALL, { deny: "Not on a Sunday." }],
  ["message_sending", SENDING, { cancel: "Not on a Sunday." }],
])("%s is denied by exit code 2, with the output as the reason", async (name, payload, answer) => {
  expect(await answerOf("echo ' Not on a Sunday. '; exit 2", name, payload)).toEqual(answer);
});

test("a denial without output has a reason, too", async () => {
  expect(await answerOf("exit 2", "before_tool_call", CALL)).toEqual({ deny: "The owner's rules do not allow it." });
});

test.each<[string, HookName, HookPayloads[HookName], number]>([
  ["another code", "before_tool_call", CALL, 1],
  ["code 2 of a hook that denies nothing", "after_tool_call", { ...CALL, isError: false, text: "" }, 2],
])("%s is logged, and the occasion goes on", async (_what, name, payload, exitCode) => {
  expect(await answerOf(`echo broken; exit ${exitCode}`, name, payload)).toBeUndefined();
  expect(warnings).toEqual([{ hook: name, owner: "command sh (commandHooks[0])", exitCode, output: "broken" }]);
});

test.each<[string, string, Partial<CommandHook>, RegExp]>([
  ["is late", "sleep 60", { timeoutSeconds: 0.2 }, /took longer than 0\.2 s \(timeoutSeconds\)/],
  ["is killed", "kill -9 $$", {}, /was ended by SIGKILL/],
  ["does not exist", "", { command: ["/no/such/program"] }, /\/no\/such\/program could not be started/],
])("one that %s has failed", async (_what, script, more, message) => {
  await expect(answerOf(script, "before_tool_call", CALL, more)).rejects.toThrow(message);
});

test("one that does not read a large payload decides all the same", async () => {
  const large = { ...CALL, arguments: { text: "x".repeat(2_000_000) } };
  expect(await answerOf("exit 2", "before_tool_call", large)).toEqual({ deny: "The owner's rules do not allow it." });
});

test.each<[string, CommandHook["match"], HookName, HookPayloads[HookName], boolean]>([
  ["a tool by name", { tools: ["exec"] }, "before_tool_call", CALL, true],
  ["a tool by its group", { tools: ["group:runtime"] }, "before_tool_call", CALL, true],
  ["a tool by a pattern", { tools: ["ex*"] }, "before_tool_call", CALL, true],
  ["another tool", { tools: ["read", "group:fs"] }, "before_tool_call", CALL, false],
  ["an agent", { agents: ["main"] }, "before_dispatch", { ...PLACE, texts: [] }, true],
  ["the model of an agent", { agents: ["main"] }, "before_model_call", MODEL_CALL, true],
  ["another agent", { agents: ["work"] }, "before_dispatch", { ...PLACE, texts: [] }, false],
  ["the tool of another agent", { tools: ["exec"], agents: ["work"] }, "before_tool_call", CALL, false],
])("is run for %s: %j", async (_what, match, name, payload, isRun) => {
  expect(await answerOf("exit 2", name, payload, { match })).toEqual(isRun ? { deny: "The owner's rules do not allow it." } : undefined);
});

test("comes after the handlers of plugins, whatever their priority", () => {
  const runner = createHostRunner({
    clock: systemClock,
    random: systemRandom,
    logger,
    recordFolder: join(folder, "records"),
    baseEnv: {},
    limits: () => ({ maxProcesses: 1, maxMemoryBytes: 1 }),
  });
  const hook = { event: "message_sent", match: {}, command: ["true"], timeoutSeconds: 1 } as const;
  const [source] = commandHookSources([hook], { runner, folder, logger });
  expect(source).toMatchObject({ trusted: true, hooks: [{ name: "message_sent", priority: Number.MIN_SAFE_INTEGER }] });
});
