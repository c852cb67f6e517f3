import { createHash, createHmac } from "node:crypto";

/** A sender's 12 hex digits in a prompt: HMAC-SHA-256 under `commands.ownerDisplaySecret`, plain SHA-256 without a secret. `id` is `channel:id`. */
export function displayId(id: string, secret: string | undefined): string {
  const hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret);
  return hash.update(id).digest("hex").slice(0, 12);
}
