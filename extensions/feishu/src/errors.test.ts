import { ChannelError } from "@factotum/channel-contract";
import type { PlatformFailureReason } from "@factotum/channel-kit";
import { PlatformFailure } from "@factotum/channel-kit";
import { describe, expect, test } from "vitest";
import { isStaleToken, toChannelError, toReceipt } from "./errors.ts";

const refused = (code: number, more: { status?: number; retryAfterMs?: number } = {}): PlatformFailureReason => ({
  type: "refused",
  code: String(code),
  status: 400,
  ...more,
});

describe("receipts", () => {
  test.each<[string, PlatformFailureReason, string, object]>([
    ["the bot is not in the chat", refused(230002), "forbidden", { type: "never" }],
    ["the person is out of the bot's reach", refused(230013), "forbidden", { type: "never" }],
    ["a scope is missing", refused(99991672), "forbidden", { type: "never" }],
    ["the message was recalled", refused(230011), "not-found", { type: "never" }],
    ["the secret is wrong", refused(10014, { status: 200 }), "unauthorized", { type: "never" }],
    ["the token stays stale", refused(99991663), "unauthorized", { type: "never" }],
    ["too fast, with a delay", refused(99991400, { retryAfterMs: 2_000 }), "rate-limited", { type: "after", delayMs: 2_000 }],
    ["rate-limited, without a delay", refused(230020), "rate-limited", { type: "backoff" }],
    ["too long", refused(230025), "too-long", { type: "never" }],
    ["a wrong parameter", refused(230001), "rejected", { type: "never" }],
    ["an unknown code", refused(1_234_567), "rejected", { type: "never" }],
    ["a proxy's 429", { type: "http", status: 429, retryAfterMs: 500 }, "rate-limited", { type: "after", delayMs: 500 }],
    ["a proxy's 404", { type: "http", status: 404 }, "not-found", { type: "never" }],
    ["the request could not be made", { type: "local" }, "rejected", { type: "never" }],
    ["no connection", { type: "not-sent" }, "unreachable", { type: "backoff" }],
  ])("%s", (_, reason, code, retry) => {
    expect(toReceipt(new PlatformFailure(reason, "why"))).toEqual({ type: "rejected", code, retry, message: "why" });
  });

  test.each<[string, PlatformFailureReason]>([
    ["no answer", { type: "no-answer" }],
    ["a proxy's 502", { type: "http", status: 502 }],
    ["the platform's own 500", refused(2200, { status: 500 })],
    ["the same uuid is still being sent", refused(230049)],
  ])("ambiguous: %s", (_, reason) => {
    expect(toReceipt(new PlatformFailure(reason, "why"))).toEqual({ type: "ambiguous", cause: "why" });
  });

  test("a programming error is permanent, and keeps its message", () => {
    expect(toReceipt(new TypeError("x is undefined"))).toMatchObject({
      type: "rejected",
      retry: { type: "never" },
      message: "x is undefined",
    });
  });
});

test("errors keep their cause, and a ChannelError stays itself", () => {
  const failure = new PlatformFailure({ type: "not-sent" }, "no way");
  const error = toChannelError(failure);
  expect(error).toMatchObject({ code: "unreachable", retry: { type: "backoff" }, cause: failure });
  expect(toChannelError(error)).toBe(error);
  expect(ChannelError.isInstance(toChannelError("a string"))).toBe(true);
});

test("only the platform's code marks a token as stale", () => {
  expect(isStaleToken(new PlatformFailure(refused(99991663), ""))).toBe(true);
  expect(isStaleToken(new PlatformFailure({ type: "http", status: 401 }, ""))).toBe(false);
  expect(isStaleToken(new Error("99991663"))).toBe(false);
});
