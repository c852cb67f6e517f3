import type { ChatEntry } from "@factotum/protocol";
import { expect, test } from "vitest";
import { ScriptedSession } from "../../test/scripted-session.ts";
import { toChatItems, toCommittedItems } from "./chat-items.ts";
import { applyEvent, applySnapshot } from "./chat-state.ts";

const call = (id: string) => ({ id, name: "exec", argumentsText: `{"command":"${id}"}` });

function itemsOf(session: ScriptedSession, limit?: number) {
  const { entries, live } = session.snapshot(limit);
  return toChatItems(entries, live);
}

function startWithCalls(): ScriptedSession {
  const session = new ScriptedSession("agent:main:main", () => 0);
  session.say("go", "k-1");
  session.startRun();
  session.startBlock("thinking");
  session.write("hm");
  session.startBlock("text");
  session.write("I look.");
  session.commitAnswer([call("a"), call("b"), call("c")], "toolUse");
  session.startTool(call("a"));
  session.endTool("a", "no such file", true);
  session.startTool(call("b"));
  session.print("b", "half");
  return session;
}

test("shows each call with its result, in the order of the calls", () => {
  const session = startWithCalls();
  session.startBlock("text");
  session.write("so far");
  expect(itemsOf(session)).toMatchObject([
    { type: "user", text: "go" },
    { type: "thinking", text: "hm", live: false },
    { type: "answer", text: "I look.", live: false },
    { type: "tool", id: "a", status: "failed", output: "no such file" },
    { type: "tool", id: "b", status: "running", output: "half" },
    { type: "tool", id: "c", status: "waiting", output: "" },
    { type: "answer", text: "so far", live: true },
  ]);
});

test("an answer belongs to the message that the model was given, not to a command that came between", () => {
  const said = { type: "user", timestampMs: 0, channel: "webchat" } as const;
  const answer = { type: "assistant", timestampMs: 0, text: "Hi.", toolCalls: [], model: "a/b", stopReason: "stop" } as const;
  const entries: ChatEntry[] = [
    { ...said, id: "e1", text: "hello" },
    { ...said, id: "e2", text: "/status", isAside: true },
    { ...answer, id: "e3" },
  ];
  expect(toCommittedItems(entries, undefined).at(-1)).toMatchObject({ place: { askedId: "e1", asked: "hello" } });
});

test("shows a call that never ran as unfinished once its run is over", () => {
  const session = startWithCalls();
  session.endTool("b", "ok", false);
  session.commitAnswer([], "aborted", "Stopped by you.");
  session.endRun("aborted");
  const items = itemsOf(session);
  expect(items.slice(-3)).toMatchObject([
    { id: "b", status: "done" },
    { id: "c", status: "unfinished" },
    { type: "answer-end", reason: "aborted", message: "Stopped by you." },
  ]);
});

test("shows a tool that runs before its message is committed, and a result whose message is on an older page", () => {
  const early = new ScriptedSession("agent:main:main", () => 0);
  early.startRun();
  early.startTool(call("early"));
  expect(itemsOf(early)).toMatchObject([{ type: "tool", id: "early", status: "running" }]);

  const cut = startWithCalls();
  expect(itemsOf(cut, 1)).toMatchObject([{ type: "tool", id: "a", status: "failed", argumentsText: "" }, { id: "b" }]);
});

const STARTED = [
  { type: "user", id: "1", timestampMs: 0, text: "go", channel: "webchat" },
  {
    type: "assistant",
    id: "2",
    timestampMs: 0,
    text: "I begin",
    toolCalls: [],
    model: "m",
    stopReason: "error",
    errorMessage: "The connection was cut.",
  },
] as const satisfies readonly ChatEntry[];

const noticeOf = (level: "info" | "error"): ChatEntry => ({
  type: "notice",
  id: "3",
  timestampMs: 0,
  level,
  text: "The answer broke off.",
});

test("shows one line for an answer that broke off: the gateway's, or its own if there is none", () => {
  const types = (...entries: readonly ChatEntry[]): readonly string[] => toChatItems(entries, undefined).map(({ type }) => type);
  const [said, broken] = STARTED;
  const stopped = { ...broken, stopReason: "aborted" } as const;
  expect(types(said, broken, noticeOf("error"))).toEqual(["user", "answer", "notice"]);
  expect(types(said, broken)).toEqual(["user", "answer", "answer-end"]);
  expect(types(said, broken, noticeOf("info"))).toEqual(["user", "answer", "answer-end", "notice"]);
  expect(types(said, stopped, noticeOf("info"))).toEqual(["user", "answer", "notice"]);
  expect(types(said, broken, { ...said, id: "4" }, noticeOf("error"))).toEqual(["user", "answer", "answer-end", "user", "notice"]);
  expect(types(said, { ...broken, stopReason: "length" }, noticeOf("error"))).toEqual(["user", "answer", "answer-end", "notice"]);
});

test("keeps unchanged rows the same objects: while an answer grows, when a tool prints, and when more is committed", () => {
  const session = startWithCalls();
  const rows = (): readonly unknown[] => {
    const { entries, live } = session.snapshot(1000);
    return toCommittedItems(entries, live?.tools);
  };
  const same = (before: readonly unknown[], after: readonly unknown[]): readonly boolean[] =>
    before.map((row, index) => row === after[index]);
  const first = rows();
  session.startBlock("text");
  session.write("so far");
  expect(same(first, rows())).toEqual([true, true, true, true, true, true]);
  session.print("b", "more");
  // Only the tool that printed has changed.
  expect(same(first, rows())).toEqual([true, true, true, true, false, true]);
  session.endTool("b", "ok", false);
  session.commitAnswer([], "stop");
  session.endRun("done");
  const last = rows();
  expect(same(first, last)).toEqual([true, true, true, true, false, false]);
  session.say("and now?", "k-2");
  expect(same(last, rows())).toEqual(last.map(() => true));
});

test("an answer stays in the row in which it was written, whatever else the run writes", () => {
  const session = new ScriptedSession("agent:main:main", () => 0);
  let state = applySnapshot(undefined, session.snapshot());
  session.listen((event) => {
    state = applyEvent(state, event);
  });
  const ids = (): readonly string[] => toChatItems(state.entries, state.live, state.rows).map(({ id }) => id);
  session.say("go", "k-1");
  session.startRun();
  const write = (block: "text" | "thinking", text: string): void => {
    session.startBlock(block);
    session.write(text);
  };
  write("thinking", "hm");
  write("text", "I look.");
  const first = ids();
  session.commitAnswer([call("a")], "toolUse");
  expect(ids()).toEqual([...first, "a"]);
  session.startTool(call("a"));
  session.endTool("a", "ok", false);
  write("thinking", "hm again");
  write("text", "So it");
  write("text", "is.");
  const second = ids();
  expect(new Set(second).size).toBe(second.length);
  expect(second.slice(0, 4)).toEqual([...first, "a"]);
  session.commitAnswer([], "stop");
  session.endRun("done");
  // Two texts were merged into one, with the id of the first.
  expect(ids()).toEqual(second.slice(0, -1));
  // Also after a gap; the next run has new rows.
  state = applySnapshot(state, session.snapshot());
  expect(ids()).toEqual(second.slice(0, -1));
  session.startRun();
  write("text", "More.");
  const third = ids();
  expect(new Set(third).size).toBe(third.length);
  session.commitAnswer([], "stop");
  expect(ids()).toEqual(third);
});
