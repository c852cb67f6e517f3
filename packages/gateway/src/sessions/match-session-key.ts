import type { Store } from "@factotum/store";
import { normalizeSessionKey } from "../routing/session-key.ts";

/**
 * The session that a key in a request means: the one with exactly this key, else the one whose key differs in case alone, if there is
 * only one. Where there is none, or more than one, the key stands for itself. Every request that names a key asks here.
 */
export async function matchSessionKey(written: string, store: Pick<Store, "findSession">): Promise<string> {
  const key = normalizeSessionKey(written);
  return (await store.findSession({ key }))?.key ?? key;
}
