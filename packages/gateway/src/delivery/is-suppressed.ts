import type { SessionStore, TurnRecord } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import { sendPolicy } from "./send-policy.ts";

/** True if the send policy suppresses what a session sends to an address. Read each time, so that a changed policy applies at once. */
export async function isSuppressed(
  { sessionKey, origin }: Pick<TurnRecord, "sessionKey" | "origin">,
  { store, running }: { readonly store: SessionStore; readonly running: RunningConfig },
): Promise<boolean> {
  const session = await store.readSession(sessionKey);
  const query = { override: session?.overrides.sendPolicy, origin, sessionKey };
  return sendPolicy(running.config.session.sendPolicy, query) === "deny";
}
