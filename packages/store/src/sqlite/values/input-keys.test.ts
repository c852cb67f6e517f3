import { messageId, type MsgContext } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { sampleMessage } from "../../../contract/samples.ts";
import { messageKeyOf } from "./input-keys.ts";

test.each<[string, Partial<MsgContext>, boolean]>([
  ["a message", { eventId: "ev_1", messageId: messageId("om_1") }, true],
  ["a message whose id is its event's", { eventId: "om_1", messageId: messageId("om_1") }, false],
  ["a message without an id", { eventId: "ev_1", messageId: messageId("") }, false],
  ["an edit", { eventId: "ev_1", messageId: messageId("om_1"), event: { type: "edit", targetId: messageId("om_1") } }, false],
])("%s has a key of its own: %o", (_, changes, hasKey) => {
  expect(messageKeyOf(sampleMessage("x", changes)) !== undefined).toBe(hasKey);
});
