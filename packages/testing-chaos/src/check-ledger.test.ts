import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkLedger, describeLedger } from "./index.ts";
import type { LedgerVerdict } from "./index.ts";
import { runScriptedGateway, ScriptedPlatform } from "../test/scripted-gateway.ts";
import type { Kill, Mishap } from "../test/scripted-gateway.ts";

const chat = (index: number): string => `chat-${index % 3}`;
const steps = (count: number, mishaps: Readonly<Record<number, Mishap>> = {}) =>
  Array.from({ length: count }, (_, index) => ({ conversation: chat(index), mishap: mishaps[index] ?? ("none" as const) }));
const types = (verdicts: readonly LedgerVerdict[]): string[] => verdicts.map(({ type }) => type);

describe("a faulty gateway", () => {
  test("no fault gives no verdict", () => {
    const report = checkLedger(runScriptedGateway(new ScriptedPlatform({ idempotentSends: true }), steps(9)));
    expect(report).toEqual({
      verdicts: [],
      counts: { lost: 0, doubled: 0, "wrong-chat": 0, unasked: 0, ambiguous: 0 },
      answered: 9,
      isClean: true,
    });
  });

  test("one dropped message is one lost", () => {
    const report = checkLedger(runScriptedGateway(new ScriptedPlatform({ idempotentSends: true }), steps(9, { 4: "drop" })));
    expect(report.verdicts).toEqual([{ type: "lost", input: "m4", conversation: "chat-1", part: 0 }]);
    expect(report).toMatchObject({ answered: 8, isClean: false });
  });

  test("one message answered twice is one doubled", () => {
    const report = checkLedger(runScriptedGateway(new ScriptedPlatform({ idempotentSends: true }), steps(9, { 4: "double" })));
    expect(report.verdicts).toEqual([{ type: "doubled", input: "m4", conversation: "chat-1", part: 0, sends: ["send-4", "send-5"] }]);
    expect(report).toMatchObject({ answered: 8, isClean: false });
  });

  test("an answer in another chat is reported, and its question is lost", () => {
    const report = checkLedger(runScriptedGateway(new ScriptedPlatform({ idempotentSends: true }), steps(9, { 4: "wrong-chat" })));
    expect(report.verdicts).toEqual([
      { type: "wrong-chat", input: "m4", conversation: "chat-1", shownIn: "not-chat-1", send: "send-4" },
      { type: "lost", input: "m4", conversation: "chat-1", part: 0 },
    ]);
  });

  test("a message without a question is reported", () => {
    const report = checkLedger(runScriptedGateway(new ScriptedPlatform({ idempotentSends: true }), steps(3, { 1: "unasked" })));
    expect(report.verdicts).toEqual([{ type: "unasked", conversation: "chat-1", send: "send-1" }]);
  });

  test("an unacknowledged input need not be answered, but must not be answered twice", () => {
    const ledger = runScriptedGateway(new ScriptedPlatform({ idempotentSends: true }), steps(2, { 0: "drop-unacknowledged", 1: "double" }));
    const inputs = ledger.inputs.map((input) => ({ ...input, acknowledged: false }));
    expect(types(checkLedger({ ...ledger, inputs }).verdicts)).toEqual(["doubled"]);
  });

  test("a reply of which only the second message was seen has lost its first", () => {
    const platform = new ScriptedPlatform({ idempotentSends: true });
    platform.send({ conversation: "a", text: "answer to m", key: "1", part: 1 });
    const ledger = { inputs: [{ id: "m", conversation: "a", acknowledged: true }], sends: platform.sends, idempotentSends: true };
    expect(checkLedger(ledger).verdicts).toEqual([{ type: "lost", input: "m", conversation: "a", part: 0 }]);
  });

  test("two inputs with one id are refused: their answers cannot be distinguished", () => {
    const inputs = ["a", "b"].map((conversation) => ({ id: "m", conversation, acknowledged: true }));
    expect(() => checkLedger({ inputs, sends: [], idempotentSends: true })).toThrow("one id");
  });
});

describe("a send that was on the wire when the gateway died", () => {
  test.each<{ kill: Kill; idempotentSends: boolean; resends: boolean; expected: string[] }>([
    { kill: "after-taken", idempotentSends: true, resends: true, expected: [] },
    { kill: "before-taken", idempotentSends: true, resends: true, expected: [] },
    { kill: "before-taken", idempotentSends: true, resends: false, expected: ["lost"] },
    { kill: "after-taken", idempotentSends: false, resends: true, expected: ["ambiguous"] },
    { kill: "before-taken", idempotentSends: false, resends: false, expected: ["ambiguous"] },
    { kill: "after-taken", idempotentSends: false, resends: false, expected: [] },
  ])("$kill, idempotent: $idempotentSends, sent again: $resends", ({ kill, idempotentSends, resends, expected }) => {
    const platform = new ScriptedPlatform({ idempotentSends });
    const report = checkLedger(runScriptedGateway(platform, [{ conversation: "a", mishap: "none", kill }], { resends }));
    expect(types(report.verdicts)).toEqual(expected);
    expect(report.isClean).toBe(expected.every((type) => type === "ambiguous"));
  });

  test("explains one extra message, not two", () => {
    const platform = new ScriptedPlatform({ idempotentSends: false });
    const ledger = runScriptedGateway(platform, [{ conversation: "a", mishap: "double", kill: "after-taken" }]);
    expect(types(checkLedger(ledger).verdicts)).toEqual(["doubled"]);
  });
});

const EXPECTED: Readonly<Record<Mishap, readonly string[]>> = {
  none: [],
  drop: ["lost"],
  double: ["doubled"],
  "wrong-chat": ["wrong-chat", "lost"],
  unasked: ["unasked"],
  "drop-unacknowledged": [],
};

test("every fault is found, and nothing else, regardless of the order of the log", () => {
  const mishap = fc.constantFrom(...(Object.keys(EXPECTED) as Mishap[]));
  fc.assert(
    fc.property(fc.array(mishap, { maxLength: 40 }), fc.boolean(), fc.infiniteStream(fc.nat()), (mishaps, idempotentSends, order) => {
      const script = mishaps.map((one, index) => ({ conversation: chat(index), mishap: one }));
      const ledger = runScriptedGateway(new ScriptedPlatform({ idempotentSends }), script);
      const sends = ledger.sends.map((send) => ({ send, at: order.next().value })).toSorted((a, b) => a.at - b.at);
      const report = checkLedger({ ...ledger, sends: sends.map(({ send }) => send) });
      expect(types(report.verdicts).toSorted()).toEqual(mishaps.flatMap((one) => EXPECTED[one]).toSorted());
      expect(report.isClean).toBe(mishaps.every((one) => one === "none" || one === "drop-unacknowledged"));
    }),
  );
});

test("a description shows the counts and both sides of what went wrong", () => {
  const ledger = runScriptedGateway(new ScriptedPlatform({ idempotentSends: true }), steps(3, { 0: "double", 2: "drop" }));
  expect(describeLedger(ledger, checkLedger(ledger)).split("\n")).toEqual([
    "3 inputs, 1 answered once, 1 lost, 1 doubled, 0 wrong-chat, 0 unasked, 0 ambiguous",
    "doubled: m0 of chat-0, message 0",
    "  said in chat-0, acknowledged",
    "  sent send-0 to chat-0, message 0, shown",
    "  sent send-1 to chat-0, message 0, shown",
    "lost: m2 of chat-2, message 0",
    "  said in chat-2, acknowledged",
  ]);
});
