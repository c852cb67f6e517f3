import { createHash } from "node:crypto";

/**
 * An id in the form of a UUID, the same for the same parts: a message that a peer sends again, or a text that the gateway sends again, leads to the same task.
 * It is no secret: a peer reaches only its own tasks.
 */
export function derivedId(...parts: readonly string[]): string {
  const hex = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}
