import type { ChannelErrorCode } from "@factotum/channel-contract";
import { createErrorClassifier, PlatformFailure } from "@factotum/channel-kit";
import type { ErrorClassifier } from "@factotum/channel-kit";

/** Codes that require another tenant token and a retry. */
const STALE_TOKEN: readonly string[] = ["99991661", "99991663", "99991664", "99991665", "99991668", "99991671", "99991677"];

/** Codes that mean: the app lacks a scope. */
const MISSING_SCOPE: readonly string[] = ["99991672", "99991679", "230027"];

/** The platform has accepted an earlier request with the same uuid and is still processing it. */
const STILL_SENDING = "230049";

const CODES: Readonly<Record<string, ChannelErrorCode>> = {
  // Credentials and the state of the app
  403: "unauthorized",
  514: "unauthorized",
  10003: "unauthorized",
  10012: "unauthorized",
  10014: "unauthorized",
  99991662: "unauthorized",
  99991673: "unauthorized",
  // Rights
  99991401: "forbidden",
  99991672: "forbidden",
  99991679: "forbidden",
  230002: "forbidden",
  230006: "forbidden",
  230013: "forbidden",
  230017: "forbidden",
  230018: "forbidden",
  230027: "forbidden",
  230035: "forbidden",
  230038: "forbidden",
  230050: "forbidden",
  230053: "forbidden",
  230071: "forbidden",
  231007: "forbidden",
  // What is gone
  230011: "not-found",
  230019: "not-found",
  230029: "not-found",
  230110: "not-found",
  231003: "not-found",
  232009: "not-found",
  234003: "not-found",
  // Too fast, too long
  99991400: "rate-limited",
  230020: "rate-limited",
  1000040350: "rate-limited",
  230025: "too-long",
  234006: "too-long",
  // The platform's own trouble, before anything was done
  1: "unreachable",
  1000040343: "unreachable",
};

const classifier: ErrorClassifier = createErrorClassifier({
  codes: { ...CODES, ...Object.fromEntries(STALE_TOKEN.map((code) => [code, "unauthorized" as const])) },
  maybeDone: [STILL_SENDING],
});

export const toChannelError: ErrorClassifier["toChannelError"] = classifier.toChannelError;
export const toReceipt: ErrorClassifier["toReceipt"] = classifier.toReceipt;
export const toLookupFailure: ErrorClassifier["toLookupFailure"] = classifier.toLookupFailure;

/** True when another token may help. */
export function isStaleToken(error: unknown): boolean {
  return error instanceof PlatformFailure && error.reason.type === "refused" && STALE_TOKEN.includes(error.reason.code);
}

/** True for a code that refuses because the app lacks a scope. */
export function isMissingScope(code: number): boolean {
  return MISSING_SCOPE.includes(String(code));
}
