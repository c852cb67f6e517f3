import type { ExchangeRecord } from "@factotum/store";
import { expect, test } from "vitest";
import { afterStep, nextStep, stepInput } from "./exchange.ts";
import type { StepEnd } from "./exchange.ts";

const ORIGIN = { channel: "test", accountId: "default", conversation: { kind: "group", id: "g1" } } as const;
const BEGUN: ExchangeRecord = {
  id: "x",
  startedAtMs: 1,
  requester: { sessionKey: "agent:a:main", agentId: "a" },
  target: { sessionKey: "agent:b:test:group:g1", agentId: "b", origin: ORIGIN },
  request: "Ready?",
  path: ["agent:a:main"],
  authority: { owner: true, author: { origin: ORIGIN, sender: { id: "ada", isBot: false } }, cause: "user" },
  maxTurns: 4,
  turn: 0,
  phase: "talk",
};
const reply = (text: string, tainted = false): StepEnd => ({ type: "replied", text, tainted });

/** Who is asked what, step by step, until the exchange ends. */
function course(begun: ExchangeRecord, ends: readonly StepEnd[], isGiven = true): readonly string[] {
  const lines: string[] = [];
  let exchange: ExchangeRecord | undefined = begun;
  for (const end of ends) {
    if (exchange === undefined) break;
    const { receiver, step, turn, text } = nextStep(exchange);
    lines.push(`${receiver} ${step} ${turn}: ${text.split("\n")[0] ?? ""}`);
    exchange = afterStep(exchange, end, { isGiven });
  }
  return exchange === undefined ? lines : [...lines, "goes on"];
}

const TELLS =
  "target announce 4: Your exchange with the other session has ended. Tell this chat, in your own words, what it should know about it.";

test.each<[string, ExchangeRecord, readonly StepEnd[], readonly string[]]>([
  [
    "alternates up to the limit, and is announced then",
    BEGUN,
    [reply("one"), reply("two"), reply("three"), reply("four"), reply("told")],
    ["target message 1: Ready?", "requester message 2: one", "target message 3: two", "requester message 4: three", TELLS],
  ],
  [
    "ends with an empty reply",
    BEGUN,
    [reply("one"), reply(""), reply("told")],
    ["target message 1: Ready?", "requester message 2: one", TELLS],
  ],
  ["says nothing of an exchange without a reply", BEGUN, [reply("")], ["target message 1: Ready?"]],
  ["says nothing of one that failed", BEGUN, [{ type: "failed", reason: "it was stopped" }], ["target message 1: Ready?"]],
  [
    "announces what was said before a failure",
    BEGUN,
    [reply("one"), { type: "failed", reason: "it was stopped" }, reply("told")],
    ["target message 1: Ready?", "requester message 2: one", TELLS],
  ],
  [
    "passes a reply on no further that may hold text of others",
    BEGUN,
    [reply("one", true), reply("told")],
    ["target message 1: Ready?", TELLS],
  ],
  [
    "has one reply if it began with text of others",
    { ...BEGUN, authority: { ...BEGUN.authority, tainted: true } },
    [reply("one"), reply("told")],
    ["target message 1: Ready?", TELLS],
  ],
  [
    "has one reply if the requester does not wait",
    { ...BEGUN, maxTurns: 1 },
    [reply("one"), reply("told")],
    ["target message 1: Ready?", TELLS.replace("4", "1")],
  ],
  [
    "is not announced where the target has no chat of its own",
    { ...BEGUN, target: { sessionKey: "agent:b:main", agentId: "b" } },
    [reply("one"), reply("")],
    ["target message 1: Ready?", "requester message 2: one"],
  ],
])("an exchange %s", (_what, begun, ends, expected) => {
  expect(course(begun, ends)).toEqual(expected);
});

test("a reply with text of others that the turn which asked has not had is given to its session, and no further", () => {
  const last = TELLS.replace("announce 4", "announce 2");
  expect(course(BEGUN, [reply("one", true), reply("two", true), reply("told")], false)).toEqual([
    "target message 1: Ready?",
    "requester message 2: one",
    last,
  ]);
  expect(course({ ...BEGUN, maxTurns: 1 }, [reply("one", true), reply("told")], false)).toEqual([
    "target message 1: Ready?",
    TELLS.replace("4", "1"),
  ]);
});

test("the input of a step has a stable id, the authority of the exchange and the way that it came", () => {
  const bound: ExchangeRecord = {
    ...BEGUN,
    path: ["agent:c:main", "agent:a:main"],
    authority: {
      ...BEGUN.authority,
      owner: false,
      tainted: true,
      isListedOwner: true,
      cause: "cron",
      job: { id: "j", name: "n", tools: ["read"] },
    },
  };
  const first = stepInput(bound, nextStep(bound), { chat: ORIGIN, nowMs: 7 });
  expect(first.message).toMatchObject({ origin: ORIGIN, eventId: "a2a:x:1", sender: { id: "ada" }, text: "Ready?", timestampMs: 7 });
  expect(first.admission).toMatchObject({
    owner: false,
    kind: "a2a",
    sessionKey: "agent:b:test:group:g1",
    agentId: "b",
    ownTurn: true,
    tainted: true,
    isListedOwner: true,
    job: { tools: ["read"] },
    agentToAgent: { step: "message", turn: 1, maxTurns: 4, path: ["agent:c:main", "agent:a:main"] },
    cause: "cron",
  });
  const second = { ...bound, turn: 1, latestReply: "Yes." };
  const back = stepInput(second, nextStep(second), { chat: undefined, nowMs: 8 });
  // Without a chat of its own the session is the address.
  expect(back.message).toMatchObject({
    eventId: "a2a:x:2",
    text: "Yes.",
    origin: { channel: "cli", conversation: { id: "agent:a:main" } },
  });
  expect(back.admission.agentToAgent?.path).toEqual(["agent:c:main", "agent:a:main", "agent:b:test:group:g1"]);
  const over: ExchangeRecord = { ...bound, phase: "announce", firstReply: "One.", latestReply: "Two." };
  const told = stepInput(over, nextStep(over), { chat: ORIGIN, nowMs: 9 });
  expect(told.message.eventId).toBe("a2a:x:announce");
  expect(told.message.text.split("\n").slice(1)).toEqual([
    'The request was: "Ready?"',
    'Your first reply was: "One."',
    'The latest reply was: "Two."',
  ]);
  expect(nextStep({ ...over, latestReply: "One." }).text).not.toContain("The latest reply");
});
