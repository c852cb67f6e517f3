import type { Random } from "@factotum/agent-contract";
import type { ChannelCapabilities, SendReceipt } from "@factotum/channel-contract";
import { backoffDelay } from "@factotum/channel-kit";

/** Maximum age of a message that is still sent. */
export const OUTBOX_TTL_MS: number = 24 * 60 * 60 * 1000;

/** Timeout of one send in milliseconds. */
export const SEND_TIMEOUT_MS = 60_000;

/** Maximum refused attempts of a row. Attempts that never reached the platform, were deferred by it, or were interrupted by a shutdown do not count. */
const MAX_REFUSALS = 8;

/** Input of the retry decision. */
export interface SendAttempt {
  /** Attempts so far, including this one. */
  readonly attempts: number;
  /** Refused attempts, including this one. */
  readonly refusals: number;
  /** Age of the row. */
  readonly ageMs: number;
  readonly random: Random;
  /** The channel's declaration; absent if it cannot recognise repeated sends. */
  readonly idempotent?: NonNullable<ChannelCapabilities["idempotentSend"]>;
}

/** True for rejections of the account, and therefore of everything that it sends, rather than of the message. */
export function isAccountWide(receipt: SendReceipt): boolean {
  return receipt.type === "rejected" && receipt.code === "unauthorized";
}

/** True if an attempt counts against the row's maximum. */
export function isRefusal(receipt: SendReceipt): boolean {
  if (receipt.type !== "rejected") return receipt.type === "ambiguous";
  return !isAccountWide(receipt) && receipt.code !== "unreachable" && receipt.code !== "rate-limited";
}

/**
 * Milliseconds until the next attempt, or `undefined` if this receipt settles the row. An ambiguous send is repeated only within the window in which the
 * channel recognises its key; otherwise it may have been shown, and showing it twice is worse than reporting it (R3).
 */
export function nextTry(receipt: SendReceipt, attempt: SendAttempt): number | undefined {
  if (receipt.type === "accepted") return undefined;
  // As soon as its account is accepted again: see AccountGates.
  if (isAccountWide(receipt)) return 0;
  if (attempt.refusals >= MAX_REFUSALS) return undefined;
  if (receipt.type === "ambiguous") {
    const window = attempt.idempotent?.windowMs;
    const delayMs = retryDelayMs(attempt.attempts - 1, attempt.random);
    return window !== undefined && attempt.ageMs + delayMs < window ? delayMs : undefined;
  }
  switch (receipt.retry.type) {
    case "never":
      return undefined;
    case "after":
      return receipt.retry.delayMs;
    case "backoff":
      return retryDelayMs(attempt.attempts - 1, attempt.random);
  }
}

/** Backoff of delivery in milliseconds, after this number of earlier failures: up to 500 at first, doubled each time, at most 60,000. */
export function retryDelayMs(failuresBefore: number, random: Random): number {
  return backoffDelay(failuresBefore, { baseMs: 500, maxMs: 60_000, random });
}
