import type { ChannelCapabilities } from "@factotum/channel-contract";
import type { InputRecord } from "@factotum/store";

const HOUR_MS = 3_600_000;

/** Times before this one (September 2001) are no milliseconds since the epoch: a platform that gives none, or another unit. */
const EARLIEST_MS = 1_000_000_000_000;

/**
 * True for a message that its platform delivered more than `maxAgeHours` after it was sent. Compares the platform's time with the time of receipt, so that
 * neither a queue of ours nor a restart makes a message old. A message without a plausible time is never too old, nor is one whose dead letter was replayed.
 */
export function isTooOld(
  { message, receivedAtMs, isReplayed }: Pick<InputRecord, "message" | "receivedAtMs" | "isReplayed">,
  { maxAgeHours, capabilities }: { readonly maxAgeHours: number; readonly capabilities: ChannelCapabilities | undefined },
): boolean {
  if (maxAgeHours === 0 || isReplayed === true || capabilities === undefined || capabilities.acceptsOldMessages === true) return false;
  return message.timestampMs >= EARLIEST_MS && receivedAtMs - message.timestampMs > maxAgeHours * HOUR_MS;
}
