import { messageId } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { renderKey, renderText } from "./render-text.ts";

test("a text is sent unchanged, as a reply if it is one", () => {
  expect(renderText({ type: "text", text: "Hi" })).toEqual({ text: "Hi" });
  expect(renderText({ type: "text", text: "Hi", replyTo: messageId("m1") })).toEqual({ text: "Hi", reply_to: "m1" });
});

test("a key fits the platform, and two keys stay two", () => {
  expect(renderKey("short")).toBe("short");
  const long = "k".repeat(300);
  expect(renderKey(`${long}1`).length).toBeLessThanOrEqual(64);
  expect(renderKey(`${long}1`)).toBe(renderKey(`${long}1`));
  expect(renderKey(`${long}1`)).not.toBe(renderKey(`${long}2`));
});
