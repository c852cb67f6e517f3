import type { TurnRecord } from "@factotum/store";
import type { TurnServices } from "../turn/turn-services.ts";
import { sendPolicy } from "./send-policy.ts";

/** True when the send policy keeps what a session says from an address. Read anew each time: a changed policy holds at once. */
export async function isSuppressed(
  { sessionKey, origin }: Pick<TurnRecord, "sessionKey" | "origin">,
  { store, config }: Pick<TurnServices, "store" | "config">,
): Promise<boolean> {
  const session = await store.readSession(sessionKey);
  const query = { override: session?.overrides.sendPolicy, origin, sessionKey };
  return sendPolicy(config.session.sendPolicy, query) === "deny";
}
