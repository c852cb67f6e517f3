import { MsgContextSchema } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { readEvent } from "./event-schema.ts";
import { parseEvent } from "./parse-event.ts";

const base = { conversation: { id: "room", kind: "group" }, sender: { id: "ada" } };
const facts = { accountId: "default", eventId: "e1", signedAtMs: 1_000 };

function parse(payload: object) {
  const read = readEvent(payload);
  const parsed = read.type === "event" ? parseEvent(read.event, facts) : undefined;
  return parsed && MsgContextSchema.parse(parsed);
}

test("the smallest message has the time of its signature, and does not address the assistant", () => {
  expect(parse({ ...base, type: "message", id: "m1", text: "Hi" })).toEqual({
    origin: { channel: "webhook", accountId: "default", conversation: { kind: "group", id: "room" } },
    eventId: "e1",
    messageId: "m1",
    timestampMs: 1_000,
    event: { type: "message" },
    sender: { id: "ada", isBot: false },
    text: "Hi",
    mentionsBot: false,
    mentions: [],
    attachments: [],
  });
});

test("a message with everything", () => {
  const payload = {
    type: "message",
    id: "m1",
    timestampMs: 5,
    conversation: { id: "room", kind: "channel", thread: "t1", name: "Home", topic: "heating" },
    sender: { id: "ada", name: "Ada", bot: true },
    text: "@Bob, look",
    mentionsBot: true,
    mentions: [{ id: "bob", name: "Bob" }, { name: "Eve" }],
    replyTo: { id: "m0", text: "What?", sender: { name: "Factotum", self: true } },
    attachments: [
      { url: "https://service.example.com/1", name: "a.png", mimeType: "image/png", sizeBytes: 3 },
      { url: "https://service.example.com/2", mimeType: "audio/ogg", voice: true },
      { url: "https://service.example.com/3" },
    ],
    ownKey: true,
  };
  expect(parse(payload)).toMatchObject({
    origin: { conversation: { kind: "channel", id: "room", threadId: "t1" } },
    timestampMs: 5,
    sender: { id: "ada", name: "Ada", isBot: true },
    mentionsBot: true,
    mentions: [{ id: "bob", name: "Bob" }, { name: "Eve" }],
    replyTo: { messageId: "m0", body: "What?", sender: { name: "Factotum", isSelf: true } },
    group: { subject: "Home", topic: "heating" },
    attachments: [
      { kind: "image", ref: "https://service.example.com/1", mimeType: "image/png", fileName: "a.png", sizeBytes: 3 },
      { kind: "audio", ref: "https://service.example.com/2", mimeType: "audio/ogg", voice: true },
      { kind: "file", ref: "https://service.example.com/3" },
    ],
  });
});

test.each([
  [{ type: "edit", text: "better" }, { type: "edit", targetId: "m1" }, "better"],
  [{ type: "delete" }, { type: "delete", targetId: "m1" }, ""],
  [{ type: "reaction", emoji: "👍" }, { type: "reaction", targetId: "m1", emoji: "👍", removed: false }, ""],
  [{ type: "reaction", emoji: "👍", removed: true }, { type: "reaction", targetId: "m1", emoji: "👍", removed: true }, ""],
])("%j is an event about a message", (change, event, text) => {
  expect(parse({ ...base, ...change, targetId: "m1" })).toMatchObject({
    event,
    text,
    messageId: "e1",
    mentionsBot: false,
    attachments: [],
  });
});

test("the assistant's own message is ignored", () => {
  expect(parse({ ...base, sender: { id: "factotum", self: true }, type: "message", id: "m1", text: "Hi" })).toBe(undefined);
});

test("what this channel sends is no event", () => {
  expect(readEvent({ type: "message", conversation: { kind: "group", id: "room" }, text: "Hi" })).toMatchObject({ type: "malformed" });
});

test.each([
  [null, "body"],
  ["text", "body"],
  [{ ...base, type: "message", text: "Hi" }, "id"],
  [{ ...base, type: "message", id: "", text: "Hi" }, "id"],
  [{ ...base, conversation: { id: "room", kind: "club" }, type: "message", id: "m1" }, "conversation.kind"],
  [{ ...base, type: "edit", targetId: "m1" }, "text"],
  [{ ...base, type: "message", id: "m1", attachments: [{ url: "file" }] }, "attachments.0.url"],
])("%j is malformed, and the reason names the key", (payload, key) => {
  expect(readEvent(payload)).toMatchObject({ type: "malformed", reason: expect.stringContaining(`this is no event: ${key}: `) });
});

test("a body that is not JSON is malformed", () => {
  expect(readEvent(undefined)).toEqual({ type: "malformed", reason: "the body is not JSON" });
});

test("an event of a type that is not known is ignored", () => {
  expect(readEvent({ ...base, type: "poll" })).toEqual({ type: "other" });
});
