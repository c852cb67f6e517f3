import { createHash } from "node:crypto";

/** A key within a platform's limit: the key itself, or its hash if it is too long. The same key always gives the same one. */
export function fitKey(key: string, maxLength: number): string {
  return key.length <= maxLength ? key : createHash("sha256").update(key).digest("base64url").slice(0, maxLength);
}
