import type { Store } from "@factotum/store";
import { normalizeSessionKey } from "../routing/session-key.ts";

/**
 * Resolves the session key of a request: the exact match, otherwise the only session whose key differs just in case. Without a unique match the key stays as it
 * is. Every request that names a key is resolved here.
 */
export async function matchSessionKey(written: string, store: Pick<Store, "findSession">): Promise<string> {
  const key = normalizeSessionKey(written);
  return (await store.findSession({ key }))?.key ?? key;
}
