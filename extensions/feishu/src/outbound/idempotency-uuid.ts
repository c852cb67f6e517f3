import { createHash } from "node:crypto";

const MAX_LENGTH = 50;

/** The platform's `uuid` for a key: the key itself, or its hash if it is too long. The same key always gives the same uuid. */
export function idempotencyUuid(key: string): string {
  return key.length <= MAX_LENGTH ? key : createHash("sha256").update(key).digest("base64url");
}
