import { messageId } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { admittingCommand, RefusedSenders, type RefusedParty } from "./refused-senders.ts";

const party = (id: string, type: RefusedParty["type"] = "sender"): RefusedParty => ({ channel: "test", accountId: "work", type, id });
const at = (atMs: number, senderId = "a"): Parameters<RefusedSenders["record"]>[1] => ({
  atMs,
  message: {
    origin: { channel: "test", accountId: "work", conversation: { kind: "direct", id: "dm" } },
    eventId: `e${atMs}`,
    messageId: messageId(`m${atMs}`),
    timestampMs: atMs,
    event: { type: "message" },
    sender: { id: senderId, isBot: false },
    text: "secret",
    mentionsBot: false,
    attachments: [],
  },
});

test("counts each party, newest first, and reports which are new", () => {
  const refused = new RefusedSenders();
  expect([
    refused.record(party("a"), at(1)),
    refused.record(party("b"), at(2, "b")),
    refused.record(party("a", "group"), at(3)),
    refused.record(party("a"), at(4)),
  ]).toEqual([true, true, true, false]);
  expect(refused.list(() => "sender")).toEqual({
    messages: 4,
    parties: [
      { ...party("a"), count: 2, lastAtMs: 4, missing: "sender" },
      { ...party("a", "group"), count: 1, lastAtMs: 3, missing: "sender" },
      { ...party("b"), count: 1, lastAtMs: 2, missing: "sender" },
    ],
  });
});

test("leaves out parties that are admitted since, and keeps no text of a message", () => {
  const refused = new RefusedSenders();
  refused.record(party("a"), at(1));
  refused.record(party("a"), at(2));
  refused.record(party("b"), at(3, "b"));
  const texts: string[] = [];
  const result = refused.list(({ sender, text }) => {
    texts.push(text);
    return sender.id === "a" ? undefined : "sender";
  });
  expect(result).toEqual({ messages: 1, parties: [{ ...party("b"), count: 1, lastAtMs: 3, missing: "sender" }] });
  expect(texts).toEqual(["", ""]);
});

test("keeps a bounded number of parties, and still counts the others", () => {
  const refused = new RefusedSenders();
  for (let index = 0; index < 1000; index += 1) refused.record(party(`p${index}`), at(index));
  const { messages, parties } = refused.list(() => "sender");
  expect(parties).toHaveLength(200);
  expect(parties[0]?.id).toBe("p999");
  expect(messages).toBe(1000);
});

test.each([
  [party("ou_1"), "factotum access allow test:work ou_1"],
  [party("oc_1", "group"), "factotum access allow test:work oc_1 --group"],
  [party("-1001234", "group"), "factotum access allow test:work -1001234 --group"],
  [party("#room[1]", "group"), "factotum access allow test:work '#room[1]' --group"],
  [party("x; rm -rf ~"), undefined],
  [party("#a'b", "group"), undefined],
  [party("#a\\"), undefined],
  [party("$(id)"), undefined],
  [party("a\nb"), undefined],
  [party("--owner"), undefined],
])("%j is admitted by %s", (one, command) => {
  expect(admittingCommand(one, one.type)).toBe(command);
  expect(admittingCommand(one, "bots")).toBeUndefined();
});
