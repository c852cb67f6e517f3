import type { SystemEvent } from "@factotum/agent-core";
import type { TurnServices } from "./turn-services.ts";

/** Entries that are looked through: the note is the last one of its turn, and little comes between two turns. */
const LOOK_BACK = 3;

/** What the last turn could not send, told to the model in the next one. */
export async function mediaNotes(sessionId: string, { store }: Pick<TurnServices, "store">): Promise<readonly SystemEvent[]> {
  const { items } = await store.readTranscript(sessionId, { limit: LOOK_BACK });
  const lastTurn = items.findLastIndex((entry) => entry.type === "message" && entry.message.role === "user");
  return items.slice(lastTurn + 1).flatMap((entry) => {
    return entry.type === "notice" && entry.tellsModel === true ? [{ timestampMs: entry.timestampMs, text: entry.text }] : [];
  });
}
