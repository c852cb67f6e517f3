import type { ChatEvent, ChatSnapshot } from "@factotum/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ScriptedSession } from "../../test/scripted-session.ts";
import { applyEvent, applySnapshot, type ChatState, prependHistory } from "./chat-state.ts";

const KEY = "agent:main:main";
const SUBAGENT = {
  sessionKey: "s",
  parentKey: KEY,
  agentId: "main",
  depth: 1,
  task: "t",
  state: "running",
  createdAtMs: 0,
  tokens: 0,
} as const;

const rarely = { type: fc.constantFrom("say", "note", "queue", "reset", "end", "edit", "subagent"), text: fc.string({ maxLength: 3 }) };
const often = {
  type: fc.constantFrom("thinking", "text", "write", "write", "answer", "tool", "tool", "print", "print", "tool-end", "end"),
  text: fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.integer({ min: 1500, max: 2500 }).map((length) => "0123456789".repeat(length / 10)),
  ),
};

/** A possible next event in a session; an event that is not possible at the moment becomes one that leads to it. */
const step = fc.oneof({ weight: 1, arbitrary: fc.record(rarely) }, { weight: 4, arbitrary: fc.record(often) });

interface Moment {
  blocks: number;
  calls: string[];
  open: string[];
  serial: number;
}

function take(session: ScriptedSession, { type, text }: { type: string; text: string }, moment: Moment): void {
  if (type === "say") session.say(text, `k-${moment.serial++}`);
  else if (type === "note") session.note("info", text);
  else if (type === "queue") session.queue(text.length);
  else if (type === "subagent") session.changeSubagent({ ...SUBAGENT, runId: `run-${text.length}`, activity: { type: "text", text } });
  else if (type === "edit") {
    const answer = session.entries.findLast((entry) => entry.type === "assistant");
    if (answer !== undefined) session.edit(answer.id, text);
  } else if (type === "reset" && !session.running) session.reset();
  else if (session.running) takeInRun(session, type, text, moment);
  else {
    session.startRun();
    Object.assign(moment, { blocks: 0, calls: [], open: [] });
  }
}

function takeInRun(session: ScriptedSession, type: string, text: string, moment: Moment): void {
  const [call] = moment.calls;
  const [open] = moment.open;
  if (type === "thinking" || type === "text" || (type === "write" && moment.blocks === 0)) {
    session.startBlock(type === "thinking" ? "thinking" : "text");
    moment.blocks += 1;
  } else if (type === "write") session.write(text);
  else if (type === "print" && open !== undefined) session.print(open, text);
  else if ((type === "tool-end" || type === "end") && open !== undefined) {
    session.endTool(open, text, text === "");
    moment.open.shift();
  } else if (call !== undefined && type !== "answer" && type !== "end") {
    session.startTool({ id: call, name: "exec", argumentsText: text });
    moment.open.push(call);
    moment.calls.shift();
  } else if (type === "end") session.endRun("done");
  else {
    const ids = [`call-${moment.serial++}`, `call-${moment.serial++}`];
    session.commitAnswer(
      ids.map((id) => ({ id, name: "exec", argumentsText: text })),
      "toolUse",
    );
    moment.blocks = 0;
    moment.calls.push(...ids);
  }
}

test("joining at any moment shows the same as watching from the start", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60, size: "max" }), (steps) => {
      let nowMs = 0;
      const session = new ScriptedSession(KEY, () => nowMs++);
      const events: ChatEvent[] = [];
      const snapshots: ChatSnapshot[] = [session.snapshot(1000)];
      session.listen((event) => {
        events.push(event);
      });
      const moment: Moment = { blocks: 0, calls: [], open: [], serial: 0 };
      for (const each of steps) {
        const before = events.length;
        take(session, each, moment);
        expect(events.length - before).toBeLessThanOrEqual(1);
        if (events.length > before) snapshots.push(session.snapshot(1000));
      }
      const final = session.snapshot(1000);
      for (const [index, snapshot] of snapshots.entries()) {
        const end = events.slice(index).reduce<ChatState>(applyEvent, applySnapshot(undefined, snapshot));
        // Row ids depend on which answers this page has seen streaming.
        expect({ ...end, rows: undefined }).toEqual(final);
      }
    }),
    { numRuns: 150 },
  );
});

test("a snapshot after a gap keeps older pages that it overlaps, and loading the rest gives every entry once", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 1, max: 10 }),
      (before, missed, page) => {
        const session = new ScriptedSession(KEY, () => 0);
        const say = (count: number) =>
          Array.from({ length: count }, (_, index) => session.say("x", `k-${session.entries.length}-${index}`));
        say(before);
        let state = applySnapshot(undefined, session.snapshot(page));
        if (state.before !== undefined) state = prependHistory(state, session.history(state.before, page));
        say(missed);
        state = applySnapshot(state, session.snapshot(page));
        while (state.before !== undefined) state = prependHistory(state, session.history(state.before, page));
        expect(state.entries).toEqual(session.entries);
      },
    ),
  );
});

test("a snapshot from the beginning replaces everything", () => {
  const session = new ScriptedSession(KEY, () => 0);
  session.say("old", "k-1");
  const state = applySnapshot(undefined, session.snapshot());
  session.reset();
  expect(applySnapshot(state, session.snapshot()).entries).toEqual([]);
});

test("events of another run do not change the live state", () => {
  const session = new ScriptedSession(KEY, () => 0);
  session.startRun();
  session.startBlock("text");
  session.write("now");
  const state = applySnapshot(undefined, session.snapshot());
  for (const event of [
    { type: "block-delta", runId: "gone", text: "late" },
    { type: "run-end", runId: "gone", outcome: { type: "done" } },
  ] satisfies ChatEvent[]) {
    expect(applyEvent(state, event)).toBe(state);
  }
});

test("a call of which more becomes known stays one call, with its output", () => {
  const session = new ScriptedSession(KEY, () => 0);
  session.startRun();
  const begun = applySnapshot(undefined, session.snapshot());
  const runId = begun.live?.runId ?? "";
  const call = (argumentsText: string) => ({ id: "e", name: "agent_call", argumentsText });
  const events: readonly ChatEvent[] = [
    { type: "tool-start", runId, call: call("{}") },
    { type: "tool-delta", runId, callId: "e", text: "Opened." },
    { type: "tool-start", runId, call: call('{"title":"Edit"}') },
  ];
  expect(events.reduce<ChatState>(applyEvent, begun).live?.tools).toEqual([{ ...call('{"title":"Edit"}'), output: "Opened." }]);
});

test("a restarted answer is empty", () => {
  const session = new ScriptedSession(KEY, () => 0);
  session.startRun();
  session.startBlock("thinking");
  session.write("Hmm");
  const state = applySnapshot(undefined, session.snapshot());
  const runId = state.live?.runId ?? "";
  expect(state.live?.blocks).toEqual([{ type: "thinking", text: "Hmm" }]);
  expect(applyEvent(state, { type: "answer-restart", runId }).live?.blocks).toEqual([]);
});
