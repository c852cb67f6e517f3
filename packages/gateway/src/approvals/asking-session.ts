import type { SessionStore, TurnRecord } from "@factotum/store";
import { isSubagentKey } from "../routing/session-key.ts";

/** More than any tree is deep. */
const MAX_STEPS = 10;

/**
 * The session whose conversation shows what a run asks its owner. For the task of a sub-agent that is the one at the top of its tree: no person need be in its
 * own conversation.
 */
export async function askingSession(
  { kind, sessionKey }: Pick<TurnRecord, "kind" | "sessionKey">,
  store: Pick<SessionStore, "readSession">,
): Promise<string> {
  if (kind !== "subagent") return sessionKey;
  let key = sessionKey;
  for (let step = 0; step < MAX_STEPS && isSubagentKey(key); step++) {
    const parent = (await store.readSession(key))?.spawnedBy;
    if (parent === undefined) break;
    key = parent;
  }
  return key;
}
