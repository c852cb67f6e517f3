import { describe, expect, test } from "vitest";
import { toChannelError, toFailure, toReceipt } from "./errors.ts";

const failed = (status: number, body: unknown) => toFailure("the message", { status, body });

describe("a refusal", () => {
  test.each([
    [401, { code: 0, message: "401: Unauthorized" }, "unauthorized"],
    [403, { code: 50_001, message: "Missing Access" }, "forbidden"],
    [403, { code: 50_013, message: "Missing Permissions" }, "forbidden"],
    [403, { code: 50_007, message: "Cannot send messages to this user" }, "forbidden"],
    [404, { code: 10_003, message: "Unknown Channel" }, "not-found"],
    [404, { code: 10_008, message: "Unknown Message" }, "not-found"],
    // The token of an interaction, not that of the account.
    [401, { code: 50_027, message: "Invalid Webhook Token" }, "not-found"],
    [413, { code: 40_005, message: "Request entity too large" }, "too-long"],
    [
      400,
      { code: 50_035, message: "Invalid Form Body", errors: { content: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: "x" }] } } },
      "too-long",
    ],
    [400, { code: 50_035, message: "Invalid Form Body", errors: { nonce: { _errors: [{ code: "OTHER", message: "x" }] } } }, "rejected"],
  ])("with status %i and %o is %s, for good", (status, body, code) => {
    expect(toReceipt(failed(status, body))).toMatchObject({ type: "rejected", code, retry: { type: "never" } });
  });

  test("has no code 0, which says nothing", () => {
    expect(failed(401, { code: 0, message: "401: Unauthorized" }).message).toBe(
      "Discord refused the message: 401: Unauthorized; the token is wrong or was reset: copy the present one from the Developer Portal, page Bot",
    );
    expect(failed(403, { code: 50_001, message: "Missing Access" }).message).toContain("the message: 50001 Missing Access;");
  });

  test("names the field that was refused, and not the platform's text, which can be a part of the message", () => {
    const errors = { embeds: { 0: { title: { _errors: [{ code: "BASE_TYPE_REQUIRED", message: "private words" }] } } } };
    const { message } = failed(400, { code: 50_035, message: "Invalid Form Body", errors });
    expect(message).toContain("(embeds.0.title: BASE_TYPE_REQUIRED)");
    expect(message).not.toContain("private words");
  });
});

test("a rate limit has the platform's delay, to the millisecond", () => {
  const receipt = toReceipt(failed(429, { message: "You are being rate limited.", retry_after: 1.2345, global: false }));
  expect(receipt).toMatchObject({ type: "rejected", code: "rate-limited", retry: { type: "after", delayMs: 1_235 } });
});

test("a failure of the platform is ambiguous for a send, and temporary for everything else", () => {
  for (const body of [undefined, { code: 0, message: "500: Internal Server Error" }]) {
    expect(toReceipt(failed(500, body)).type).toBe("ambiguous");
    expect(toChannelError(failed(502, body))).toMatchObject({ code: "unreachable", retry: { type: "backoff" } });
  }
});
