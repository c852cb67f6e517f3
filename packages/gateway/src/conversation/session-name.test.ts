import { messageId } from "@factotum/channel-contract";
import type { MsgContext } from "@factotum/channel-contract";
import { describe, expect, test } from "vitest";
import { sessionName } from "./session-name.ts";

const message = (extra: Partial<MsgContext>): MsgContext => ({
  origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } },
  eventId: "event-1",
  messageId: messageId("message-1"),
  timestampMs: 0,
  event: { type: "message" },
  sender: { id: "olga-1", name: "Olga", isBot: false },
  text: "hello",
  mentionsBot: false,
  attachments: [],
  ...extra,
});
const GROUP = { origin: { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "group-1" } } };
const IMAGE = { kind: "image" as const, ref: "r" };

describe("on a platform a conversation is titled by", () => {
  test.each([
    ["the person", {}, "test: Olga"],
    ["its id if nobody has a name", { sender: { id: "olga-1", isBot: false } }, "test: dm-1"],
    ["the group", { ...GROUP, group: { subject: "Plans" } }, "test: Plans"],
    ["the group's id, regardless of its speakers", { ...GROUP, group: { topic: "Summer" } }, "test: group-1"],
  ])("%s", (_name, extra, name) => {
    expect(sessionName(message(extra), true)).toBe(name);
  });
});

describe("elsewhere a conversation is titled by", () => {
  test.each([
    ["its first words", { text: "hello there" }, "hello there"],
    ["their first line", { text: "\n hello\nand more" }, "hello"],
    ["as many whole words as fit", { text: `${"word ".repeat(13)}end` }, `${"word ".repeat(12).trim()}…`],
    ["all words if they just fit", { text: "x".repeat(60) }, "x".repeat(60)],
    ["a part of a word that is too long", { text: "x".repeat(61) }, `${"x".repeat(60)}…`],
    ["its first characters without words", { text: " ", attachments: [IMAGE] }, "Images"],
    ["its words if both are present", { text: "look", attachments: [IMAGE] }, "look"],
    ["nothing if neither is present", { text: " " }, ""],
  ])("%s", (_name, extra, name) => {
    expect(sessionName(message(extra), false)).toBe(name);
  });
});
