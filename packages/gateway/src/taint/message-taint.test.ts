import type { Mention, MsgContext } from "@factotum/channel-contract";
import type { SessionRecord, SessionTrust, TranscriptEntry } from "@factotum/store";
import { describe, expect, test } from "vitest";
import { TestPlatform } from "../../test/gateway-harness.ts";
import { isHistoryTainted, isTaintBinding, isTainted } from "./taint.ts";

const context = { admission: { kind: "user", owner: true } as const, overheard: [], ownerAllowFrom: ["test:owner-1"] };
const isMarked = (extra: Partial<MsgContext>): boolean => isTainted(new TestPlatform().message("hello", extra), context);

test("the owner's own text in a direct conversation is not marked", () => {
  expect(isMarked({})).toBe(false);
});

const quote = (mentions: readonly Mention[]): Partial<MsgContext> => ({
  replyTo: { body: "@name", sender: { id: "owner-1" }, mentions, isQuote: false },
});

test("the owner's names are not marked either", () => {
  expect(isMarked({ mentions: [{ id: "owner-1", name: "Olga" }] })).toBe(false);
  expect(isMarked(quote([{ id: "owner-1", name: "Olga" }]))).toBe(false);
});

const OF_OTHERS: readonly (readonly [string, Partial<MsgContext>])[] = [
  ["a forwarded message", { forwarded: { body: "said" } }],
  [
    "the name of a person who is mentioned together with the owner",
    {
      mentions: [
        { id: "owner-1", name: "Olga" },
        { id: "guest-1", name: "Bob" },
      ],
    },
  ],
  ["an ambiguous name", { mentions: [{ name: "Bob" }] }],
  ["a name in a quote of the owner's own text", quote([{ id: "guest-1", name: "Bob" }])],
  ["the start of a thread", { thread: { starter: { body: "said" } } }],
  ["the history of a thread", { thread: { history: [{ sender: "guest-1", timestampMs: 1, body: "said" }] } }],
];
test.each(OF_OTHERS)("%s in a message is marked", (_, extra) => {
  expect(isMarked(extra)).toBe(true);
});

const OWNER = { id: "owner-1" };
const GUEST = { id: "guest-1" };
test.each([
  ["the owner's own text", { body: "said", sender: OWNER }, false],
  ["the assistant's text", { body: "said", sender: { ...GUEST, isSelf: true } }, false],
  ["no text of others", { body: "", sender: GUEST }, false],
  ["text of others", { body: "said", sender: GUEST }, true],
  ["text of others that is marked as not the owner's", { body: "said", sender: { ...GUEST, isSelf: false } }, true],
  ["text of an unknown sender", { body: "said" }, true],
  ["text of a sender without an id", { body: "said", sender: {} }, true],
])("a message that quotes %s: %j is marked: %s", (_name, quote, marked) => {
  expect(isMarked({ replyTo: { isQuote: true, ...quote } })).toBe(marked);
});

describe("the owner's trust", () => {
  const base = { key: "agent:main:main", sessionId: "new", agentId: "main" };
  const session = (trust: SessionTrust): SessionRecord => ({ ...base, trust }) as SessionRecord;
  const message = { role: "user", content: [{ type: "text", text: "x" }], timestamp: 1, tainted: true } as const;
  const entry = (id: string): TranscriptEntry => ({ id, type: "message", atMs: 1, message }) as unknown as TranscriptEntry;
  const isMarkedHistory = async (entryId: string, recent: { readonly entries: readonly TranscriptEntry[]; readonly omitted: number }) =>
    isHistoryTainted([message], session({ type: "until", entryId }), { store: { readRecentContext: async () => recent } });

  test("up to an entry covers that entry, even if it is the newest and tainted, and none after it", async () => {
    expect(await isMarkedHistory("0002", { entries: [entry("0001"), entry("0002")], omitted: 0 })).toBe(false);
    expect(await isMarkedHistory("0001", { entries: [entry("0001"), entry("0002")], omitted: 0 })).toBe(true);
  });

  test("up to an entry does not cover a history whose beginning cannot be checked", async () => {
    expect(await isMarkedHistory("0002", { entries: [entry("0002")], omitted: 1 })).toBe(true);
  });

  test("in a whole session does not cover a run that began before the reset", async () => {
    const isBinding = async (sessionId: string): Promise<boolean> =>
      isTaintBinding({ owner: true, sessionKey: base.key, sessionId }, true, {
        store: { readSession: async () => session({ type: "session" }) },
      });
    expect(await isBinding("old")).toBe(true);
    expect(await isBinding("new")).toBe(false);
  });
});
