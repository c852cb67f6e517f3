import type { SessionStore, TurnRecord } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import { sendPolicy } from "./send-policy.ts";

/** True when the send policy keeps what a session says from an address. Read anew each time: a changed policy holds at once. */
export async function isSuppressed(
  { sessionKey, origin }: Pick<TurnRecord, "sessionKey" | "origin">,
  { store, running }: { readonly store: SessionStore; readonly running: RunningConfig },
): Promise<boolean> {
  const session = await store.readSession(sessionKey);
  const query = { override: session?.overrides.sendPolicy, origin, sessionKey };
  return sendPolicy(running.config.session.sendPolicy, query) === "deny";
}
