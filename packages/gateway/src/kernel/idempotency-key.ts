import { createHash } from "node:crypto";

/**
 * The key of one logical send: the same for every attempt, even after a restart, and different for every other send. 40 hex digits fit every platform but
 * Discord, whose adapter shortens it.
 */
export function sendKey(...parts: readonly (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 40);
}
