import type { ChannelCapabilities } from "@factotum/channel-contract";
import type { InputRecord } from "@factotum/store";

const HOUR_MS = 3_600_000;

/** Smaller values (before September 2001) are not milliseconds since the epoch: the platform gives no time, or another unit. */
const EARLIEST_MS = 1_000_000_000_000;

/**
 * True if the platform delivered a message more than `maxAgeHours` after it was sent. Compares the platform's time with the time of receipt, so neither the
 * gateway's queue nor a restart ages a message. False for a message without a plausible time, and for a replayed dead letter.
 */
export function isTooOld(
  { message, receivedAtMs, isReplayed }: Pick<InputRecord, "message" | "receivedAtMs" | "isReplayed">,
  { maxAgeHours, capabilities }: { readonly maxAgeHours: number; readonly capabilities: ChannelCapabilities | undefined },
): boolean {
  if (maxAgeHours === 0 || isReplayed === true || capabilities === undefined || capabilities.acceptsOldMessages === true) return false;
  return message.timestampMs >= EARLIEST_MS && receivedAtMs - message.timestampMs > maxAgeHours * HOUR_MS;
}
