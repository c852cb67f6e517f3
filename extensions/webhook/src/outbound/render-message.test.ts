import { messageId } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { renderKey, renderMessage } from "./render-message.ts";

const conversation = { kind: "group", id: "room" } as const;

test("a text goes to its conversation and thread, as a reply if it is one", () => {
  expect(renderMessage(conversation, { type: "text", text: "Hi" })).toEqual({ conversation: { kind: "group", id: "room" }, text: "Hi" });
  expect(renderMessage({ ...conversation, threadId: "t1" }, { type: "text", text: "Hi", replyTo: messageId("m1") })).toEqual({
    conversation: { kind: "group", id: "room", thread: "t1" },
    text: "Hi",
    replyTo: "m1",
  });
});

test("a file travels in the message, as a view of a larger buffer too", () => {
  const bytes = new Uint8Array([0, 1, 2, 3]).subarray(1, 3);
  const media = { kind: "audio", mimeType: "audio/ogg", fileName: "a.ogg", voice: true, bytes } as const;
  expect(renderMessage(conversation, { type: "media", media })).toEqual({
    conversation: { kind: "group", id: "room" },
    text: "",
    attachments: [{ kind: "audio", mimeType: "audio/ogg", name: "a.ogg", voice: true, data: "AQI=" }],
  });
});

test("a key fits into a header, and different keys stay different", () => {
  expect(renderKey("short")).toBe("short");
  const long = "k".repeat(300);
  expect(renderKey(`${long}1`)).toHaveLength(64);
  expect(renderKey(`${long}1`)).toBe(renderKey(`${long}1`));
  expect(renderKey(`${long}1`)).not.toBe(renderKey(`${long}2`));
  expect(renderKey("schlüssel 1")).toMatch(/^[0-9a-f]{64}$/);
});
