import { MsgContextSchema } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { readEvent } from "./event-schema.ts";
import { parseMessage } from "./parse-message.ts";

const payload = {
  type: "message",
  event_id: "e1",
  bot_id: "bot",
  sent_at_ms: 1_767_225_600_000,
  message: {
    id: "m1",
    chat: { id: "room_1", kind: "group" },
    sender: { id: "u1", name: "Ada", is_bot: false },
    text: "Hi",
    mentions: [
      { id: "bot", name: "Factotum" },
      { id: "u2", name: "Bob" },
    ],
  },
};
const facts = { accountId: "default", botId: "bot" };

test("a message becomes one of the contract's", () => {
  const read = readEvent(payload);
  const parsed = read.type === "message" ? parseMessage(read.event, facts) : undefined;
  expect(MsgContextSchema.parse(parsed)).toMatchObject({
    origin: { channel: "sample-chat", accountId: "default", conversation: { kind: "group", id: "room_1" } },
    sender: { id: "u1", name: "Ada", isBot: false },
    mentionsBot: true,
    mentions: [{ id: "u2", name: "Bob" }],
  });
});

test("ignores the bot's own message", () => {
  const read = readEvent({ ...payload, message: { ...payload.message, sender: { id: "bot", is_bot: true } } });
  expect(read.type === "message" && parseMessage(read.event, facts)).toBe(undefined);
});

test("an invalid body is malformed, an unknown one is another event", () => {
  expect(readEvent({ type: "typing", bot_id: "bot" })).toEqual({ type: "other", botId: "bot" });
  for (const odd of [null, [], "text", { type: "message" }, { ...payload, sent_at_ms: "now" }]) {
    expect(readEvent(odd)).toEqual({ type: "malformed" });
  }
});
