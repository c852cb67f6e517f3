import type { AgentMessage } from "@factotum/agent-contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyHistory, asks, says, toolResult, turn } from "../../test/histories.ts";
import { projectMessages } from "../projection/project-messages.ts";
import { isHeartbeatOk, withoutQuietRuns } from "./quiet-runs.ts";

const poll = (ackMaxChars?: number): AgentMessage => {
  const message = turn("", { run: "heartbeat", body: { type: "task", text: "Heartbeat." } });
  if (message.role !== "user" || message.parts === undefined || ackMaxChars === undefined) return message;
  return { ...message, parts: { ...message.parts, ackMaxChars } };
};

describe("a heartbeat's answer", () => {
  test.each([
    ["HEARTBEAT_OK", true],
    ["**HEARTBEAT_OK**\n", true],
    ["`HEARTBEAT_OK`.", true],
    ["HEARTBEAT_OK All backups are there.", true],
    ["Nothing new.\n\nHEARTBEAT_OK", true],
    [`HEARTBEAT_OK ${"x".repeat(299)}`, true],
    [`HEARTBEAT_OK ${"x".repeat(300)}`, false],
    ["The backup failed.", false],
    ["I do not say HEARTBEAT_OK, the backup failed.", false],
    ["HEARTBEAT_OKAY", false],
    ["NOT_HEARTBEAT_OK", false],
    ["heartbeat_ok", false],
    ["", false],
  ])("%j is empty: %j", (text, expected) => {
    expect(isHeartbeatOk(text)).toBe(expected);
  });
});

describe("quiet runs", () => {
  const over = { isOpen: false };
  const notes = [
    turn("", { run: "memory", body: { type: "task", text: "Write your notes." } }),
    asks("call_2"),
    toolResult("call_2"),
    says("NO_REPLY"),
  ];

  test("are removed with their calls; heartbeats that reported something, or broke off during a call, stay", () => {
    const before = [turn("one"), says("yes")];
    const quiet = [poll(), asks("call_1"), toolResult("call_1"), says("HEARTBEAT_OK")];
    const loud = [poll(), says("The backup failed.")];
    const broken = [poll(), asks("call_3"), toolResult("call_3")];
    expect(withoutQuietRuns([...before, ...quiet, ...loud, ...broken, ...notes, poll(), ...quiet], over)).toEqual([
      ...before,
      ...loud,
      ...broken,
    ]);
  });

  test("are kept while they are running", () => {
    for (const run of [notes, [poll(), asks("call_1"), toolResult("call_1"), says("HEARTBEAT_OK")]]) {
      for (const length of run.keys()) {
        const atWork = [turn("one"), says("yes"), ...run.slice(0, length + 1)];
        expect(withoutQuietRuns(atWork, { isOpen: true })).toBe(atWork);
      }
      expect(withoutQuietRuns([turn("one"), ...run], over)).toEqual([turn("one")]);
    }
  });

  test("are those within the limit of their own message, or within 300 characters without one", () => {
    const answer = (chars: number): AgentMessage => says(`HEARTBEAT_OK${"-".repeat(chars)}`);
    const exchanges = [
      [poll(), answer(300)],
      [poll(), answer(301)],
      [poll(0), answer(0)],
      [poll(0), answer(1)],
      [poll(500), answer(500)],
      [poll(20), answer(21)],
    ];
    expect(withoutQuietRuns(exchanges.flat(), over)).toEqual([1, 3, 5].flatMap((index) => exchanges[index] ?? []));
  });

  test("do not include a person's message with the token", () => {
    const history = [turn("say HEARTBEAT_OK"), says("HEARTBEAT_OK")];
    expect(withoutQuietRuns(history, over)).toBe(history);
  });

  test("keep each later request an extension of the one before them", () => {
    fc.assert(
      fc.property(anyHistory, anyHistory, fc.array(fc.boolean(), { maxLength: 3 }), (before, after, runs) => {
        const quiet = runs.flatMap((isNotes) => (isNotes ? notes : [poll(), says("HEARTBEAT_OK")]));
        // Messages after the start of a turn belong to that turn.
        const later = [turn("later"), ...after];
        const shown = withoutQuietRuns([...before, ...quiet, ...later], over);
        expect(shown).toEqual([...before, ...later]);
        expect(projectMessages(shown)).toEqual(projectMessages([...before, ...later]));
      }),
    );
  });
});
