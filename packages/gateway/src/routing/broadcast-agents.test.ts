import type { Origin } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { broadcastAgents } from "./broadcast-agents.ts";

const AGENTS = ["ada", "bob"];
const group = (id: string, more: object = {}): Origin => ({
  channel: "test",
  accountId: "default",
  conversation: { kind: "group", id, ...more },
});
const direct: Origin = { ...group("chat-of-7"), conversation: { kind: "direct", id: "chat-of-7" } };

test.each<[string, string, Origin, boolean]>([
  ["a group by its id alone", "g", group("g"), true],
  ["a group with its channel", "test:g", group("g"), true],
  ["a group with its account", "test/default:g", group("g"), true],
  ["a thread of the group", "test:g", group("t", { parentId: "g" }), true],
  ["a topic of the group", "test:g", group("g", { threadId: "7" }), true],
  ["a person by the id of the sender", "test:7", direct, true],
  ["no person by the id of the chat", "test:chat-of-7", direct, false],
  ["no person in a group", "test:7", group("g"), false],
  ["another account", "test/work:g", group("g"), false],
  ["another channel", "other:g", group("g"), false],
  ["another spelling", "test:G", group("g"), false],
  ["an id that needs its account", "test:g", { ...group("g"), accountId: "work", idScope: "account" }, false],
  ["the same id with its account", "test/work:g", { ...group("g"), accountId: "work", idScope: "account" }, true],
  ["the name of an inherited property", "g", group("constructor"), false],
])("%s", (_case, peer, origin, isFound) => {
  expect(broadcastAgents({ origin, senderId: "7" }, { peers: { [peer]: AGENTS } })).toEqual(isFound ? AGENTS : undefined);
});

test("a group that has moved keeps its agents, and the settings of the new id come first", () => {
  const earlier = { conversations: [{ kind: "group" as const, id: "old" }], parentIds: [] };
  const query = { origin: group("new"), senderId: "7", earlier };
  expect(broadcastAgents(query, { peers: { "test:old": AGENTS } })).toEqual(AGENTS);
  expect(broadcastAgents(query, { peers: { "test:old": AGENTS, "test:new": ["eve"] } })).toEqual(["eve"]);
});
