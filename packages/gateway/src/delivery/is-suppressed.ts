import type { TurnRecord } from "@factotum/store";
import type { TurnServices } from "../turn/turn-services.ts";
import { sendPolicy } from "./send-policy.ts";

/** True when the send policy keeps what a turn says from its channel. Read anew each time: a changed policy holds at once. */
export async function isSuppressed(
  turn: Pick<TurnRecord, "sessionKey" | "origin">,
  { store, config }: Pick<TurnServices, "store" | "config">,
): Promise<boolean> {
  const session = await store.readSession(turn.sessionKey);
  const query = { override: session?.overrides.sendPolicy, origin: turn.origin, sessionKey: turn.sessionKey };
  return sendPolicy(config.session.sendPolicy, query) === "deny";
}
