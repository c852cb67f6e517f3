import { createHash, timingSafeEqual } from "node:crypto";

/** Compares two secrets or signatures in constant time with respect to where they differ and to their lengths. */
export function constantTimeEqual(left: string | Uint8Array, right: string | Uint8Array): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

function digest(value: string | Uint8Array): Buffer {
  return createHash("sha256").update(value).digest();
}

/** Which signed timestamps count as fresh. */
export interface TimestampOptions {
  /** The current time, milliseconds since the epoch. */
  readonly nowMs: number;
  /** Maximum distance into the past or the future, milliseconds; 300,000 by default. */
  readonly toleranceMs?: number;
}

/** True if a timestamp in whole seconds, as webhooks sign it, is close to the current time. Anything but plain digits is not fresh. */
export function verifyTimestamp(seconds: string | null | undefined, options: TimestampOptions): boolean {
  if (seconds === null || seconds === undefined || !/^\d{1,12}$/.test(seconds)) return false;
  return Math.abs(Number(seconds) * 1_000 - options.nowMs) <= (options.toleranceMs ?? 300_000);
}
