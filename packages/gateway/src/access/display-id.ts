import { createHash, createHmac } from "node:crypto";

/** Ids that are kept, because an HMAC costs more than all else that a prompt says of a sender. */
const MAX_KNOWN = 1_000;
const known = new Map<string, string>();

/** A sender's 12 hex digits in a prompt: HMAC-SHA-256 under `commands.ownerDisplaySecret`, plain SHA-256 without a secret. `id` is `channel:id`. */
export function displayId(id: string, secret: string | undefined): string {
  const key = JSON.stringify([id, secret]);
  const before = known.get(key);
  if (before !== undefined) return before;
  const hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret);
  const shown = hash.update(id).digest("hex").slice(0, 12);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, shown);
  return shown;
}
