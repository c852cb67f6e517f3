import { createHmac, hash } from "node:crypto";
import { LRUCache } from "lru-cache";

/** Of the people who talk; each of their turns names them. */
const known = new LRUCache<string, { readonly secret: string; readonly shown: string }>({ max: 1_000 });

/**
 * The 12 hex digits that stand for a sender in a prompt: HMAC-SHA-256 under `commands.ownerDisplaySecret`, plain SHA-256 without a secret (design 03).
 * `id` is `channel:id`.
 */
export function displayId(id: string, secret: string | undefined): string {
  if (secret === undefined) return hash("sha256", id).slice(0, 12);
  const before = known.get(id);
  if (before?.secret === secret) return before.shown;
  const shown = createHmac("sha256", secret).update(id).digest("hex").slice(0, 12);
  known.set(id, { secret, shown });
  return shown;
}
