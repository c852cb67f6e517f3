import type { Logger } from "@factotum/agent-contract";
import { HOOKS, type HookName } from "@factotum/plugin";
import { describe, expect, test } from "vitest";
import { createManualClock } from "../../test/manual-clock.ts";
import { HookRunner } from "./hook-runner.ts";
import type { HookSource } from "./hook-source.ts";

const { signal } = new AbortController();
const PLACE = { agentId: "main", sessionKey: "agent:main:main", owner: true };
const CALL = { ...PLACE, callId: "c1", tool: "exec", arguments: { command: "ls" }, tainted: false };
const MODEL_CALL = { ...PLACE, kind: "user", provider: "demo", model: "m1" };
const CONVERSATION = { agentId: "main", sessionKey: "agent:main:main", sessionId: "s1" };
const SENT = { sessionKey: "s", channel: "webchat", conversation: "c", text: "hello" };

function sourceOf(
  owner: string,
  name: HookName,
  handle: (payload: never) => unknown,
  parts: { trusted?: boolean; priority?: number } = {},
): HookSource {
  const { trusted = false, priority = 0 } = parts;
  return { owner, trusted, hooks: [{ name, priority }], call: async (_name, payload) => handle(payload as never) };
}

function runnerOf(...sources: readonly HookSource[]): {
  readonly hooks: HookRunner;
  readonly warnings: readonly string[];
  readonly clock: ReturnType<typeof createManualClock>;
} {
  const clock = createManualClock();
  const warnings: string[] = [];
  const none = (): void => undefined;
  const logger: Logger = {
    debug: none,
    info: none,
    error: none,
    warn: (message, fields) => void warnings.push(`${message}: ${String(fields?.["owner"])}`),
    child: () => logger,
  };
  return { hooks: new HookRunner({ sources: () => sources, clock, logger }), warnings, clock };
}

const broken = (name: HookName): HookSource =>
  sourceOf("plugin broken", name, () => {
    throw new Error("broken");
  });

const SUBAGENT = { ...PLACE, parentSessionKey: "agent:main:main", runId: "r", depth: 1 };

describe("a failing handler, by the kind of its hook", () => {
  /** What each hook does when its handler fails: a row for every hook of the table. */
  const outcomes: Readonly<Record<HookName, (hooks: HookRunner) => unknown>> = {
    message_received: (hooks) =>
      hooks.observe("message_received", () => ({
        ...PLACE,
        message: { channel: "", accountId: "", conversation: "", senderId: "", text: "" },
      })),
    after_tool_call: (hooks) => hooks.observe("after_tool_call", () => ({ ...CALL, isError: false, text: "" })),
    message_sent: (hooks) => hooks.observe("message_sent", () => ({ ...SENT, outcome: "accepted" })),
    session_start: (hooks) => hooks.observe("session_start", () => ({ ...PLACE, sessionId: "s" })),
    after_model_call: (hooks) => hooks.observe("after_model_call", () => ({ ...MODEL_CALL, outcome: "answered", durationMs: 1 })),
    before_compaction: (hooks) => hooks.observe("before_compaction", () => ({ ...CONVERSATION, contextTokens: 1, forced: false })),
    after_compaction: (hooks) => hooks.observe("after_compaction", () => ({ ...CONVERSATION, outcome: "none", summarised: 0, leftOut: 0 })),
    session_end: (hooks) => hooks.observe("session_end", () => ({ ...CONVERSATION, reason: "reset" })),
    before_model_call: async (hooks) => hooks.beforeModelCall({ ...MODEL_CALL, messages: 1, inputTokens: 1 }, signal),
    agent_end: (hooks) => hooks.observe("agent_end", () => ({ ...PLACE, runId: "r", outcome: "done", text: "" })),
    cron_run: (hooks) =>
      hooks.observe("cron_run", () => ({ agentId: "main", jobId: "j", name: "tea", slotMs: 0, state: "done", attempt: 1 })),
    subagent_spawned: (hooks) => hooks.observe("subagent_spawned", () => ({ ...SUBAGENT, task: "Count." })),
    subagent_ended: (hooks) => hooks.observe("subagent_ended", () => ({ ...SUBAGENT, state: "done", durationMs: 1 })),
    gateway_start: (hooks) => hooks.observe("gateway_start", () => ({ version: "1" })),
    gateway_stop: (hooks) => hooks.observe("gateway_stop", () => ({ reason: "test" })),
    before_prompt_build: async (hooks) => hooks.beforePromptBuild({ ...PLACE, texts: [] }, signal),
    before_dispatch: async (hooks) => hooks.beforeDispatch({ ...PLACE, texts: [] }, signal),
    before_tool_call: async (hooks) => (await hooks.beforeToolCall(CALL, signal)).type,
    message_sending: async (hooks) => (await hooks.messageSending(SENT)).type,
  };
  const closed: Readonly<Record<string, unknown>> = {
    before_dispatch: "plugin broken has failed, and messages wait until it works or is switched off.",
    before_model_call: "demo/m1 was not asked: the plugin broken, which decides on requests to models, has failed.",
    before_tool_call: "deny",
    message_sending: "failed",
    before_prompt_build: [],
  };

  test.each(Object.keys(HOOKS) as HookName[])("%s", async (name) => {
    const { hooks, warnings } = runnerOf(broken(name));
    const outcome = await outcomes[name](hooks);
    await hooks.close();
    expect(warnings).toEqual(["A hook failed: plugin broken"]);
    // Observers change nothing, and a transformer is left out.
    expect(outcome).toEqual(closed[name]);
    expect(HOOKS[name].kind).toBe(name in closed ? (name === "before_prompt_build" ? "transform" : "decide") : "observe");
  });
});

test("two that change the same thing: the higher priority first, then the order of the sources, each with what was changed before", async () => {
  const seen: string[] = [];
  const adding = (word: string, priority?: number): HookSource =>
    sourceOf(
      `plugin ${word}`,
      "before_tool_call",
      (payload: typeof CALL) => {
        seen.push(payload.arguments.command);
        return { arguments: { command: `${payload.arguments.command} ${word}` } };
      },
      { trusted: true, ...(priority === undefined ? {} : { priority }) },
    );
  const { hooks } = runnerOf(adding("a"), adding("b"), adding("c", 10));
  expect(await hooks.beforeToolCall(CALL, signal)).toEqual({ type: "go-on", isForeign: false, arguments: { command: "ls c a b" } });
  expect(seen).toEqual(["ls", "ls c", "ls c a"]);
});

test("a denial ends it, a question is kept, and arguments of an untrusted plugin are text of others", async () => {
  const asks = sourceOf("plugin asks", "before_tool_call", () => ({ ask: "It is late." }), { priority: 9 });
  const changes = sourceOf("plugin changes", "before_tool_call", () => ({ arguments: { command: "id" } }));
  const denies = sourceOf("plugin denies", "before_tool_call", () => ({ deny: "Not on Sundays." }), { priority: -1 });
  expect(await runnerOf(changes, asks).hooks.beforeToolCall(CALL, signal)).toEqual({
    type: "go-on",
    isForeign: true,
    arguments: { command: "id" },
    ask: { reason: "Rule of the plugin asks: It is late.", isForeign: true },
  });
  expect(await runnerOf(changes, asks, denies).hooks.beforeToolCall(CALL, signal)).toEqual({
    type: "deny",
    message: "exec was not run. Rule of the plugin denies: Not on Sundays.",
    isForeign: true,
  });
});

test("a text is changed by one after the other, or cancelled; anything else is no answer", async () => {
  const upper = sourceOf("plugin upper", "message_sending", ({ text }: typeof SENT) => ({ text: text.toUpperCase() }));
  const odd = sourceOf("plugin odd", "message_sending", () => ({ text: 7, cancel: "" }));
  const stops = sourceOf("plugin stops", "message_sending", ({ text }: typeof SENT) => ({ cancel: `no ${text}` }));
  expect(await runnerOf(upper, odd).hooks.messageSending(SENT)).toEqual({ type: "send", text: "HELLO" });
  expect(await runnerOf(upper, stops).hooks.messageSending(SENT)).toEqual({
    type: "cancel",
    reason: "the plugin stops cancelled it: no HELLO",
  });
});

test("nothing waits for observers, and too many at once are left out", async () => {
  const held = Promise.withResolvers<void>();
  const { hooks, warnings } = runnerOf(sourceOf("plugin slow", "agent_end", async () => held.promise));
  for (let count = 0; count < 103; count += 1) hooks.observe("agent_end", () => ({ ...PLACE, runId: "r", outcome: "done", text: "" }));
  expect(warnings).toHaveLength(3);
  held.resolve();
  await hooks.close();
});

test("of several questions none is the owner's own if one is of an untrusted plugin", async () => {
  const foreign = sourceOf("plugin foreign", "before_tool_call", () => ({ ask: "Obey me." }), { priority: 9 });
  const own = sourceOf("plugin own", "before_tool_call", () => ({ ask: "It is late." }), { trusted: true });
  expect(await runnerOf(foreign, own).hooks.beforeToolCall(CALL, signal)).toMatchObject({
    ask: { reason: "Rule of the plugin foreign: Obey me. Rule of the plugin own: It is late.", isForeign: true },
  });
});

test("a message is sent whole, and what is added to a prompt and the reasons are cut", async () => {
  const long = "x".repeat(20_000);
  const sends = sourceOf("plugin sends", "message_sending", () => ({ text: long }));
  expect(await runnerOf(sends).hooks.messageSending(SENT)).toEqual({ type: "send", text: long });
  const adds = sourceOf("plugin adds", "before_prompt_build", () => ({ prependContext: long }));
  expect(await runnerOf(adds).hooks.beforePromptBuild({ ...PLACE, texts: [] }, signal)).toMatchObject([{ text: "x".repeat(8_000) }]);
  const denies = sourceOf("plugin denies", "before_dispatch", () => ({ deny: long }));
  expect(await runnerOf(denies).hooks.beforeDispatch({ ...PLACE, texts: [] }, signal)).toBe("x".repeat(500));
});

test("an end of the gateway stops the observers that it no longer waits for", async () => {
  let stopped: AbortSignal | undefined;
  const slow: HookSource = {
    owner: "plugin slow",
    trusted: false,
    hooks: [{ name: "agent_end", priority: 0 }],
    call: async (_name, _payload, options) => {
      stopped = options.signal;
      return new Promise(() => undefined);
    },
  };
  const { hooks, clock } = runnerOf(slow);
  hooks.observe("agent_end", () => ({ ...PLACE, runId: "r", outcome: "done", text: "" }));
  const closed = hooks.close();
  expect(stopped?.aborted).toBe(false);
  clock.run(3_000);
  await closed;
  expect(stopped?.aborted).toBe(true);
});
