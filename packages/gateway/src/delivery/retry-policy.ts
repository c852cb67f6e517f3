import type { Random } from "@factotum/agent-contract";
import type { ChannelCapabilities, SendReceipt } from "@factotum/channel-contract";
import { backoffDelay } from "@factotum/channel-kit";

/** How long a message may wait before it is too late to send. */
export const OUTBOX_TTL_MS: number = 24 * 60 * 60 * 1000;

/** Milliseconds that one send may take. */
export const SEND_TIMEOUT_MS = 60_000;

/** Tries of one row that may be refused. What never reached the platform, what it put off, and what the gateway's own end cut short is none of these. */
const MAX_REFUSALS = 8;

/** What the decision rests on. */
export interface SendAttempt {
  /** Tries so far, this one included. */
  readonly attempts: number;
  /** Those of them that were refused, this one included. */
  readonly refusals: number;
  /** How old the row is. */
  readonly ageMs: number;
  readonly random: Random;
  /** The channel's declaration; absent when it cannot recognise a repeated send. */
  readonly idempotent?: NonNullable<ChannelCapabilities["idempotentSend"]>;
}

/** True for refusals that say nothing of the message: the platform refuses the account, and with it everything that the account sends. */
export function isAccountWide(receipt: SendReceipt): boolean {
  return receipt.type === "rejected" && receipt.code === "unauthorized";
}

/** Whether a try uses up one of a row's chances. */
export function isRefusal(receipt: SendReceipt): boolean {
  if (receipt.type !== "rejected") return receipt.type === "ambiguous";
  return !isAccountWide(receipt) && receipt.code !== "unreachable" && receipt.code !== "rate-limited";
}

/**
 * Milliseconds until a row is tried again, or `undefined` when it is settled by this receipt. An ambiguous send is repeated only inside the time in which the
 * channel recognises its key; elsewhere it may have been shown, and showing it twice is worse than saying so (R3).
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

/** Backoff of delivery in milliseconds, after so many failures before this one: up to 500 at first, doubled each time, at most 60,000. */
export function retryDelayMs(failuresBefore: number, random: Random): number {
  return backoffDelay(failuresBefore, { baseMs: 500, maxMs: 60_000, random });
}
