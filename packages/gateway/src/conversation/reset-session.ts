import type { SessionRecord } from "@factotum/store";
import { sessionKind } from "../routing/session-key.ts";
import type { TurnServices } from "../services/turn-services.ts";

/** Begins the conversation under a key anew, and tells who watches. Call it in the session's lane. What was said before stays readable by its session id. */
export async function resetSession(
  sessionKey: string,
  { store, random, clock, cache, events, config }: Pick<TurnServices, "store" | "random" | "clock" | "cache" | "events" | "config">,
): Promise<SessionRecord> {
  const before = await store.readSession(sessionKey);
  const record = await store.resetSession(sessionKey, {
    sessionId: random.uuid(),
    isPrivate: sessionKind(sessionKey, config.session.mainKey) !== "group",
    nowMs: clock.now(),
  });
  if (before !== undefined) cache.drop(before.sessionId);
  events.publish(sessionKey, { type: "reset" });
  return record;
}
