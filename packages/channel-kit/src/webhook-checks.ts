import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Compares two secrets or signatures in a time that does not depend on where, or by how much in length, they differ.
 */
export function constantTimeEqual(left: string | Uint8Array, right: string | Uint8Array): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

function digest(value: string | Uint8Array): Buffer {
  return createHash("sha256").update(value).digest();
}

/** When a signed timestamp counts as fresh. */
export interface TimestampOptions {
  /** Now, milliseconds since the epoch. */
  readonly nowMs: number;
  /** How far it may lie in the past or in the future, milliseconds; 300,000 by default. */
  readonly toleranceMs?: number;
}

/** True when a timestamp in whole seconds, as webhooks sign it, is close to now. Anything but plain digits is not fresh. */
export function verifyTimestamp(seconds: string | null | undefined, options: TimestampOptions): boolean {
  if (seconds === null || seconds === undefined || !/^\d{1,12}$/.test(seconds)) return false;
  return Math.abs(Number(seconds) * 1_000 - options.nowMs) <= (options.toleranceMs ?? 300_000);
}
