import type { Random } from "@factotum/agent-contract";
import type { ChannelCapabilities, SendReceipt } from "@factotum/channel-contract";
import { backoffDelay } from "@factotum/channel-kit";

/** Milliseconds that one send may take. */
export const SEND_TIMEOUT_MS = 60_000;

/** Tries of one row, the first one included; those that never reached the platform, or that it put off, go on until the row's time runs out. */
const MAX_SEND_ATTEMPTS = 8;

/** What the decision rests on. */
export interface SendAttempt {
  /** Tries so far, this one included. */
  readonly attempts: number;
  /** How old the row is. */
  readonly ageMs: number;
  readonly random: Random;
  /** The channel's declaration; absent when it cannot recognise a repeated send. */
  readonly idempotent?: NonNullable<ChannelCapabilities["idempotentSend"]>;
}

/**
 * Milliseconds until a row is tried again, or `undefined` when it is settled by this receipt. An ambiguous send is repeated only inside the time in which the
 * channel recognises its key; elsewhere it may have been shown, and showing it twice is worse than saying so (R3).
 */
export function nextTry(receipt: SendReceipt, attempt: SendAttempt): number | undefined {
  if (receipt.type === "accepted") return undefined;
  const isPutOff = receipt.type === "rejected" && (receipt.code === "unreachable" || receipt.code === "rate-limited");
  if (attempt.attempts >= MAX_SEND_ATTEMPTS && !isPutOff) return undefined;
  if (receipt.type === "ambiguous") {
    const window = attempt.idempotent?.windowMs;
    const delayMs = backoff(attempt);
    return window !== undefined && attempt.ageMs + delayMs < window ? delayMs : undefined;
  }
  switch (receipt.retry.type) {
    case "never":
      return undefined;
    case "after":
      return receipt.retry.delayMs;
    case "backoff":
      return backoff(attempt);
  }
}

function backoff(attempt: SendAttempt): number {
  return backoffDelay(attempt.attempts - 1, { baseMs: 500, maxMs: 60_000, random: attempt.random });
}
