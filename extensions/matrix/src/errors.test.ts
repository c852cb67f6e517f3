import { expect, test } from "vitest";
import { toChannelError, toFailure } from "./errors.ts";

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Parameters<typeof toFailure>[1] => ({
  status,
  headers: new Headers(headers),
  bytes: new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body)),
});

test.each([
  [401, { errcode: "M_UNKNOWN_TOKEN", error: "x" }, "unauthorized", "wrong or was revoked"],
  [401, { errcode: "M_UNKNOWN_TOKEN", error: "x", soft_logout: true }, "unauthorized", "has expired"],
  [403, { errcode: "M_USER_SUSPENDED", error: "x" }, "unauthorized", "is blocked"],
  [403, { errcode: "M_FORBIDDEN", error: "x" }, "forbidden", "lacks the right"],
  [404, { errcode: "M_NOT_FOUND", error: "x" }, "not-found", "M_NOT_FOUND"],
  [413, { errcode: "M_TOO_LARGE", error: "x" }, "too-long", "larger than the homeserver takes"],
  [400, { errcode: "M_BAD_JSON", error: "x" }, "rejected", "M_BAD_JSON"],
  [404, "<html>", "not-found", "no Matrix homeserver is at this address"],
  [301, "", "rejected", "the address redirects"],
  [502, "<html>", "unreachable", "HTTP 502"],
])("%i %o is %s, and the text says what to do", (status, body, code, said) => {
  const error = toChannelError(toFailure("the sync", answer(status, body)));
  expect(error.code).toBe(code);
  expect(error.message).toContain(said);
});

test("the delay of a rate limit is the header's, or else the body's", () => {
  const body = { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 1_234.5 };
  expect(toChannelError(toFailure("x", answer(429, body))).retry).toEqual({ type: "after", delayMs: 1_235 });
  expect(toChannelError(toFailure("x", answer(429, body, { "retry-after": "2" }))).retry).toEqual({ type: "after", delayMs: 2_000 });
});

test("texts of the homeserver, which can quote what was sent, are left out", () => {
  expect(toFailure("x", answer(400, { errcode: "M_UNKNOWN", error: "very private words" })).message).not.toContain("private");
});
