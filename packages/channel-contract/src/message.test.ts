import { expect, test } from "vitest";
import { messageId, MsgContextSchema } from "./index.ts";
import type { EventType, InboundEvent, MsgContext } from "./index.ts";

const targetId = messageId("m1");

/** An event of each type, with every key. */
const EVENTS: { readonly [Type in EventType]: InboundEvent & { readonly type: Type } } = {
  message: { type: "message" },
  edit: { type: "edit", targetId },
  delete: { type: "delete", targetId },
  reaction: { type: "reaction", targetId, emoji: "👍", removed: false, isOnOwnMessage: true },
  action: { type: "action", actionId: "yes", value: "/help", targetId, inputs: { name: "Ann", sizes: ["small", "large"] } },
  member: { type: "member", change: "joined", member: { id: "u1", name: "Ann", isSelf: false } },
  moved: { type: "moved", to: { kind: "group", id: "g2" } },
  vote: { type: "vote", targetId, options: ["Yes"] },
  receipt: { type: "receipt", targetId, state: "read" },
};

const withEvent = (event: unknown): unknown => ({
  origin: { channel: "sample", accountId: "default", conversation: { kind: "group", id: "g1" } },
  eventId: "e1",
  messageId: "m2",
  timestampMs: 0,
  event,
  sender: { id: "u1", isBot: false },
  text: "",
  mentionsBot: false,
  attachments: [],
});

test.each(Object.values(EVENTS))("an event $type is parsed unchanged, and one with another key is refused", (event) => {
  const message = withEvent(event);
  expect(MsgContextSchema.parse(message)).toEqual(message satisfies unknown as MsgContext);
  expect(MsgContextSchema.safeParse(withEvent({ ...event, more: true })).success).toBe(false);
});

test.each([
  ["an unknown type", { type: "typing" }],
  ["no target", { type: "edit" }],
  ["an empty id", { type: "delete", targetId: "" }],
  ["a key that is undefined", { type: "action", actionId: "yes", value: undefined }],
])("an event with %s is refused", (_name, event) => {
  expect(MsgContextSchema.safeParse(withEvent(event)).success).toBe(false);
});
