import { ChannelError } from "@factotum/channel-contract";
import type { ChannelErrorCode, Retry, SendReceipt } from "@factotum/channel-contract";
import type { LookupFailure } from "@factotum/channel-kit";

/** Why a request to the platform failed. */
export type FeishuFailureReason =
  /** The platform refused it, with its own code. */
  | {
      readonly type: "refused";
      readonly code: number;
      readonly status: number;
      readonly retryAfterMs?: number;
      /** Scopes of the app of which any one would do. */
      readonly scopes?: readonly string[];
    }
  /** A response from something in between, without the platform's JSON. */
  | { readonly type: "http"; readonly status: number; readonly retryAfterMs?: number }
  /** The request could not be made: a wrong argument, a file that cannot be read, a bug. The next try would fail the same way. */
  | { readonly type: "local" }
  /** The request did not leave. */
  | { readonly type: "not-sent" }
  /** The request was sent; there was no readable response. */
  | { readonly type: "no-answer" };

/** Thrown by every failed request to the platform. Its message contains no secret. */
export class FeishuFailure extends Error {
  readonly reason: FeishuFailureReason;

  constructor(reason: FeishuFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "FeishuFailure";
    this.reason = reason;
  }
}

const NEVER: Retry = { type: "never" };
const BACKOFF: Retry = { type: "backoff" };

/** Codes that require another tenant token and a retry. */
const STALE_TOKEN = new Set([99991661, 99991663, 99991664, 99991665, 99991668, 99991671, 99991677]);

/** Codes that mean: the app lacks a scope. */
const MISSING_SCOPE = new Set([99991672, 99991679, 230027]);

/** The platform has accepted an earlier request with the same uuid and is still processing it. */
const STILL_SENDING = 230049;

const CODES: Readonly<Record<number, readonly [ChannelErrorCode, Retry]>> = {
  // Credentials and the state of the app
  403: ["unauthorized", NEVER],
  514: ["unauthorized", NEVER],
  10003: ["unauthorized", NEVER],
  10012: ["unauthorized", NEVER],
  10014: ["unauthorized", NEVER],
  99991662: ["unauthorized", NEVER],
  99991673: ["unauthorized", NEVER],
  // Rights
  99991401: ["forbidden", NEVER],
  99991672: ["forbidden", NEVER],
  99991679: ["forbidden", NEVER],
  230002: ["forbidden", NEVER],
  230006: ["forbidden", NEVER],
  230013: ["forbidden", NEVER],
  230017: ["forbidden", NEVER],
  230018: ["forbidden", NEVER],
  230027: ["forbidden", NEVER],
  230035: ["forbidden", NEVER],
  230038: ["forbidden", NEVER],
  230050: ["forbidden", NEVER],
  230053: ["forbidden", NEVER],
  230071: ["forbidden", NEVER],
  231007: ["forbidden", NEVER],
  // What is gone
  230011: ["not-found", NEVER],
  230019: ["not-found", NEVER],
  230029: ["not-found", NEVER],
  230110: ["not-found", NEVER],
  231003: ["not-found", NEVER],
  232009: ["not-found", NEVER],
  234003: ["not-found", NEVER],
  // Too fast, too long
  99991400: ["rate-limited", BACKOFF],
  230020: ["rate-limited", BACKOFF],
  1000040350: ["rate-limited", BACKOFF],
  230025: ["too-long", NEVER],
  234006: ["too-long", NEVER],
  // The platform's own trouble, before anything was done
  1: ["unreachable", BACKOFF],
  1000040343: ["unreachable", BACKOFF],
};

/** True when another token may help. */
export function isStaleToken(error: unknown): boolean {
  return error instanceof FeishuFailure && error.reason.type === "refused" && STALE_TOKEN.has(error.reason.code);
}

/** Scopes of which the app needs one; empty when the platform does not name them. `undefined` for any other failure. */
function missingScopes(error: unknown): readonly string[] | undefined {
  const isMissing = error instanceof FeishuFailure && error.reason.type === "refused" && MISSING_SCOPE.has(error.reason.code);
  return isMissing && error.reason.type === "refused" ? (error.reason.scopes ?? []) : undefined;
}

/** Maps an error for `start`, `act`, `fetchAttachment` and `resolveTarget`. */
export function toChannelError(error: unknown): ChannelError {
  if (ChannelError.isInstance(error)) return error;
  if (!(error instanceof FeishuFailure)) {
    return new ChannelError("rejected", error instanceof Error ? error.message : "the call failed", { retry: NEVER, cause: error });
  }
  const [code, retry] = classify(error.reason);
  return new ChannelError(code, error.message, { retry, cause: error });
}

/** Maps an error of a cached lookup. */
export function toLookupFailure(error: unknown): LookupFailure {
  const { code, retry, message } = toChannelError(error);
  return { code, retry, message, missingScopes: missingScopes(error) };
}

/** Maps an error of a send. A request without a readable response is ambiguous, and so is a 5xx, which may have been sent after the message was accepted. */
export function toReceipt(error: unknown): SendReceipt {
  if (!(error instanceof FeishuFailure)) {
    const { code, retry, message } = toChannelError(error);
    return { type: "rejected", code, retry, message };
  }
  const { reason, message } = error;
  if (reason.type === "no-answer" || (reason.type === "refused" && reason.code === STILL_SENDING))
    return { type: "ambiguous", cause: message };
  if ((reason.type === "http" || reason.type === "refused") && reason.status >= 500) return { type: "ambiguous", cause: message };
  const [code, retry] = classify(reason);
  return { type: "rejected", code, retry, message };
}

function classify(reason: FeishuFailureReason): readonly [ChannelErrorCode, Retry] {
  switch (reason.type) {
    case "local":
      return ["rejected", NEVER];
    case "not-sent":
    case "no-answer":
      return ["unreachable", BACKOFF];
    case "http":
      return byStatus(reason.status, delayed(reason.retryAfterMs));
    case "refused": {
      if (STALE_TOKEN.has(reason.code)) return ["unauthorized", NEVER];
      const [code, retry] = CODES[reason.code] ?? byStatus(reason.status, delayed(reason.retryAfterMs));
      return [code, code === "rate-limited" ? delayed(reason.retryAfterMs) : retry];
    }
  }
}

function byStatus(status: number, later: Retry): readonly [ChannelErrorCode, Retry] {
  if (status === 429) return ["rate-limited", later];
  if (status === 401) return ["unauthorized", NEVER];
  if (status === 403) return ["forbidden", NEVER];
  if (status === 404) return ["not-found", NEVER];
  if (status === 413) return ["too-long", NEVER];
  return status >= 500 ? ["unreachable", later] : ["rejected", NEVER];
}

function delayed(delayMs: number | undefined): Retry {
  return delayMs === undefined ? BACKOFF : { type: "after", delayMs };
}
