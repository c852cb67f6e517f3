import { ChannelError } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { createErrorClassifier, PlatformFailure, retryAfterMs } from "./index.ts";
import type { PlatformFailureReason } from "./index.ts";

const { toChannelError, toLookupFailure, toReceipt } = createErrorClassifier({
  codes: { "7": "forbidden", slow: "rate-limited", full: "unreachable" },
  maybeDone: ["busy"],
});
const failure = (reason: PlatformFailureReason): PlatformFailure => new PlatformFailure(reason, "why");
const refused = (code: string, more: object = {}): PlatformFailureReason => ({ type: "refused", code, ...more });

test.each<[PlatformFailureReason, string, object]>([
  [refused("7"), "forbidden", { type: "never" }],
  [refused("7", { status: 404 }), "forbidden", { type: "never" }],
  [refused("new"), "rejected", { type: "never" }],
  [refused("new", { status: 404 }), "not-found", { type: "never" }],
  [refused("constructor"), "rejected", { type: "never" }],
  [refused("slow"), "rate-limited", { type: "backoff" }],
  [refused("slow", { retryAfterMs: 500 }), "rate-limited", { type: "after", delayMs: 500 }],
  [refused("full"), "unreachable", { type: "backoff" }],
  [{ type: "http", status: 401 }, "unauthorized", { type: "never" }],
  [{ type: "http", status: 413 }, "too-long", { type: "never" }],
  [{ type: "http", status: 418 }, "rejected", { type: "never" }],
  [{ type: "http", status: 429, retryAfterMs: 2_000 }, "rate-limited", { type: "after", delayMs: 2_000 }],
  [{ type: "not-sent" }, "unreachable", { type: "backoff" }],
  [{ type: "local" }, "rejected", { type: "never" }],
])("%j is %s for a send and everything else", (reason, code, retry) => {
  expect(toReceipt(failure(reason))).toEqual({ type: "rejected", code, retry, message: "why" });
  expect(toChannelError(failure(reason))).toMatchObject({ code, retry, message: "why" });
});

test.each<[PlatformFailureReason, object]>([
  [{ type: "no-answer" }, { type: "backoff" }],
  [
    { type: "http", status: 503, retryAfterMs: 3_000 },
    { type: "after", delayMs: 3_000 },
  ],
  [refused("new", { status: 500 }), { type: "backoff" }],
  [refused("busy"), { type: "backoff" }],
])("%j is ambiguous for a send, and unreachable for everything else", (reason, retry) => {
  expect(toReceipt(failure(reason))).toEqual({ type: "ambiguous", cause: "why" });
  expect(toChannelError(failure(reason))).toMatchObject({ code: "unreachable", retry });
});

test("statuses can have another meaning", () => {
  const classifier = createErrorClassifier({ codes: {}, statuses: { 404: "forbidden" } });
  expect(classifier.toChannelError(failure({ type: "http", status: 404 }))).toMatchObject({ code: "forbidden" });
  expect(classifier.toChannelError(failure({ type: "http", status: 401 }))).toMatchObject({ code: "rejected" });
});

test("a bug is rejected for good, and a ChannelError stays as it is", () => {
  const bug = new TypeError("x is undefined");
  expect(toChannelError(bug)).toMatchObject({ code: "rejected", retry: { type: "never" }, message: "x is undefined", cause: bug });
  const error = new ChannelError("not-found", "gone", { retry: { type: "never" } });
  expect(toChannelError(error)).toBe(error);
  expect(toReceipt(error)).toMatchObject({ type: "rejected", code: "not-found" });
});

test("a lookup knows the missing scopes", () => {
  expect(toLookupFailure(failure(refused("7", { scopes: ["read"] })))).toMatchObject({ code: "forbidden", missingScopes: ["read"] });
  expect(toLookupFailure(failure(refused("7"))).missingScopes).toBeUndefined();
});

test.each([
  ["12", 12_000],
  ["0.5", 500],
  ["Wed, 21 Oct 2026 07:28:00 GMT", undefined],
  ["-1", undefined],
  ["", undefined],
])("a delay of %j is %s milliseconds", (value, delayMs) => {
  expect(retryAfterMs(new Headers({ "retry-after": value }))).toBe(delayMs);
});

test("the first header that is there counts", () => {
  expect(retryAfterMs(new Headers({ "retry-after": "1", reset: "2" }), ["reset", "retry-after"])).toBe(2_000);
  expect(retryAfterMs(new Headers())).toBeUndefined();
});

test("a success that cannot be read may have been carried out; a bug before it was not", () => {
  const unreadable = new SyntaxError("Unexpected token");
  expect(toReceipt(unreadable)).toEqual({ type: "ambiguous", cause: "Unexpected token" });
  expect(toReceipt("a text")).toEqual({ type: "ambiguous", cause: "the call failed" });
  expect(toReceipt(new TypeError("x is undefined"))).toMatchObject({ type: "rejected", retry: { type: "never" } });
});
