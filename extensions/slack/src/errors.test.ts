import { ChannelError } from "@factotum/channel-contract";
import type { PlatformFailureReason } from "@factotum/channel-kit";
import { PlatformFailure } from "@factotum/channel-kit";
import { describe, expect, test } from "vitest";
import { scopesOf, toLookupFailure, toChannelError, toReceipt } from "./errors.ts";

const refused = (code: string): PlatformFailure => new PlatformFailure({ type: "refused", code }, `refused: ${code}`);

test.each([
  ["invalid_auth", "unauthorized"],
  ["account_inactive", "unauthorized"],
  ["token_revoked", "unauthorized"],
  ["not_in_channel", "forbidden"],
  ["is_archived", "forbidden"],
  ["missing_scope", "forbidden"],
  ["cant_update_message", "forbidden"],
  ["channel_not_found", "not-found"],
  ["message_not_found", "not-found"],
  ["thread_not_found", "not-found"],
  ["msg_too_long", "too-long"],
  ["msg_blocks_too_long", "too-long"],
  ["invalid_blocks", "rejected"],
  ["something_new", "rejected"],
])("%s is %s, for good", (error, code) => {
  expect(toReceipt(refused(error))).toMatchObject({ type: "rejected", code, retry: { type: "never" } });
});

describe("retries", () => {
  test.each<[PlatformFailureReason, object]>([
    [
      { type: "http", status: 429, retryAfterMs: 30_000 },
      { code: "rate-limited", retry: { type: "after", delayMs: 30_000 } },
    ],
    [
      { type: "http", status: 429 },
      { code: "rate-limited", retry: { type: "backoff" } },
    ],
    [
      { type: "refused", code: "ratelimited" },
      { code: "rate-limited", retry: { type: "backoff" } },
    ],
    [{ type: "not-sent" }, { code: "unreachable", retry: { type: "backoff" } }],
    [{ type: "local" }, { code: "rejected", retry: { type: "never" } }],
    [
      { type: "http", status: 413 },
      { code: "too-long", retry: { type: "never" } },
    ],
    [
      { type: "http", status: 404 },
      { code: "rejected", retry: { type: "never" } },
    ],
  ])("%j", (reason, expected) => {
    expect(toReceipt(new PlatformFailure(reason, "failed"))).toMatchObject({ type: "rejected", ...expected });
  });
});

test.each<PlatformFailureReason>([
  { type: "no-answer" },
  { type: "http", status: 502 },
  { type: "refused", code: "internal_error" },
  { type: "refused", code: "fatal_error" },
])("%j is ambiguous for a send, and to be retried elsewhere", (reason) => {
  const failure = new PlatformFailure(reason, "failed");
  expect(toReceipt(failure)).toEqual({ type: "ambiguous", cause: "failed" });
  expect(toChannelError(failure)).toMatchObject({ code: "unreachable", retry: { type: "backoff" } });
});

test("other errors are permanent, and a ChannelError stays as it is", () => {
  expect(toChannelError(new TypeError("bug"))).toMatchObject({ code: "rejected", message: "bug", retry: { type: "never" } });
  const error = new ChannelError("not-found", "gone", { retry: { type: "never" } });
  expect(toChannelError(error)).toBe(error);
});

test("missing scopes are named as far as the platform names them", () => {
  const reason = { type: "refused", code: "missing_scope", scopes: scopesOf("channels:read,groups:read,<x>") } as const;
  expect(toLookupFailure(new PlatformFailure(reason, "refused")).missingScopes).toEqual(["channels:read", "groups:read"]);
  expect(scopesOf(undefined)).toEqual([]);
  expect(toLookupFailure(refused("not_in_channel")).missingScopes).toBeUndefined();
});
