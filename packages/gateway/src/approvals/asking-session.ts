import type { SessionStore } from "@factotum/store";
import { isSubagentKey } from "../routing/session-key.ts";

/** More than any tree is deep. */
const MAX_STEPS = 10;

/**
 * The session whose conversation shows what a run asks its owner. For a sub-agent that is the one at the top of its tree: what is written in its own
 * conversation is said to the sub-agent.
 */
export async function askingSession(sessionKey: string, store: Pick<SessionStore, "readSession">): Promise<string> {
  let key = sessionKey;
  for (let step = 0; step < MAX_STEPS && isSubagentKey(key); step++) {
    const parent = (await store.readSession(key))?.spawnedBy;
    if (parent === undefined) break;
    key = parent;
  }
  return key;
}
