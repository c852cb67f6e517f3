import { createHash } from "node:crypto";

const SPREAD_MS = 300_000;
const HOUR_MS = 3_600_000;

/**
 * By how many milliseconds a job's run is put off so that jobs due at the full hour do not start at once: 0 to 299,999, always the same for one `key`, and 0 at
 * any other time. The instant itself, which identifies the occurrence, stays.
 */
export function spreadDelayMs(key: string, instantMs: number): number {
  if (instantMs % HOUR_MS !== 0) return 0;
  return createHash("sha256").update(key).digest().readUInt32BE(0) % SPREAD_MS;
}
