import type { AgentSessions, JsonObject, ListedSession, SessionMessage, SessionSendOutcome } from "@factotum/agent-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { createAgentsListTool } from "./agents-list-tool.ts";
import { createSessionsHistoryTool } from "./sessions-history-tool.ts";
import { createSessionsListTool } from "./sessions-list-tool.ts";
import { createSessionsSendTool } from "./sessions-send-tool.ts";

const NOON = Date.UTC(2026, 5, 15, 12);
const MAIN: ListedSession = {
  key: "agent:main:main",
  sessionId: "0a1b",
  agentId: "main",
  kind: "main",
  displayName: "Ada",
  contextTokens: 12,
  updatedAtMs: NOON,
  state: "running",
  messages: [],
  untrusted: false,
};
const SAID: readonly SessionMessage[] = [
  { atMs: NOON, from: "user", name: "Ada", text: "Hello", untrusted: false },
  { atMs: NOON, from: "assistant", text: "Hi", untrusted: true },
];

let rig: ToolRig;
let asked: unknown[];
let sessions: AgentSessions;
let found: readonly ListedSession[];
let outcome: SessionSendOutcome;
beforeEach(async () => {
  rig = await createToolRig();
  [asked, found] = [[], [MAIN]];
  sessions = {
    list: async (filter) => {
      asked.push(filter);
      return { sessions: found, isCut: found.length > 1 };
    },
    history: async (reference, page, caller) => {
      asked.push([reference, page, caller.tainted]);
      if (reference.sessionKey === "hidden") return undefined;
      return { key: "agent:main:main", messages: SAID, untrusted: true, cursor: "e7" };
    },
    send: async (reference, options, caller) => {
      asked.push([reference, options.message, options.timeoutMs, caller.tainted]);
      return outcome;
    },
    sendProblem: async ({ sessionKey }) => (sessionKey === "hidden" ? { type: "not-found" } : undefined),
    agents: async () => [
      { id: "main", isSelf: true, hasSessions: true, isStartable: true },
      { id: "coder", name: "The coder", isSelf: false, hasSessions: true, isStartable: false },
      { id: "critic", isSelf: false, hasSessions: true, isStartable: true },
      { id: "tester", isSelf: false, hasSessions: false, isStartable: true },
      { id: "claude", isSelf: false, hasSessions: false, isStartable: true, isExternal: true },
    ],
  };
});
afterEach(() => rig[Symbol.asyncDispose]());

const history = async (args: JsonObject) => rig.call(createSessionsHistoryTool({ sessions }), args, { tainted: true });

test("sessions_list shows one line for each session, and its messages where they are asked for", async () => {
  const tool = createSessionsListTool({ sessions });
  const result = await rig.call(tool, { kinds: ["main"], search: null, activeMinutes: 5 }, { run: { timeZone: "Europe/Berlin" } });
  expect(asked).toEqual([{ kinds: ["main"], activeMinutes: 5, limit: 20, messageLimit: 0 }]);
  expect(textOf(result)).toBe('- agent:main:main (id 0a1b, main, this session, name "Ada", 12 tokens, active 2026-06-15 14:00, running)');
  expect(result.untrusted).toBeUndefined();
  found = [MAIN, { ...MAIN, key: "b", label: "work", channel: "irc", model: "a/b", messages: SAID, untrusted: true }];
  const more = await rig.call(tool, { messageLimit: 2 });
  expect(textOf(more).split("\n").slice(1)).toEqual([
    '- b (id 0a1b, main, label "work", name "Ada", channel irc, model a/b, 12 tokens, active 2026-06-15 12:00, running)',
    "[2026-06-15 12:00, user Ada] Hello",
    "[2026-06-15 12:00, assistant, may hold text of others] Hi",
    "[There are more: narrow the list.]",
  ]);
  expect(more.untrusted).toBe(true);
  found = [];
  expect(textOf(await rig.call(tool, {}))).toBe("There are no such sessions.");
});

test("sessions_list is bounded, and what it leaves out does not taint", async () => {
  found = Array.from({ length: 40 }, (_, index) => ({ ...MAIN, displayName: "x".repeat(3_000), untrusted: index > 30 }));
  const result = await rig.call(createSessionsListTool({ sessions }), {});
  expect(textOf(result).length).toBeLessThanOrEqual(64_100);
  expect(result.untrusted).toBeUndefined();
});

test("sessions_history names the session, its messages and the way to older ones", async () => {
  const result = await history({ label: "work", agentId: "", cursor: "e9", includeTools: true });
  expect(asked).toEqual([[{ label: "work" }, { limit: 30, cursor: "e9", includeTools: true }, true]]);
  expect(textOf(result)).toBe(
    [
      "Session agent:main:main:",
      "[2026-06-15 12:00, user Ada] Hello",
      "[2026-06-15 12:00, assistant, may hold text of others] Hi",
      '[There are older messages: cursor "e7".]',
    ].join("\n"),
  );
  expect(result).toMatchObject({ untrusted: true, details: { cursor: "e7" } });
});

test("a session out of reach is answered like one that does not exist; a call without a session says what it needs", async () => {
  expect(await history({ sessionKey: "hidden" })).toMatchObject({ isError: true, details: { code: "not-found" } });
  expect(textOf(await history({ sessionKey: "" }))).toContain("needs sessionKey, label or agentId");
});

test.each<[SessionSendOutcome, JsonObject]>([
  [
    { type: "ok", sessionKey: "a", reply: "Yes.", untrusted: true },
    { text: "a replied:\nYes.", untrusted: true, details: { status: "ok", sessionKey: "a", reply: "Yes." } },
  ],
  [
    { type: "ok", sessionKey: "a", untrusted: false },
    { text: "a had nothing to reply.", details: { status: "ok", sessionKey: "a" } },
  ],
  [
    { type: "accepted", sessionKey: "a", note: "Later." },
    { text: "Accepted: a will answer it, and you will not be notified. Later.", details: { status: "accepted", sessionKey: "a" } },
  ],
  [
    { type: "timeout", sessionKey: "a" },
    { text: expect.stringContaining("do not send the message again") as string, details: { status: "timeout", sessionKey: "a" } },
  ],
  [
    { type: "forbidden", message: "No." },
    { text: "No.", isError: true, details: { status: "forbidden" } },
  ],
  [
    { type: "error", code: "cycle", message: "A circle." },
    { text: "A circle.", isError: true, details: { status: "error", code: "cycle" } },
  ],
])("sessions_send shows %j", async (given, shown) => {
  outcome = given;
  const result = await rig.call(createSessionsSendTool({ sessions }), { label: "work", message: "Green?", timeoutSeconds: 0 });
  expect(asked).toEqual([[{ label: "work" }, "Green?", 0, false]]);
  const { content: _content, ...facts } = result;
  expect({ text: textOf(result), ...facts }).toEqual(shown);
});

test("sessions_send waits 30 seconds by default, answers a hidden session like sessions_history, and shows the owner all that it would send", async () => {
  const tool = createSessionsSendTool({ sessions });
  outcome = { type: "not-found" };
  const refused = await rig.call(tool, { sessionKey: "hidden", message: "Green?" });
  expect(asked).toEqual([[{ sessionKey: "hidden" }, "Green?", 30_000, false]]);
  expect(textOf(refused)).toBe(textOf(await history({ sessionKey: "hidden" })));
  expect(await rig.call(tool, { message: "Green?" })).toMatchObject({ isError: true });
  const inspected = await tool.inspect?.({ id: "1", name: "sessions_send", arguments: { agentId: "coder", message: "Green?" } }, rig.run);
  expect(inspected).toEqual({
    type: "action",
    text: "Send to the session coder: Green?",
    binding: { sessionKey: "", label: "", agentId: "coder", message: "Green?" },
  });
});

test("agents_list marks the caller's own agent, and those that it may start, and external ones", async () => {
  expect(textOf(await rig.call(createAgentsListTool({ sessions }), {}))).toBe(
    "- main: you\n- coder (The coder)\n- critic: sessions_spawn can start it, too\n- tester: only sessions_spawn can start it\n- claude: external",
  );
});

test("sessions_send: a session out of reach is refused before anyone is asked, in the words of a missing one", async () => {
  const tool = createSessionsSendTool({ sessions });
  const inspect = async (sessionKey: string) =>
    tool.inspect?.({ id: "t1", name: "sessions_send", arguments: { sessionKey, message: "hi" } }, rig.run);
  expect(await inspect("agent:coder:main")).toMatchObject({ type: "action", text: "Send to the session agent:coder:main: hi" });
  outcome = { type: "not-found" };
  const missing = await rig.call(tool, { sessionKey: "hidden", message: "hi" });
  expect(await inspect("hidden")).toEqual({ type: "invalid", message: textOf(missing) });
});
