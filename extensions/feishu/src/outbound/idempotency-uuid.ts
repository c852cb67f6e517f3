import { createHash } from "node:crypto";

const MAX_LENGTH = 50;

/** The platform's `uuid` for a key: the key itself, or a hash of it when it is too long. The same key gives the same uuid, always. */
export function idempotencyUuid(key: string): string {
  return key.length <= MAX_LENGTH ? key : createHash("sha256").update(key).digest("base64url");
}
